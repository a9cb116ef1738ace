import assert from 'node:assert/strict'
import { defineCatalogue, defineFold, defineTable } from 'foldgate'
import { closure, Planner } from '#lib/duckdb/plan.js'

const DEPTH = 60

describe('the plan of a build', () => {
  it('visits each relation once, however many paths lead to it', () => {
    const folds = Array.from({ length: DEPTH }, (_, at) =>
      ['a', 'b'].map(side =>
        defineFold({
          name: `${side}${at}`,
          about: 'One row.',
          reads: at === 0 ? ['entities'] : [`a${at - 1}`, `b${at - 1}`],
          sql: `SELECT '${side}' AS side`,
        }),
      ),
    )
    const catalogue = defineCatalogue({
      hierarchy: { table: 'entities', key: 'key', parent: 'parent', id: 'id', share: 'share' },
      relations: [defineTable({ name: 'entities' }), ...folds.flat()],
    })
    const manifest = { tables: [{ name: 'entities', file: 'entities.parquet', sha256: 'x', columns: [] }], rootId: 'r' }
    const planner = new Planner(catalogue, { snapshot: { manifest }, entityId: null, ownershipView: 'net' } as never)
    // The number of paths doubles with each level, so a visit per path would never end.
    const steps = [...closure([planner.plan(`a${DEPTH - 1}`)]).values()].map(({ name }) => name)
    assert.equal(steps.length, 2 * DEPTH) // plus the table, minus the unread fold of the last level
    for (const [at, name] of steps.entries())
      for (const read of planner.plan(name).reads)
        assert.ok(steps.indexOf(read.name) < at, `${read.name} after ${name}`)
  })

  it('shares between snapshots what is the same in them, but no fold that reads the clock', () => {
    const fold = (name: string, sql: string, reads = ['orders']) => defineFold({ name, about: 'Orders.', reads, sql })
    const clocks = {
      late: 'SELECT * FROM orders WHERE due < today()',
      soon: 'SELECT * FROM orders WHERE due < Current_Date + 7',
      quoted: 'SELECT id, "age" (due) AS old FROM orders',
    }
    const same = { all: 'SELECT * FROM orders', told: 'SELECT age, now, known() FROM orders' }
    const relations = [
      defineTable({ name: 'orders' }),
      ...Object.entries({ ...clocks, ...same }).map(([name, sql]) => fold(name, sql)),
      fold('of_late', 'SELECT count(*) AS n FROM late', ['late']),
    ]
    const catalogue = defineCatalogue({ relations })
    const manifest = { tables: [{ name: 'orders', file: 'orders.parquet', sha256: 'x', columns: [] }] }
    const [one, other] = ['1', '2'].map(
      snapshotId => new Planner(catalogue, { snapshot: { snapshotId, manifest } } as never),
    )
    const shared = relations.filter(({ name }) => one?.plan(name).alias === other?.plan(name).alias)
    assert.deepEqual(
      shared.map(({ name }) => name),
      ['orders', ...Object.keys(same)],
    )
  })
})
