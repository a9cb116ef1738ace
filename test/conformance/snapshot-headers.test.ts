import assert from 'node:assert/strict'
import { createClient } from 'foldgate/client'
import type { SnapshotManifest } from 'foldgate/sealing'
import { FOREIGN_PROJECT, KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

const APP = 'https://app.example'

describe('the headers of an answer name the snapshot that was read', () => {
  let service: Service
  let newest: SnapshotManifest
  before(async () => {
    service = await startService({ cors: { origins: [APP] } })
    newest = (await service.snapshots.manifests(PROJECT))[0] as SnapshotManifest
  })
  after(() => service.close())

  const sql = `SELECT count(*) AS n FROM ${VENDOR.table.name}`
  const CALLS: [string, object][] = [
    ['projects/describe', { projectId: PROJECT }],
    ['projects/describe', { projectId: PROJECT, relation: VENDOR.table.name }],
    ['projects/query', { projectId: PROJECT, sql }],
    ['projects/query', { projectId: PROJECT, sql: `${sql} WHERE false` }],
    ['projects/export', { projectId: PROJECT, sql }],
  ]
  const SILENT: [string, object][] = [
    ['projects/list', {}],
    ['projects/query', { projectId: PROJECT, sql: 'SELECT nope' }],
    ['projects/query', { projectId: FOREIGN_PROJECT, sql }],
    ['projects/none', {}],
  ]

  async function named(method: string, params: object, at: 'rest' | 'json-rpc') {
    const isRpc = at === 'json-rpc'
    const path = isRpc ? 'json-rpc' : `api/${method}`
    const body = JSON.stringify(isRpc ? { jsonrpc: '2.0', id: 1, method, params } : params)
    const headers = { authorization: `Bearer ${KEYS.north}`, origin: APP }
    const response = await fetch(`${service.url}/public/v1/${path}`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ') ?? []
    return {
      named: ['foldgate-snapshot', 'foldgate-sealed-at'].map(name => response.headers.get(name)),
      exposed: exposed.filter(name => name.startsWith('foldgate-')),
    }
  }

  for (const at of ['rest', 'json-rpc'] as const) {
    it(`of describe, query and export over ${at}`, async () => {
      for (const [method, params] of CALLS)
        assert.deepEqual(
          await named(method, params, at),
          {
            named: [newest.snapshotId, newest.sealedAt],
            exposed: ['foldgate-snapshot', 'foldgate-sealed-at'],
          },
          `${method} ${JSON.stringify(params)}`,
        )
    })

    it(`but not those of lists and failures over ${at}`, async () => {
      for (const [method, params] of SILENT)
        assert.deepEqual(await named(method, params, at), { named: [null, null], exposed: [] }, method)
    })

    it(`and the client returns it over ${at}`, async () => {
      const client = createClient({ url: service.url, key: KEYS.north, transport: at })
      const expected = { snapshotId: newest.snapshotId, sealedAt: newest.sealedAt }
      assert.deepEqual((await client.describe({ projectId: PROJECT })).snapshot, expected)
      assert.deepEqual((await client.query({ projectId: PROJECT, sql })).snapshot, expected)
      assert.deepEqual((await client.export({ projectId: PROJECT, sql })).snapshot, expected)
      assert.equal((await client.list()).snapshot, undefined)
    })
  }

  it('which is another one as soon as a new one is sealed', async () => {
    const before = newest.snapshotId
    const snapshotId = await service.seal(PROJECT)
    const { headers } = await service.call('projects/query', { projectId: PROJECT, sql })
    assert.equal(headers.get('foldgate-snapshot'), snapshotId)
    assert.notEqual(snapshotId, before)
  })
})
