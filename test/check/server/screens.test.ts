import assert from 'node:assert/strict'
import { assessed, MADE_UP, REAL } from '../../server/data/assessed.js'
import { commodityAmounts } from '../../server/data/commodities.js'
import { shownDependencies } from '../../server/data/dependencies.js'
import { type Differences, differences, few, keyOf } from '../../server/data/differences.js'
import { FOLDS, type FoldName } from '../../server/data/folds.js'
import { readFold } from '../../server/data/reading.js'
import { exclusionsOf, riskTotals } from '../../server/data/risks.js'
import { type Viewpoint, type Worked, workOut } from '../../server/data/worked.js'

/** Projects with too many rows to read them all; another test compares the sums of their columns. */
const LARGE = new Set(['tallowick-power', 'tallowick-world', 'coalfleet', 'world'])
const KEYS = [...MADE_UP, ...REAL].filter(key => !LARGE.has(key))

describe('what screens show and what relations contain', () => {
  const all = assessed()

  for (const key of KEYS)
    describe(`of ${key}`, () => {
      let worked: Worked
      let from: Viewpoint
      before(() => {
        worked = workOut(all.current.project(key))
        from = { entity: worked.ownership.root, view: 'net' }
      })

      /** The differences between the rows of a screen and those of a relation. */
      async function compare(fold: FoldName, shown: readonly object[]): Promise<Differences> {
        return differences(shown, await readFold(all.current, worked, from, fold), FOLDS[fold].key)
      }

      for (const fold of ['dash_ipbes', 'fold_pressures'] as const)
        it(`is the same in ${fold}`, async () => {
          assertDifferences(await compare(fold, worked.folds(from)[fold]), { onScreen: [] })
        })

      it('are the same risks, except for those that a user excluded', async () => {
        const excluded = worked.risks.filter(exclusionsOf(worked.project))
        const onScreen = excluded.map(risk => keyOf(risk, FOLDS.risk_rows.key))
        assertDifferences(await compare('risk_rows', worked.risks), { onScreen })
      })

      it('are the same totals of risks, except for lower ones if risks are excluded', async () => {
        const shown = riskTotals(worked.risks, worked.shares(from))
        const isExcluded = exclusionsOf(worked.project)
        const cut = new Set(worked.risks.filter(isExcluded).map(risk => risk.risk_code))
        const left = new Set(worked.risks.filter(risk => !isExcluded(risk)).map(risk => risk.risk_code))
        assertDifferences(await compare('fold_risks', shown), {
          onScreen: [...cut].filter(risk => !left.has(risk)),
          other: [...cut].filter(risk => left.has(risk)),
        })
        for (const { risk_code, sites } of await readFold(all.current, worked, from, 'fold_risks')) {
          const screen = shown.find(total => total.risk_code === risk_code)?.sites ?? 0
          assert.ok(cut.has(String(risk_code)) ? Number(sites) < screen : sites === screen, `sites of ${risk_code}`)
        }
      })

      it('are the same dependencies, except for stand-ins for entities without their own data', async () => {
        const shown = shownDependencies(worked.project, worked.ownership, worked.activities)
        const own = new Set(worked.dependencies.map(({ entity_key }) => entity_key))
        const standIns = shown.filter(({ entity_key }) => !own.has(entity_key))
        assert.ok(standIns.length > 0)
        const onScreen = standIns.map(dependency => keyOf(dependency, FOLDS.fold_dependencies.key))
        assertDifferences(await compare('fold_dependencies', shown), { onScreen })
      })

      it('are the same amounts of commodities', async () => {
        const sql = `
        SELECT s.entity_key, c.commodity, sum(a.output * c.t_per_activity_unit) AS amount
        FROM activities AS a
        JOIN sites AS s ON s.site_key = a.site_key
        JOIN commodities AS c ON c.sector_code = a.sector_code
        WHERE a.output IS NOT NULL
        GROUP BY s.entity_key, c.commodity
        ORDER BY s.entity_key, c.commodity`
        const told = await all.current.rows(worked.project, sql)
        const shown = commodityAmounts(worked.project, worked.activities)
        assertDifferences(differences(shown, told, ['entity_key', 'commodity']), { onScreen: [] })
      })
    })

  describe('for sourcing risk, which screens add to the commodities', () => {
    for (const key of [...MADE_UP.slice(0, 1), ...REAL.slice(0, 1)])
      it(`${key}: is in no column and in no value`, async () => {
        const project = all.current.project(key)
        const { relations } = await all.current.describe(project)
        for (const { name } of relations) {
          const { columns = [] } = await all.current.describe(project, name)
          const texts = columns.filter(column => column.type === 'VARCHAR').map(column => `"${column.name}"`)
          assert.doesNotMatch(columns.map(column => column.name).join(' '), /sourcing/i, name)
          const sql = `SELECT count(*) AS found FROM ${name} WHERE concat_ws(' ', ${texts.join(', ')}) ILIKE '%sourcing%'`
          assert.deepEqual(await all.current.rows(project, sql), [{ found: 0 }], name)
        }
        const commodities = await all.current.describe(project, 'commodities')
        const names = commodities.columns?.map(column => column.name)
        assert.deepEqual(names, ['sector_code', 'commodity', 'unit', 't_per_activity_unit', 'source_id', 'how'])
      })
  })

  describe('the fictional projects', () => {
    const reasons: Record<string, (worked: Worked) => boolean> = {
      'a risk that is excluded for all entities': ({ project, risks }) => {
        const everywhere = project.rows('risk_exclusions').filter(row => row.get('entity_key') == null)
        return everywhere.some(row => risks.some(risk => risk.risk_code === row.get('risk_code')))
      },
      'a risk that is excluded for only one of its entities': ({ project, risks }) => {
        const isExcluded = exclusionsOf(project)
        const cut = new Set(risks.filter(isExcluded).map(risk => risk.risk_code))
        return risks.some(risk => cut.has(risk.risk_code) && !isExcluded(risk))
      },
      'an entity with several holders': ({ project, ownership }) =>
        project.rows('entities').length > ownership.ids.size,
      'an entity with only an estimate for its sector': ({ project, activities, dependencies }) => {
        const own = new Set(dependencies.map(({ entity_key }) => entity_key))
        const estimated = new Set(project.rows('sector_estimates').map(row => row.get('sector_code')))
        return activities.some(({ entity, sector }) => estimated.has(sector) && !own.has(entity))
      },
    }
    for (const [reason, isThere] of Object.entries(reasons))
      it(`have ${reason}`, () => {
        const keys = MADE_UP.filter(key => !LARGE.has(key))
        assert.ok(keys.some(key => isThere(workOut(all.current.project(key)))))
      })
  })
})

/** Asserts that a screen has exactly these rows that the relation lacks, and other figures only in `other`. */
function assertDifferences(found: Differences, expected: { onScreen: string[]; other?: string[] }): void {
  const { onScreen, other = [] } = expected
  const wrong = (actual: Iterable<string>, wanted: readonly string[]) => {
    const [is, should] = [new Set(actual), new Set(wanted)]
    return few([...[...is].filter(key => !should.has(key)), ...[...should].filter(key => !is.has(key))])
  }
  assert.equal(few(found.onlySecond), '', 'only in the relation')
  assert.equal(wrong(found.onlyFirst, onScreen), '', 'unexpected rows only on the screen, or expected ones missing')
  assert.equal(wrong(found.unequal.keys(), other), '', few(found.unequal.values()))
}
