import assert from 'node:assert/strict'
import { defineCatalogue, defineTable } from 'foldgate'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

/** Orders whose state may be wrong: the snapshot then has a warning. */
const catalogue = defineCatalogue({
  relations: [
    defineTable({
      name: 'orders',
      columns: { order_id: 'BIGINT', state: 'VARCHAR' },
      values: { state: ['open', 'paid'] },
      warnings: ['state'],
    }),
    defineTable({ name: 'customers', columns: { customer_id: 'BIGINT' } }),
  ],
})
const CUSTOMERS = { 'customers.csv': 'customer_id\n1\n' }
const GOOD = { 'orders.csv': 'order_id,state\n1,open\n', ...CUSTOMERS }
const DOUBTFUL = { 'orders.csv': 'order_id,state\n1,open\n2,lost\n', ...CUSTOMERS }

describe('what projects/describe tells of a snapshot and a project when it is asked', () => {
  let service: Service
  let [good, doubtful]: string[] = []
  before(async () => {
    service = await startService({ catalogue, files: GOOD })
    good = (await service.snapshots.list(PROJECT, new AbortController().signal))[0]
    doubtful = await service.seal(PROJECT, DOUBTFUL)
  })
  after(() => service.close())

  const describing = async (params: object, key?: string) => {
    const { status, body } = await service.call('projects/describe', { projectId: PROJECT, ...params }, key)
    assert.equal(status, 200)
    return body.result as { warnings?: unknown[]; dialect?: string; relations: unknown[] }
  }

  it('is the warnings with which the snapshot was sealed that is described', async () => {
    const [manifest] = await service.snapshots.manifests(PROJECT)
    assert.equal(manifest?.warnings?.length, 1)
    for (const [snapshot, warnings] of [
      [undefined, manifest.warnings],
      [doubtful, manifest.warnings],
      [good, []],
    ])
      assert.deepEqual((await describing({ snapshot, include: ['warnings'] })).warnings, warnings)
  })

  it('is the name of the SQL that the project speaks', async () => {
    assert.equal((await describing({ include: ['dialect'] })).dialect, 'DuckDB')
  })

  it('is nothing of both unless it is asked', async () => {
    assert.deepEqual(Object.keys(await describing({})), ['relations', 'examples'])
    assert.deepEqual(Object.keys(await describing({ include: ['dialect'] })), ['relations', 'examples', 'dialect'])
  })

  it('leaves out warnings of tables that the key cannot read', async () => {
    const caller = service.host.callers.get(KEYS.north)
    assert.ok(caller)
    for (const [relation, count] of [
      ['orders', 1],
      ['customers', 0],
    ] as const) {
      service.host.callers.set('limited', { ...caller, only: { relations: [relation] } })
      assert.equal((await describing({ include: ['warnings'] }, 'limited')).warnings?.length, count)
    }
  })
})
