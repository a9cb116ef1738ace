import assert from 'node:assert/strict'
import { memoryQuota } from 'foldgate'
import { TestClock } from '../../service/ports.js'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'

const HOUR_MS = 3_600_000
const SQL = 'SELECT i FROM range(5) t(i) ORDER BY i'

describe('a clock that steps back', () => {
  let service: Service
  before(async () => {
    const clock = new TestClock()
    service = await startService({ quota: memoryQuota({ calls: 20, windowMs: 60_000, clock }), clock })
    service.clock = clock
  })
  after(() => service.close())

  const query = (cursor?: string) =>
    service.call('projects/query', { projectId: PROJECT, sql: SQL, page: { limit: 2, ...(cursor ? { cursor } : {}) } })
  const download = async (url: string) =>
    (await fetch(url, { headers: { authorization: `Bearer ${KEYS.north}` } })).status

  it('ends no cursor, link or quota early, and once it steps forward again everything ends on time', async () => {
    const first = await query()
    const { url = '' } = (await service.call('projects/export', { projectId: PROJECT, sql: SQL })).body.result ?? {}
    service.clock.advance(-2 * HOUR_MS)
    assert.deepEqual((await query(first.body.result?.nextCursor)).body.result?.items, [{ i: 2 }, { i: 3 }])
    assert.equal(await download(url), 200)
    const inThePast = (await service.call('projects/export', { projectId: PROJECT, sql: SQL })).body.result
    assert.equal(await download(inThePast?.url ?? ''), 200)
    service.clock.advance(2 * HOUR_MS)
    assert.equal(await download(url), 200)
    assert.equal(await download(inThePast?.url ?? ''), 410)
    service.clock.advance(HOUR_MS)
    assert.equal(await download(url), 410)
    assert.equal((await query()).status, 200)
  })

  it('blocks a key with a used-up quota for one window at most', async () => {
    for (let call = 0; call < 25; call++) await query()
    assert.equal((await query()).body.class, 'RATE_LIMITED')
    service.clock.advance(-2 * HOUR_MS)
    const retryAfterSeconds = Number((await query()).body.data?.retryAfterSeconds ?? 0)
    assert.ok(retryAfterSeconds <= 60, String(retryAfterSeconds))
    service.clock.advance(61_000)
    assert.equal((await query()).status, 200)
  })
})
