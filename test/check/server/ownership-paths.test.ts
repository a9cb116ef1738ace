import assert from 'node:assert/strict'
import catalogue from '#assessed/catalogue.js'
import { assessed, MADE_UP } from '../../server/data/assessed.js'
import { alike } from '../../server/data/differences.js'
import { TINY_ENTITIES } from '../../server/data/tiny.js'
import { PROJECT, startService } from '../../service/service.js'

/** What each entity of the tiny project holds, by hand: half 0.5, joint 0.5 x 0.4 + 0.3, leaf 0.5 x 0.5. */
const TINY: Record<string, [ancestor: string, entity: string, depth: number, share: number][]> = {
  group: [
    ['group', 'group', 0, 1],
    ['group', 'half', 1, 0.5],
    ['group', 'joint', 1, 0.5],
    ['group', 'shell', 1, 1],
    ['group', 'idle', 2, 0],
    ['group', 'leaf', 2, 0.25],
  ],
  half: [
    ['half', 'half', 0, 1],
    ['half', 'joint', 1, 0.4],
    ['half', 'leaf', 2, 0.2],
  ],
  joint: [
    ['joint', 'joint', 0, 1],
    ['joint', 'leaf', 1, 0.5],
  ],
  leaf: [['leaf', 'leaf', 0, 1]],
  shell: [
    ['shell', 'shell', 0, 1],
    ['shell', 'idle', 1, 0],
  ],
  idle: [['idle', 'idle', 0, 1]],
}
/** The entities in view from each, in the order of keys. */
const IN_VIEW: Record<string, string[]> = {
  group: ['group', 'half', 'idle', 'joint', 'leaf', 'shell'],
  half: ['half', 'joint', 'leaf'],
  shell: ['idle', 'shell'],
}
const DEEP = 5_000

describe('the paths of ownership', () => {
  const all = assessed()

  for (const [entity, inView] of Object.entries(IN_VIEW))
    for (const ownershipView of ['net', 'gross'] as const)
      it(`of a tiny project are as computed by hand, from ${entity}, ${ownershipView}`, async () => {
        const entityId = TINY_ENTITIES[entity as keyof typeof TINY_ENTITIES]
        const sql = 'SELECT * FROM ownership_paths ORDER BY ancestor_key, depth, entity_key'
        const rows = await all.current.rows(all.current.project('tiny'), sql, { entityId, ownershipView })
        const expected = inView.flatMap(ancestor => TINY[ancestor] ?? [])
        assert.deepEqual(
          rows.map(row => Object.values(row)),
          expected,
        )
      })

  it('compare subsidiaries with the figures that each has when a query looks from it', async () => {
    const project = all.current.project(MADE_UP[0] as string)
    const compared = await all.current.rows(
      project,
      `SELECT e.entity_id, r.pressure_indicator, r.unit, r.scope, sum(r.value * o.share) AS net, sum(r.value) AS gross
       FROM ownership_paths o JOIN fold_entities e ON e.entity_key = o.ancestor_key
       JOIN pressure_rows r ON r.entity_key = o.entity_key
       WHERE e.kind IN ('country', 'company') GROUP BY ALL ORDER BY ALL`,
    )
    const entities = [...new Set(compared.map(row => String(row.entity_id)))]
    assert.ok(entities.length > 5)
    for (const entityId of entities) {
      const own = await all.current.rows(
        project,
        `SELECT pressure_indicator, unit, scope, sum(net) AS net, sum(gross) AS gross
         FROM fold_pressures GROUP BY ALL ORDER BY ALL`,
        { entityId },
      )
      const found = compared.filter(row => row.entity_id === entityId)
      assert.equal(found.length, own.length)
      for (const [at, { net, gross, ...row }] of own.entries()) {
        const { net: netThere, gross: grossThere, entity_id: _, ...there } = found[at] ?? {}
        assert.deepEqual(there, row)
        assert.ok(
          alike(netThere, net) && alike(grossThere, gross),
          `${entityId} ${JSON.stringify([found[at], net, gross])}`,
        )
      }
    }
  })

  it('have the shares of the point of view', async () => {
    for (const key of MADE_UP) {
      const differing = await all.current.rows(
        all.current.project(key),
        `SELECT v.entity_key FROM point_of_view v
         FULL JOIN (SELECT * FROM ownership_paths WHERE ancestor_key IN (
           SELECT entity_key FROM ownership_paths GROUP BY entity_key HAVING max(depth) = 0)) o
         ON o.entity_key = v.entity_key WHERE (abs(o.share - v.share) < 1e-12) IS NOT TRUE`,
      )
      assert.deepEqual(differing, [])
    }
  })

  it('of a chain of thousands of entities list the ancestors near the one that the query looks from', async () => {
    const service = await startService({ catalogue, files: chainOf(DEEP) })
    try {
      const ask = async (entity: number) => {
        const sql = `SELECT count(*) AS n, count(DISTINCT ancestor_key) AS ancestors, max(depth) AS depth, min(share) AS share
                     FROM ownership_paths`
        const { status, body } = await service.call('projects/query', {
          projectId: PROJECT,
          entityId: idOf(entity),
          sql,
        })
        assert.equal(status, 200, JSON.stringify(body))
        return body.result?.items?.[0]
      }
      // Ancestors are e0 to e20: each has those below it, so all totals by ancestor are complete.
      const n = 21 * DEEP - (20 * 21) / 2
      assert.deepEqual(await ask(0), { n, ancestors: 21, depth: DEEP - 1, share: 1 })
      assert.deepEqual(await ask(DEEP - 3), { n: 6, ancestors: 3, depth: 2, share: 1 })
    } finally {
      await service.close()
    }
  })
})

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A package in which each entity holds the next one as a whole. */
function chainOf(length: number): Record<string, string> {
  const rows = Array.from({ length }, (_, n) => ({
    entity_key: `e${n}`,
    entity_id: idOf(n),
    parent_key: n === 0 ? '' : `e${n - 1}`,
    ownership_share: 1,
  }))
  const files: Record<string, string> = {}
  for (const relation of catalogue.relations.values()) {
    if (relation.kind !== 'table') continue
    const columns = Object.keys(relation.columns ?? {})
    const lines = (relation.name === 'entities' ? rows : []).map(row =>
      columns.map(column => (row as Record<string, unknown>)[column] ?? '').join(','),
    )
    files[`${relation.name}.csv`] = `${[columns.join(','), ...lines].join('\n')}\n`
  }
  return files
}
