import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnalyticsEvent } from 'foldgate'
import { PROJECT, type Service, startService } from '../service/service.js'
import { until } from '../until.js'
import { endAtWork } from './at-work.js'

/** Runs for hours, but can be interrupted. Each statement is unique, since identical calls would run once. */
const ENDLESS = () => `SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0 -- ${++asked}`
/** Runs for a second or two. */
const LONG = () => `SELECT count(*) AS n FROM range(200000000) t(i) WHERE hash(i) <> ${++asked} -- long`
const ROWS = 200_000_000
const LIMIT_BYTES = 1024 ** 3
let asked = 0

type Replaced = Extract<AnalyticsEvent, { what: 'replaced' }>

describe('a statement whose process is killed', () => {
  let service: Service
  before(async function () {
    if (process.platform !== 'linux') return this.skip()
    service = await startService({
      engine: { connections: 1, memoryLimitBytes: LIMIT_BYTES },
      limits: { queryTimeoutMs: 6_000 },
    })
  })
  beforeEach(() => void service.events.splice(0))
  after(() => service?.close())

  const ask = (sql: string, method = 'query') => service.call(`projects/${method}`, { projectId: PROJECT, sql })

  const endBusy = (signal: NodeJS.Signals) => endAtWork(() => service.api.pids(), signal)

  /** The events of processes that were replaced, once there are as many. */
  const replaced = (count: number) =>
    until(() => {
      const found = service.events.filter(event => event.type === 'engine' && event.what === 'replaced') as Replaced[]
      return found.length >= count && found
    }, `${count} processes are replaced`)

  it('is answered by another one, and the host is told what happened', async () => {
    const answer = ask(LONG())
    await endBusy('SIGKILL')
    const { status, body } = await answer
    assert.deepEqual([status, body.result?.items], [200, [{ n: ROWS }]], body.message)
    const [{ reason, heldBytes, limitBytes }] = (await replaced(1)) as [Replaced]
    assert.deepEqual([reason, limitBytes], ['killed', LIMIT_BYTES])
    assert.ok(heldBytes > 1024 ** 2 && heldBytes < LIMIT_BYTES / 2, `${heldBytes}`)
    const died = service.events.find(event => event.type === 'engine' && event.what === 'died')
    assert.equal(died && 'detail' in died && died.detail, 'it was killed from outside by SIGKILL')
  })

  it('is exported by another one', async () => {
    const answer = ask(LONG(), 'export')
    await endBusy('SIGHUP')
    const { status, body } = await answer
    assert.deepEqual([status, body.result?.rows], [200, 1], body.message)
    const left = await readdir(join(service.folder, 'engine'), { recursive: true })
    assert.deepEqual(
      left.filter(name => name.endsWith('.parquet')),
      [],
    )
  })

  for (const method of ['query', 'export'])
    it(`makes the call UNAVAILABLE when the second one is killed too: ${method}`, async () => {
      const answer = ask(ENDLESS(), method)
      for (const _ of [1, 2]) await endBusy('SIGKILL')
      const { status, body } = await answer
      assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
      assert.equal(body.message, 'The service cannot run the query now. Try again later.')
      assert.deepEqual(
        (await replaced(2)).map(({ reason }) => reason),
        ['killed', 'killed'],
      )
      assert.equal((await ask(`SELECT 1 -- ${++asked}`)).status, 200)
    })

  it('leaves a page without the total when it only counts the rows', async () => {
    const sql = `SELECT i FROM range(100000000000000) t(i) WHERE hash(i) <> ${++asked}`
    const asking = { projectId: PROJECT, sql, include: ['total'], page: { limit: 2 } }
    const answer = service.call('projects/query', asking)
    for (const _ of [1, 2]) await endBusy('SIGKILL')
    const { status, body } = await answer
    assert.deepEqual([status, body.result?.items], [200, [{ i: 0 }, { i: 1 }]], body.message)
    assert.ok(body.result && !('total' in body.result))
  })

  it('has the time that is left, and is not blamed for what it lacks', async () => {
    const startedAt = performance.now()
    const answer = ask(ENDLESS())
    await endBusy('SIGKILL')
    const { status, body } = await answer
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    const ms = performance.now() - startedAt
    assert.ok(ms > 5_900 && ms < 9_000, `answered after ${ms} ms`)
  })

  it('is not run again after a crash, which may be its own', async () => {
    const answer = ask(LONG())
    await endBusy('SIGABRT')
    const { status, body } = await answer
    assert.deepEqual([status, body.class], [500, 'INTERNAL'])
    assert.equal((await replaced(1))[0]?.reason, 'crash')
  })

  it('is refused when it reaches the memory limit itself, in one process', async () => {
    const { status, body } = await ask("SELECT length(repeat(repeat(repeat('x', 1000), 1000), 2000)) AS n")
    assert.deepEqual([status, body.class], [413, 'QUERY_TOO_LARGE'], body.message)
    assert.deepEqual(
      (await replaced(1)).map(({ reason }) => reason),
      ['memory-limit'],
    )
  })
})
