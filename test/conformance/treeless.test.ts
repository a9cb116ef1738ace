import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { mcpEndpoint } from 'foldgate/mcp'
import { type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'
import { GROUP_VENDOR } from '../service/group.js'
import { KEYS, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'
import { SHOP, shop } from '../service/shop.js'

const SQL = 'SELECT country, sum(revenue) AS revenue FROM paid_orders GROUP BY country ORDER BY revenue DESC'
// GB: 100 GBP at 1.2, minus 20 and 10 GBP; DE: 45 EUR, and 100 EUR that were given back.
const ROWS = [
  { country: 'GB', revenue: 84 },
  { country: 'DE', revenue: 45 },
]
/** Words of catalogues in which entities own each other. */
const FOREIGN = /assess|ownership|\bentit(y|ies)\b|entityId|subtree|point of view|\bnet\b|\bgross\b|nature/i

describe('a catalogue without a tree of ownership', () => {
  let service: Service
  before(async () => {
    service = await startService({ catalogue: shop, files: SHOP, mcp: mcpEndpoint() })
  })
  after(() => service.close())

  const json = async (path: string, init?: RequestInit) =>
    (await (await fetch(service.url + path, init)).json()) as {
      result: { items: object[] }
      warnings?: { path: string }[]
    }
  const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
  const authorization = `Bearer ${KEYS.north}`

  it('is queried, paged, described and exported', async () => {
    const query = (page: object) => service.call('projects/query', { projectId: PROJECT, sql: SQL, page })
    const first = (await query({ limit: 1 })).body.result
    assert.deepEqual(first?.items, ROWS.slice(0, 1))
    const second = await query({ limit: 1, cursor: first?.nextCursor })
    assert.deepEqual(second.body, { result: { items: ROWS.slice(1) } })
    const described = await service.call('projects/describe', { projectId: PROJECT, relation: 'orders' })
    assert.deepEqual(described.body.result?.columns?.at(-1), { name: 'total', type: 'DECIMAL(12,2)' })
    const exported = await service.call('projects/export', { projectId: PROJECT, sql: SQL, format: 'csv' })
    const file = await fetch(exported.body.result?.url ?? '', { headers: { authorization } })
    assert.equal(await file.text(), 'country,revenue\nGB,84.00\nDE,45.00\n')
  })

  it('says nothing of entities in the metadata of exported files', async () => {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql: SQL })
    const file = await fetch(body.result?.url ?? '', { headers: { authorization } })
    const text = Buffer.from(await file.arrayBuffer()).toString('latin1')
    assert.match(text, /foldgate\.snapshot_id/)
    assert.doesNotMatch(text, /foldgate\.(entity_id|ownership_view)/)
  })

  it('reads no entity and no view: each is a field that is not read, on every entry point', async () => {
    const params = { projectId: PROJECT, sql: SQL, entityId: 'no UUID', ownershipView: 5 }
    const paths = (answer: { warnings?: { path: string }[] }) => answer.warnings?.map(({ path }) => path)
    const rest = await service.call('projects/query', params)
    assert.equal(rest.status, 200)
    assert.deepEqual(paths(rest.body), ['entityId', 'ownershipView'])
    const body = JSON.stringify(rpc('projects/query', params))
    const overRpc = await json('/public/v1/json-rpc', { method: 'POST', headers: { authorization }, body })
    assert.deepEqual([overRpc.result.items, paths(overRpc)], [ROWS, ['entityId', 'ownershipView']])
    const inProcess = await service.api.call('projects/query', params as never, { authorization })
    assert.deepEqual([inProcess.result.items, paths(inProcess)], [ROWS, ['entityId', 'ownershipView']])
    const exported = await service.call('projects/export', params)
    assert.deepEqual([exported.status, paths(exported.body)], [200, ['entityId', 'ownershipView']])
  })

  it('tells callers of snapshots, and of nothing that they do not have', async () => {
    for (const document of ['openapi.json', 'openrpc.json', 'description.json'])
      assert.doesNotMatch(JSON.stringify(await json(`/public/v1/${document}`)), FOREIGN, document)
    const headers = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const asks = (method: string, params = {}) =>
      json('/public/v1/mcp', { method: 'POST', headers, body: JSON.stringify(rpc(method, params)) })
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const agents = [await asks('initialize', client), await asks('tools/list'), await asks('resources/list')]
    for (const answer of agents) {
      assert.ok(answer.result)
      assert.doesNotMatch(JSON.stringify(answer), FOREIGN)
    }
    const nothing = service.host.addProject({ projectId: randomUUID() })
    const running = service.host.addProject({ projectId: randomUUID(), running: true })
    const completed = service.host.addProject({ projectId: randomUUID(), completed: true })
    for (const [{ projectId }, retry, message] of [
      [nothing, false, 'No snapshot of the project has been sealed yet.'],
      [running, true, 'A snapshot of the project is being prepared. Retry later.'],
      [completed, false, 'The project has no snapshot that this version can read. A new snapshot has to be sealed.'],
    ] as const) {
      const { body } = await service.call('projects/query', { projectId, sql: SQL })
      assert.deepEqual([body.class, body.message, body.data], ['NOT_READY', message, { retry }])
    }
  })

  it('refuses cursors in its own words', async () => {
    const { body } = await service.call('projects/query', { projectId: OTHER_PROJECT, sql: SQL, page: { limit: 1 } })
    const page = { limit: 1, cursor: body.result?.nextCursor }
    const other = await service.call('projects/query', { projectId: OTHER_PROJECT, sql: `${SQL} LIMIT 9`, page })
    assert.equal(other.body.message, 'The cursor belongs to another query: send the same projectId and sql.')
    await service.seal(OTHER_PROJECT)
    const replaced = await service.call('projects/query', { projectId: OTHER_PROJECT, sql: SQL, page })
    assert.match(replaced.body.message ?? '', /^A new snapshot has replaced the one of this cursor\./)
  })

  it('seals snapshots without root and entities, which verify', async () => {
    const [manifest] = (await service.snapshots.manifests(PROJECT)) as [SnapshotManifest]
    assert.deepEqual(['rootId' in manifest, 'entities' in manifest], [false, false])
    assert.deepEqual(
      snapshotFiles(manifest).map(({ file }) => file.split('-')[0]),
      ['customers', 'products', 'orders', 'order_items', 'refunds', 'events'],
    )
    assert.deepEqual(await service.snapshots.verify(PROJECT, manifest.snapshotId), [])
  })
})

describe('a snapshot without a tree of ownership', () => {
  it('is none that a catalogue with a tree can read', async () => {
    const treeless = await startService({ catalogue: shop, files: SHOP })
    try {
      const folder = join(treeless.folder, 'snapshots')
      const { catalogue, files } = GROUP_VENDOR
      const withTree = await startService({ catalogue, files, snapshots: directorySnapshots(folder) })
      try {
        const { body } = await withTree.call('projects/query', { projectId: PROJECT, sql: 'SELECT 1 AS one' })
        assert.deepEqual(
          [body.class, body.message],
          [
            'NOT_READY',
            'The last assessment of the project left no analytics that this version can read. Launch a new assessment.',
          ],
        )
      } finally {
        await withTree.close()
      }
    } finally {
      await treeless.close()
    }
  })
})
