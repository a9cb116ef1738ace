import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ServiceStats } from 'foldgate'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

/** Runs for hours, but can be interrupted. */
const ENDLESS = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'
const GIVE_UP_AFTER_MS = 10_000

describe('a service reports', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: { connections: 2 } })
  })
  after(() => service.close())

  const query = (sql: string, params: object = {}) =>
    service.call('projects/query', { projectId: PROJECT, sql, ...params })

  async function until(holds: (stats: ServiceStats) => boolean): Promise<ServiceStats> {
    for (const end = performance.now() + GIVE_UP_AFTER_MS; performance.now() < end; ) {
      const stats = service.api.stats()
      if (holds(stats)) return stats
      await setImmediate()
    }
    const last = service.events.slice(-8) // tells why a call is not where the test wants it
    return assert.fail(JSON.stringify({ stats: service.api.stats(), last }))
  }

  async function bytesBelow(folder: string, suffix: string): Promise<number> {
    const names = (await readdir(folder, { recursive: true })).filter(name => name.endsWith(suffix))
    const sizes = await Promise.all(names.map(async name => (await stat(join(folder, name))).size))
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  it('only its connections before the first call', () => {
    assert.deepEqual(service.api.stats(), {
      connections: 2,
      ready: 2,
      busy: 0,
      waiting: 0,
      restarts: 0,
      cacheBytes: 0,
      resultBytes: 0,
    })
  })

  it('the disk space of built relations and stored rows', async () => {
    const sql = 'SELECT i FROM range(5000) t(i), amounts ORDER BY i'
    const first = await query(sql, { page: { limit: 10 } })
    const cursor = first.body.result?.nextCursor
    assert.ok(cursor)
    assert.equal((await query(sql, { page: { limit: 10, cursor } })).status, 200)
    const { cacheBytes, resultBytes } = await until(stats => stats.resultBytes > 0 && stats.busy === 0)
    assert.equal(cacheBytes, await bytesBelow(join(service.folder, 'engine', 'cache'), '.duckdb'))
    assert.equal(resultBytes, await bytesBelow(join(service.folder, 'engine', 'results'), '.jsonl'))
    assert.ok(cacheBytes > 0)
  })

  it('how many connections are busy and how many calls wait', async () => {
    const leaving = new AbortController()
    const call = { authorization: `Bearer ${KEYS.north}`, signal: leaving.signal }
    const endless = [1, 2].map(i =>
      service.api.call('projects/query', { projectId: PROJECT, sql: `${ENDLESS} -- ${i}` }, call).catch(() => null),
    )
    await until(({ busy }) => busy === 2)
    const waited = query('SELECT 1 AS waited')
    const { ready } = await until(({ busy, waiting }) => busy === 2 && waiting === 1)
    assert.equal(ready, 2)
    assert.equal((await service.api.health(1)).workers, 2, 'busy workers count')
    leaving.abort()
    assert.deepEqual((await waited).body.result?.items, [{ waited: 1 }])
    await Promise.all(endless)
    await until(({ busy, waiting }) => busy === 0 && waiting === 0)
  })

  it('how many connections have a process that answers, and how many were replaced', async () => {
    const { restarts } = service.api.stats()
    assert.equal((await service.api.health()).workers, 2)
    const [first, ...others] = service.api.pids()
    assert.ok(first && others.length > 0)
    for (const pid of others) {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal)
      process.kill(pid, 'SIGSTOP')
    }
    assert.equal((await service.api.health(200)).workers, 1)
    assert.equal(service.api.stats().ready, 2)
    for (const pid of others) process.kill(pid, 'SIGCONT')
    assert.equal((await service.api.health()).workers, 2)
    process.kill(first, 'SIGKILL')
    assert.ok((await until(stats => stats.restarts > restarts)).restarts === restarts + 1)
    await until(({ ready }) => ready === 2)
  })

  it('no SQL in its events', () => {
    assert.ok(service.events.some(event => event.type === 'call' && event.outcome === 'OK'))
    assert.ok(!JSON.stringify(service.events).includes('SELECT'))
  })
})

describe('the events of calls', () => {
  it('include downloads, and contain SQL if the host asks for it', async () => {
    const service = await startService({ engine: { connections: 1 }, sqlInEvents: true })
    try {
      const sql = 'SELECT 1 AS one'
      const { body } = await service.call('projects/export', { projectId: PROJECT, sql })
      const refused = await service.call('projects/query', { projectId: PROJECT, sql: 'DROP TABLE amounts' })
      assert.equal(refused.body.class, 'INVALID_QUERY')
      const file = await fetch(body.result?.url ?? '', { headers: { authorization: `Bearer ${KEYS.north}` } })
      const bytes = (await file.arrayBuffer()).byteLength
      const calls = service.events.filter(event => event.type === 'call')
      assert.deepEqual(
        calls.map(({ method, outcome, keyId, projectId, sql }) => [method, outcome, keyId, projectId, sql]),
        [
          ['projects/export', 'OK', 'k-north', PROJECT, sql],
          ['projects/query', 'INVALID_QUERY', 'k-north', PROJECT, 'DROP TABLE amounts'],
          ['download', 'OK', 'k-north', PROJECT, undefined],
        ],
      )
      assert.deepEqual([calls[2]?.rows, calls[2]?.bytes], [0, bytes])
    } finally {
      await service.close()
    }
  })
})
