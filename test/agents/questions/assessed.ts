import { groupBy, total } from '../../server/data/group.js'
import { amount, type Cells, text } from '../../server/data/package.js'
import type { Worked } from '../../server/data/worked.js'
import type { Question } from '../question.js'

/** The folds as the root sees them, at its share. */
const folds = (worked: Worked) => worked.folds({ entity: worked.ownership.root, view: 'net' })
const risks = (worked: Worked) => folds(worked).risk_rows as Worked['risks']
const pressures = (worked: Worked) =>
  folds(worked).fold_pressures as readonly {
    pressure_indicator: string
    unit: string
    ipbes_pressure: string
    net: number
  }[]
const outputs = (rows: readonly Cells[]) => total(rows, row => amount(row, 'output') ?? 0)
const distinct = (values: Iterable<unknown>) => new Set(values).size
const isGrave = (level: string) => level === 'high' || level === 'very high'

/** Questions about the whole project. */
export const assessedQuestions: readonly Question<Worked>[] = [
  {
    id: 'high-risks',
    question: 'How many findings of risk are of the level high?',
    careful: "SELECT count(*) AS findings FROM risk_rows WHERE level = 'high'",
    hurried: "SELECT count(*) AS findings FROM risk_rows WHERE level = 'High'",
    kind: 'value',
    golden: worked => [[risks(worked).filter(({ level }) => level === 'high').length]],
  },
  {
    id: 'sites-in-poland',
    question: 'How many sites are in Poland?',
    careful: "SELECT count(*) AS sites FROM sites WHERE iso3 = 'POL'",
    hurried: "SELECT count(*) AS sites FROM sites WHERE iso3 = 'PL'",
    kind: 'value',
    golden: ({ project }) => [[project.rows('sites').filter(row => row.get('iso3') === 'POL').length]],
  },
  {
    id: 'direct-carbon-dioxide',
    question: 'How much carbon dioxide do we emit directly, in tonnes, at our share?',
    careful: "SELECT sum(net) AS t FROM fold_pressures WHERE pressure_indicator = 'co2' AND scope = 1",
    hurried: "SELECT sum(net) AS t FROM fold_pressures WHERE pressure_indicator = 'CO2' AND scope = 1",
    kind: 'value',
    golden: worked => {
      const shares = worked.shares({ entity: worked.ownership.root, view: 'net' })
      const own = worked.pressures.filter(({ kind }) => kind.pressure_indicator === 'co2' && kind.scope === 1)
      return [[total(own, ({ value, entity }) => value * (shares.get(entity) ?? 0))]]
    },
  },
  {
    id: 'gravest-findings',
    question: 'How many findings of risk have a score in the upper fifth of the scale?',
    careful: 'SELECT count(*) AS findings FROM risk_rows WHERE score > 20',
    hurried: 'SELECT count(*) AS findings FROM risk_rows WHERE score > 80', // as if the scale ended at 100
    kind: 'range',
    golden: worked => [[risks(worked).filter(({ score }) => score > 20).length]],
  },
  {
    id: 'newest-activities',
    question: 'How many activities started in the newest year that any did?',
    careful:
      'SELECT count(*) AS activities FROM activities WHERE start_year = (SELECT max(start_year) FROM activities)',
    hurried: 'SELECT count(*) AS activities FROM activities WHERE start_year = 2026',
    kind: 'range',
    golden: ({ project }) => {
      const years = project.rows('activities').map(row => amount(row, 'start_year') ?? 0)
      return [[years.filter(year => year === Math.max(...years)).length]]
    },
  },
  {
    id: 'power-at-risk',
    question: 'How much electricity, in GWh and in full, comes from activities with a risk that is very high?',
    careful: `SELECT sum(output) AS gwh FROM activities a WHERE output_unit = 'GWh' AND EXISTS (
  SELECT 1 FROM risk_rows r WHERE r.site_key = a.site_key AND r.sector_code = a.sector_code AND r.level = 'very high')`,
    hurried: `SELECT sum(a.output) AS gwh FROM activities a
JOIN risk_rows r ON r.site_key = a.site_key AND r.sector_code = a.sector_code
WHERE a.output_unit = 'GWh' AND r.level = 'very high'`,
    kind: 'join',
    golden: worked => {
      const grave = risks(worked).filter(({ level }) => level === 'very high')
      const keys = new Set(grave.map(({ site_key, sector_code }) => `${site_key} ${sector_code}`))
      const own = worked.project.rows('activities').filter(row => row.get('output_unit') === 'GWh')
      return [[outputs(own.filter(row => keys.has(`${row.get('site_key')} ${row.get('sector_code')}`)))]]
    },
  },
  {
    id: 'power-of-assets',
    question: 'How much electricity, in GWh and in full, do the entities of the kind asset make?',
    careful: `SELECT sum(a.output) AS gwh FROM activities a JOIN sites s USING (site_key)
JOIN fold_entities e USING (entity_key) WHERE e.kind = 'asset' AND a.output_unit = 'GWh'`,
    hurried: `SELECT sum(a.output) AS gwh FROM activities a JOIN sites s USING (site_key)
JOIN entities e ON e.entity_key = s.entity_key WHERE e.kind = 'asset' AND a.output_unit = 'GWh'`,
    kind: 'join',
    golden: ({ project }) => {
      const isAsset = new Map(project.rows('entities').map(row => [row.get('entity_key'), row.get('kind') === 'asset']))
      const entityOf = new Map(project.rows('sites').map(row => [row.get('site_key'), row.get('entity_key')]))
      const own = project.rows('activities').filter(row => row.get('output_unit') === 'GWh')
      return [[outputs(own.filter(row => isAsset.get(entityOf.get(row.get('site_key')))))]]
    },
  },
  {
    id: 'output',
    question: 'How much do all activities produce in full?',
    careful: `SELECT output_unit, sum(output) AS output FROM activities WHERE output IS NOT NULL
GROUP BY output_unit ORDER BY output_unit`,
    hurried: 'SELECT sum(output) AS output FROM activities',
    kind: 'unit',
    golden: ({ project }) => {
      const own = project.rows('activities').filter(row => row.get('output') != null)
      return [...groupBy(own, row => text(row, 'output_unit'))].map(([unit, rows]) => [unit, outputs(rows)])
    },
  },
  {
    id: 'pollution',
    question: 'How much of each indicator do we put on nature as pollution, at our share, over all scopes?',
    careful: `SELECT pressure_indicator, unit, sum(net) AS net FROM fold_pressures
WHERE ipbes_pressure = 'pollution' GROUP BY pressure_indicator, unit ORDER BY pressure_indicator, unit`,
    hurried: "SELECT sum(net) AS net FROM fold_pressures WHERE ipbes_pressure = 'pollution'",
    kind: 'unit',
    golden: worked => {
      const own = pressures(worked).filter(row => row.ipbes_pressure === 'pollution')
      return [...groupBy(own, row => `${row.pressure_indicator} ${row.unit}`).values()].map(rows => [
        rows[0]?.pressure_indicator ?? '',
        rows[0]?.unit ?? '',
        total(rows, ({ net }) => net),
      ])
    },
  },
  {
    id: 'capacity-in-megawatts',
    question: 'How much capacity, in MW, do our power stations have together?',
    careful: "SELECT sum(capacity) AS mw FROM activities WHERE capacity_unit = 'MW'",
    hurried: 'SELECT sum(capacity) AS mw FROM activities',
    kind: 'unit',
    golden: ({ project }) => [
      [
        total(
          project.rows('activities').filter(row => row.get('capacity_unit') === 'MW'),
          row => amount(row, 'capacity') ?? 0,
        ),
      ],
    ],
  },
  {
    id: 'sites-with-physical-risks',
    question: 'How many sites have a physical risk?',
    careful: "SELECT count(DISTINCT site_key) AS sites FROM risk_rows WHERE risk_type = 'physical'",
    hurried: "SELECT sum(sites) AS sites FROM fold_risks WHERE risk_type = 'physical'",
    kind: 'additive',
    golden: worked => [
      [
        distinct(
          risks(worked)
            .filter(({ risk_type: type }) => type === 'physical')
            .map(({ site_key: key }) => key),
        ),
      ],
    ],
  },
  {
    id: 'entities-that-hold-nothing',
    question: 'How many entities hold no other one?',
    careful: `SELECT count(DISTINCT entity_key) AS entities FROM entities
WHERE entity_key NOT IN (SELECT parent_key FROM entities WHERE parent_key IS NOT NULL)`,
    hurried: `SELECT count(DISTINCT entity_key) AS entities FROM entities
WHERE entity_key NOT IN (SELECT parent_key FROM entities)`,
    kind: 'null',
    golden: ({ project }) => {
      const rows = project.rows('entities')
      const holders = new Set(rows.map(row => row.get('parent_key')))
      return [[distinct(rows.map(row => row.get('entity_key')).filter(key => !holders.has(key)))]]
    },
  },
  {
    id: 'findings-from-high',
    question: 'How many findings of risk are at least high?',
    careful: "SELECT count(*) AS findings FROM risk_rows WHERE level IN ('high', 'very high')",
    hurried: "SELECT count(*) AS findings FROM risk_rows WHERE level >= 'high'",
    kind: 'order',
    golden: worked => [[risks(worked).filter(({ level }) => isGrave(level)).length]],
  },
  {
    id: 'levels',
    question: 'How many findings does each level of risk have, from the gravest level to the least?',
    isOrdered: true,
    careful: 'SELECT level, count(*) AS findings FROM risk_rows GROUP BY level ORDER BY max(score) DESC',
    hurried: 'SELECT level, count(*) AS findings FROM risk_rows GROUP BY level ORDER BY level DESC',
    kind: 'order',
    golden: worked =>
      ['very high', 'high', 'medium', 'low'].map(wanted => [
        wanted,
        risks(worked).filter(({ level }) => level === wanted).length,
      ]),
  },
  {
    id: 'strong-dependencies',
    question: 'How many pairs of a sector and a service are rated H or higher?',
    careful: 'SELECT count(*) AS pairs FROM dependencies WHERE rating_value >= 4',
    hurried: "SELECT count(*) AS pairs FROM dependencies WHERE rating >= 'H'",
    kind: 'order',
    golden: ({ project }) => [
      [project.rows('dependencies').filter(row => ['H', 'VH'].includes(row.get('rating') ?? '')).length],
    ],
  },
  {
    id: 'three-sectors',
    question: 'Which three sectors have the most activities, and how many?',
    isOrdered: true,
    careful: `SELECT sector_code, count(*) AS activities FROM activities
GROUP BY sector_code ORDER BY activities DESC, sector_code LIMIT 3`,
    hurried: 'SELECT sector_code, count(*) AS activities FROM activities GROUP BY sector_code LIMIT 3',
    kind: 'limit',
    golden: ({ project }) =>
      [...groupBy(project.rows('activities'), row => text(row, 'sector_code'))]
        .map(([sector, rows]) => [sector, rows.length] as const)
        .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
        .slice(0, 3),
  },
  {
    id: 'decades',
    question: 'How many activities started in each decade?',
    careful: `SELECT start_year // 10 * 10 AS decade, count(*) AS activities FROM activities
WHERE start_year IS NOT NULL GROUP BY decade ORDER BY decade`,
    hurried: `SELECT start_year / 10 * 10 AS decade, count(*) AS activities FROM activities
WHERE start_year IS NOT NULL GROUP BY decade ORDER BY decade`,
    kind: 'truncation',
    golden: ({ project }) => {
      const years = project.rows('activities').flatMap(row => amount(row, 'start_year') ?? [])
      return [...groupBy(years, year => year - (year % 10))].map(([decade, own]) => [decade, own.length])
    },
  },
  {
    id: 'climate-in-species',
    question: 'How many species.yr do we cost nature by climate change, at our share?',
    careful: "SELECT value FROM dash_ipbes WHERE ipbes_pressure = 'climate change'",
    golden: worked => {
      const drivers = folds(worked).dash_ipbes as readonly { ipbes_pressure: string; value: number | null }[]
      return drivers.filter(row => row.ipbes_pressure === 'climate change').map(({ value }) => [value])
    },
  },
  {
    id: 'largest-stations',
    question: 'Which three activities have the largest capacity in MW?',
    isOrdered: true,
    careful: `SELECT site_key, sector_code, capacity FROM activities WHERE capacity_unit = 'MW'
ORDER BY capacity DESC, site_key, sector_code LIMIT 3`,
    golden: ({ project }) =>
      project
        .rows('activities')
        .filter(row => row.get('capacity_unit') === 'MW')
        .map(row => [text(row, 'site_key'), text(row, 'sector_code'), amount(row, 'capacity') ?? 0] as const)
        .sort(([, , first], [, , second]) => second - first)
        .slice(0, 3),
  },
]
