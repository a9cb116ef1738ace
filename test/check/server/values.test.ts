import assert from 'node:assert/strict'
import { assessed, MADE_UP, REAL } from '../../server/data/assessed.js'
import { BY_HAND } from '../../server/data/by-hand.js'
import { alike } from '../../server/data/differences.js'
import { realData } from '../../server/data/folder.js'
import { FOLD_NAMES, FOLDS } from '../../server/data/folds.js'
import { countRows, figureName, readFigures } from '../../server/data/golden.js'
import { groupBy } from '../../server/data/group.js'
import { sharesBelow } from '../../server/data/ownership.js'
import { amount, type Cells, readTable, text } from '../../server/data/package.js'
import { assertFold } from '../../server/data/reading.js'
import { readmeTable } from '../../server/data/readme.js'
import { TINY_ENTITIES } from '../../server/data/tiny.js'
import { type Viewpoint, type Worked, workOut } from '../../server/data/worked.js'

const VIEWS = ['net', 'gross'] as const
/** Projects with more activities are read from only two viewpoints, to save time. */
const MANY = 10_000

describe('the values of the folds', () => {
  const all = assessed()
  let latest: Worked | undefined

  /** The computed project. The latest one is cached, as the tests of a project follow each other. */
  function workedOut(key: string): Worked {
    if (latest?.project.key !== key) latest = workOut(all.current.project(key))
    return latest
  }

  describe('columns', () => {
    for (const key of ['tiny', ...REAL.slice(0, 1)])
      for (const fold of FOLD_NAMES)
        it(`${key}: ${fold}`, async () => {
          const { columns } = await all.current.describe(all.current.project(key), fold)
          assert.deepEqual(columns, FOLDS[fold].columns)
        })
  })

  describe('every row, computed from the CSV files', () => {
    for (const key of ['tiny', ...MADE_UP, ...REAL])
      it(`${key}: net and gross, from the root and from a subtree`, async () => {
        const worked = workedOut(key)
        const compared = viewpoints(worked).flatMap(from => {
          const expected = worked.folds(from)
          return FOLD_NAMES.map(fold => assertFold(all.current, worked, from, fold, expected[fold]))
        })
        await Promise.all(compared)
      })
  })

  describe('every row, to callers who see a subtree alone', () => {
    for (const key of ['tiny', ...MADE_UP.slice(0, 1), ...REAL])
      it(`${key}: net and gross`, async () => {
        const worked = workedOut(key)
        const compared = viewpoints(worked).flatMap(from => {
          const expected = worked.folds(from)
          return FOLD_NAMES.map(fold =>
            assertFold(all.current, worked, { ...from, isAlone: true }, fold, expected[fold]),
          )
        })
        await Promise.all(compared)
      })
  })

  describe('the rows of pressures', () => {
    const ADDED_UP = `
      SELECT count(*)::INTEGER AS differences
      FROM (SELECT pressure_indicator, unit, ipbes_pressure, biome, scope, sum(value * share) AS net, sum(value) AS gross,
                   count(DISTINCT site_key) AS sites
            FROM pressure_rows GROUP BY ALL) r
      FULL JOIN fold_pressures f
        ON f.pressure_indicator = r.pressure_indicator AND f.unit = r.unit AND f.ipbes_pressure = r.ipbes_pressure
       AND f.biome IS NOT DISTINCT FROM r.biome AND f.scope = r.scope
      WHERE (abs(r.net - f.net) <= 1e-9 * abs(f.net) AND abs(r.gross - f.gross) <= 1e-9 * abs(f.gross)
             AND r.sites = f.sites) IS NOT TRUE`
    for (const key of ['tiny', ...MADE_UP, ...REAL.slice(0, 1)])
      it(`${key}: add up to fold_pressures, net and gross, from the root and from a subtree`, async () => {
        const worked = workedOut(key)
        for (const { entity, view } of viewpoints(worked)) {
          const entityId = worked.ownership.ids.get(entity) as string
          const ask = (sql: string) => all.current.rows(worked.project, sql, { entityId, ownershipView: view })
          assert.deepEqual(await ask(ADDED_UP), [{ differences: 0 }], `${entity} ${view}`)
          const [counted] = await ask('SELECT count(*)::INTEGER AS rows FROM pressure_rows')
          if (entity === worked.ownership.root) assert.equal(counted?.rows, worked.pressures.length)
        }
      })
  })

  describe('a tiny project, computed by hand', () => {
    for (const [title, expected] of Object.entries(BY_HAND))
      it(title, async () => {
        const [entity, ownershipView] = title.split(' ') as [keyof typeof TINY_ENTITIES, 'net' | 'gross']
        const point = { entityId: TINY_ENTITIES[entity], ownershipView }
        const assertRows = async (sql: string, rows: unknown[][]) => {
          const found = await all.current.rows(all.current.project('tiny'), sql, point)
          assert.deepEqual(
            found.map(row => Object.values(row).map(rounded)),
            rows.map(row => row.map(rounded)),
          )
        }
        const { shares, co2, species, risk } = expected
        await assertRows('SELECT DISTINCT entity_key, share FROM risk_rows ORDER BY entity_key', Object.entries(shares))
        await assertRows('SELECT biome, net, gross, sites FROM fold_pressures ORDER BY biome NULLS LAST', co2)
        await assertRows('SELECT value FROM dash_ipbes WHERE value IS NOT NULL', [[species]])
        await assertRows('SELECT sites, max_score, mean_score, net_mean_score, high_sites FROM fold_risks', [risk])
        await assertRows(
          'SELECT entity_key, max_rating, score, data_points FROM fold_dependencies ORDER BY entity_key',
          Object.keys(shares).map(entity => (entity === 'leaf' ? [entity, 5, 5 + 0.99 / 2, 2] : [entity, 4, 4.99, 1])),
        )
      })
  })

  describe('the figures of the real data', () => {
    if (realData === null) return void it.skip('are not installed')
    const views = groupBy(readTable(realData, 'expected'), row => `${row.get('project_key')} ${row.get('entity_key')}`)
    for (const [title, rows] of views)
      for (const view of VIEWS)
        it(`expected.csv: ${title}, ${view}`, async () => {
          const [first] = rows as [Cells]
          const worked = workedOut(text(first, 'project_key'))
          const figures = await readFigures(all.current, worked, { entity: text(first, 'entity_key'), view })
          for (const row of rows) {
            const name = figureName(text(row, 'relation'), row.get('key') ?? null)
            const { value, gross } = figures.get(name) ?? {}
            assert.ok(alike(value, amount(row, view)), `${name} is ${value}, not ${row.get(view)}`)
            assert.ok(gross === undefined || alike(gross, amount(row, 'gross')), `${name} at 100 % is ${gross}`)
            figures.delete(name)
          }
          // expected.csv omits a driver if the view has no pressure of it.
          for (const [name, { value }] of figures) assert.equal(value, null, `expected.csv has no ${name}`)
        })

    for (const row of readmeTable(realData, 'pressure rows'))
      it(`README.md: the numbers of rows of ${row.get('project')}`, async () => {
        const worked = workedOut(row.get('project') ?? '')
        const counts = new Map(await countRows(all.current, worked, { entity: worked.ownership.root, view: 'net' }))
        const [entities] = await all.current.rows(
          worked.project,
          'SELECT count(DISTINCT entity_key) AS n FROM fold_dependencies',
        )
        counts.set('entities in it', entities?.n).set('pressure rows', worked.pressures.length)
        for (const [column, count] of counts)
          assert.equal(count, Number(row.get(column)?.replaceAll(',', '')), `${column}`)
      })
  })
})

/** Figures without the digits that the order of a sum decides. */
function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(9)) : value
}

/** The root, and the entity below it from which the most shares are other than 1. */
function viewpoints({ ownership, activities }: Worked): Viewpoint[] {
  const partial = [...ownership.ids.keys()].map(entity => {
    const shares = entity === ownership.root ? [] : [...sharesBelow(ownership, entity).values()]
    return { entity, shares: shares.filter(share => share !== 1).length }
  })
  const subtree = partial.reduce((best, next) => (next.shares >= best.shares ? next : best)).entity
  if (activities.length > MANY) {
    return [
      { entity: ownership.root, view: 'net' },
      { entity: subtree, view: 'gross' },
    ]
  }
  return [ownership.root, subtree].flatMap(entity => VIEWS.map(view => ({ entity, view })))
}
