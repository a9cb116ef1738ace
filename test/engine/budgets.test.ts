import assert from 'node:assert/strict'
import { KEYS, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'

/** Runs for hours, but can be interrupted. */
const ENDLESS = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'
/** The same, with rows that would differ from run to run. */
const ENDLESS_RUN = `${ENDLESS} AND random() < 2`
/** Backtracks for hours within one call of the engine, which ignores interrupts. */
const DEAF = "SELECT repeat(repeat('a', 1000), 1000) ILIKE '%a%a%b' AS found"

let asked = 0
/** A statement whose result is not cached. */
const fresh = () => `SELECT 1 AS one -- ${++asked}`

describe('the time budget of a query', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: { connections: 1 }, limits: { queryTimeoutMs: 700, exportTimeoutMs: 700 } })
  })
  after(() => service.close())

  const timed = async (method: string, sql: string) => {
    const startedAt = performance.now()
    const answer = await service.call(method, { projectId: PROJECT, sql })
    return { ...answer, ms: performance.now() - startedAt }
  }

  for (const [name, sql] of [
    ['that can be interrupted', ENDLESS],
    ['that differs from run to run', ENDLESS_RUN],
    ['that ignores interrupts', DEAF],
  ] as const) {
    for (const method of ['projects/query', 'projects/export']) {
      it(`${method}: a statement ${name} is answered at the deadline, and its connection is free soon after`, async () => {
        const { status, body, ms } = await timed(method, sql)
        assert.deepEqual([status, body.code, body.class], [408, 1408, 'QUERY_TIMEOUT'])
        assert.ok(ms >= 700 && ms < 1700, `answered after ${ms} ms`)
        const next = await timed('projects/query', fresh())
        assert.deepEqual(next.body.result?.items, [{ one: 1 }])
        assert.ok(next.ms < 2500, `the next answer took ${next.ms} ms`)
      })
    }
  }
})

describe('the columns of a result', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: { connections: 1 }, limits: { queryTimeoutMs: 5_000 } })
  })
  after(() => service.close())

  it('are counted before the statement runs', async () => {
    const wide = Array.from({ length: 400 }, (_, at) => `${at} AS c${at}`).join(', ')
    const tables = Array.from({ length: 11 }, (_, at) => `w AS w${at}`).join(', ')
    const sql = `WITH w AS (SELECT ${wide}) SELECT * FROM ${tables}, (${ENDLESS}) AS endless(n)`
    const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql })
    assert.deepEqual([status, body.class], [422, 'INVALID_QUERY'], body.message)
    assert.match(body.message ?? '', /4401 columns; at most 4096/)
  })
})

describe('the memory of a connection', () => {
  let service: Service
  before(async () => {
    service = await startService({
      engine: { connections: 1, memoryLimitBytes: 512 * 1024 ** 2, spillBytes: 64 * 1024 ** 2 },
    })
  })
  after(() => service.close())

  for (const [name, sql] of [
    ['that the engine counts', 'SELECT list(i) AS l FROM range(200000000) t(i)'],
    ['that the engine does not count', "SELECT length(repeat(repeat(repeat('x', 1000), 1000), 900)) AS n"],
    [
      'of a spill',
      'SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY md5(i::VARCHAR)) AS n FROM range(30000000) t(i))',
    ],
  ] as const) {
    it(`ends a query with QUERY_TOO_LARGE for memory ${name}, and the next one is answered`, async () => {
      const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql })
      assert.deepEqual([status, body.code, body.class], [413, 1413, 'QUERY_TOO_LARGE'], body.message)
      const next = await service.call('projects/query', { projectId: PROJECT, sql: fresh() })
      assert.deepEqual(next.body.result?.items, [{ one: 1 }])
    }).timeout(60_000)
  }
})

describe('connections', () => {
  let service: Service
  before(async () => {
    service = await startService({
      engine: { connections: 2 },
      limits: { connectionWaitMs: 400, queryTimeoutMs: 8_000 },
    })
  })
  after(() => service.close())

  const query = (sql: string, projectId = PROJECT) => service.call('projects/query', { projectId, sql })

  it('make a call UNAVAILABLE if none is free within the limit', async () => {
    const long = [query(`${ENDLESS} -- 1`), query(`${ENDLESS} -- 2`)]
    await untilBusy()
    const startedAt = performance.now()
    const { status, headers, body } = await query(fresh())
    const ms = performance.now() - startedAt
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    assert.ok(ms >= 390 && ms < 1500, `answered after ${ms} ms`)
    for (const answer of await Promise.all(long)) assert.equal(answer.body.class, 'QUERY_TIMEOUT')
  })

  it('are free at once when their callers leave', async () => {
    const left = [new AbortController(), new AbortController()]
    const calls = left.map(({ signal }, at) =>
      fetch(`${service.url}/public/v1/api/projects/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEYS.north}` },
        body: JSON.stringify({ projectId: PROJECT, sql: `${ENDLESS} -- ${at}` }),
        signal,
      }).catch(() => 'left'),
    )
    await untilBusy()
    for (const controller of left) controller.abort()
    assert.deepEqual(await Promise.all(calls), ['left', 'left'])
    assert.equal((await query(fresh())).status, 200)
  })

  it('are not all kept by one project while another waits', async () => {
    const sql = 'SELECT count(*) AS n FROM range(3000000000) t(i)'
    const held = [query(sql), query(`${sql} -- again`)]
    await untilBusy()
    const other = await query(fresh(), OTHER_PROJECT)
    assert.deepEqual(other.body.result?.items, [{ one: 1 }], other.body.message)
    const [first, second] = (await Promise.all(held)).map(
      answer => answer.body.result?.items?.[0]?.n ?? answer.body.class,
    )
    assert.ok([first, second].includes(3_000_000_000), `${first}, ${second}`)
  })

  it('are replaced when their process is killed while it is idle', async () => {
    for (const pid of service.api.pids()) process.kill(pid, 'SIGKILL')
    await assertAnswers()
  })

  /** Waits until every connection is busy. */
  async function untilBusy(): Promise<void> {
    for (let attempt = 0; attempt < 10; attempt++) {
      if ((await query(fresh())).body.class === 'UNAVAILABLE') return
    }
    assert.fail('a connection stayed free')
  }

  /** Waits until every process is back; until then, a call may be UNAVAILABLE. */
  async function assertAnswers(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const { status, body } = await query(fresh())
      if (status === 200 && service.api.pids().length >= 2) return
      assert.ok(status === 200 || body.class === 'UNAVAILABLE', body.class)
    }
    assert.fail('not every process came back')
  }
})
