import { total } from '../../server/data/group.js'
import { amount } from '../../server/data/package.js'
import type { Worked } from '../../server/data/worked.js'
import type { Question } from '../question.js'

/** Ids of entities of the demonstration, which its plans fix. */
const POLAND = 'cec569e3-ece4-5e88-bac4-58a3adbdcaeb'
const UNITED_KINGDOM = 'ea3d9a31-1df2-5a91-b6de-425874929a10'
const CHILE = '3e05ceaf-6929-5cb1-a278-de320e2c630c'
const AUSTRALIA = '9dacfb01-c6a6-5d95-9c99-3d30ef8eeb69'

/** The entity with an id, and the shares that it has in all below it. */
function below({ ownership, shares }: Worked, id: string) {
  const [entity = ''] = [...ownership.ids].find(([, known]) => known === id) ?? []
  return shares({ entity, view: 'net' })
}

/** Questions from the point of view of one entity. */
export const viewQuestions: readonly Question<Worked>[] = [
  {
    id: 'sites-below-poland',
    question: 'How many sites do the entities have that belong to the country group of Poland?',
    entityId: POLAND,
    careful: 'SELECT count(*) AS sites FROM sites JOIN point_of_view USING (entity_key)',
    hurried: 'SELECT count(*) AS sites FROM sites',
    kind: 'view',
    golden: worked => {
      const held = below(worked, POLAND)
      return [[worked.project.rows('sites').filter(row => held.has(row.get('entity_key') ?? '')).length]]
    },
  },
  {
    id: 'power-below-united-kingdom',
    question: 'How much electricity, in GWh, do the entities of the United Kingdom make, at the share of that group?',
    entityId: UNITED_KINGDOM,
    careful: `SELECT sum(a.output * v.share) AS gwh FROM activities a
JOIN sites s USING (site_key) JOIN point_of_view v USING (entity_key) WHERE a.output_unit = 'GWh'`,
    hurried: "SELECT sum(output) AS gwh FROM activities WHERE output_unit = 'GWh'",
    kind: 'view',
    golden: worked => {
      const held = below(worked, UNITED_KINGDOM)
      const shareOf = new Map(
        worked.project.rows('sites').map(row => [row.get('site_key'), held.get(row.get('entity_key') ?? '') ?? 0]),
      )
      const own = worked.project.rows('activities').filter(row => row.get('output_unit') === 'GWh')
      return [[total(own, row => (amount(row, 'output') ?? 0) * (shareOf.get(row.get('site_key')) ?? 0))]]
    },
  },
  {
    id: 'entities-below-chile',
    question: 'How many entities, itself included, belong to the country group of Chile?',
    entityId: CHILE,
    careful: 'SELECT count(*) AS entities FROM fold_entities',
    hurried: 'SELECT count(DISTINCT entity_key) AS entities FROM entities',
    kind: 'view',
    golden: worked => [[below(worked, CHILE).size]],
  },
  {
    id: 'grave-sites-below-australia',
    question: 'How many sites of the Australian group have a risk that is very high?',
    entityId: AUSTRALIA,
    careful: "SELECT count(DISTINCT site_key) AS sites FROM risk_rows WHERE level = 'very high'",
    golden: worked => {
      const [entity = ''] = [...worked.ownership.ids].find(([, id]) => id === AUSTRALIA) ?? []
      const rows = worked.folds({ entity, view: 'net' }).risk_rows as Worked['risks']
      return [[new Set(rows.filter(({ level }) => level === 'very high').map(row => row.site_key)).size]]
    },
  },
]
