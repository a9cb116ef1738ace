import assert from 'node:assert/strict'
import { AnalyticsClientError, createClient } from 'foldgate/client'
import { ownProject } from '../../conformance/entry/world.js'
import { type Service, sharedService } from '../../service/service.js'
import { VENDOR } from '../../service/vendors.js'
import { type Front, startFront, TRANSPORTS } from './front.js'

const { single, files } = VENDOR
const { signal } = new AbortController()

describe('the client reads a snapshot that its params name', () => {
  let service: Service
  let front: Front
  before(async () => {
    service = await sharedService()
    front = await startFront(service.api)
  })
  after(() => front.close())

  for (const [name, transport] of Object.entries(TRANSPORTS))
    it(`over ${name}, through all pages, until it is removed`, async () => {
      const { projectId, key } = ownProject(service)
      for (const value of [6, 7]) await service.seal(projectId, { ...files, ...single.files(value) })
      const client = createClient({ ...front.options, key, transport })
      const { snapshots = [] } = await client.describe({ projectId, include: ['snapshots'] })
      assert.deepEqual(
        snapshots.map(({ snapshot }) => snapshot),
        await service.snapshots.list(projectId, signal),
      )
      const [newest, oldest] = snapshots.map(({ snapshot }) => snapshot)
      const valueIn = async (snapshot?: string) =>
        (await client.query({ projectId, sql: single.sql, ...(snapshot ? { snapshot } : {}) })).items[0]?.[
          single.column
        ]
      assert.deepEqual([await valueIn(), await valueIn(newest), await valueIn(oldest)], [7, 7, 6])
      const params = { projectId, sql: 'SELECT i FROM range(6) t(i) ORDER BY i', snapshot: newest ?? '' }
      const reading = client.rows({ ...params, page: { limit: 2 } })
      assert.deepEqual((await reading.next()).value, { i: 0 })
      await service.seal(projectId)
      const rest: unknown[] = []
      for await (const { i } of reading) rest.push(i)
      assert.deepEqual(rest, [1, 2, 3, 4, 5])
      const later = client.rows({ ...params, page: { limit: 2 } })
      await later.next()
      await service.snapshots.prune(projectId, 1)
      await later.next()
      await assert.rejects(later.next(), (error: Error) => {
        assert.ok(error instanceof AnalyticsClientError)
        assert.deepEqual([error.class, error.data, error.attempts], ['INVALID_PARAMS', { path: 'snapshot' }, 1])
        return true
      })
      client.close()
    })
})
