import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LimitOptions } from '../../call/limits.js'
import { type EngineFailure, type FailureKind, rowTooLarge } from '../../engine/port.js'
import { tableFiles } from '../../snapshots/manifest.js'
import { must, mustBe, shown, together } from '../contract.js'
import { publish } from './assessment.js'
import { type Bench, GRACE_MS, SLOW, UNAVAILABLE } from './bench.js'
import { mustLeaveNothing } from './files.js'

/** Limits that the checks of this name give their engine, in place of the defaults. */
export const LIMITS_OF: Record<string, LimitOptions> = {
  'refuses a row larger than rowBytes': { rowBytes: 1_000 },
  'ends a page at the limit pageBytes': { pageBytes: 100 },
  'stops a file larger than exportBytes, and leaves nothing behind': { exportBytes: 200 },
  'lets no call wait longer than connectionWaitMs for a connection': { connectionWaitMs: 500 },
}

const LARGE = "SELECT n, CASE WHEN n = 3 THEN rpad('x', 2000, 'x') END AS filler FROM readings ORDER BY n"
const FAILING = 'SELECT CAST(label AS INTEGER) AS number FROM samples'
const HEALTHY = 'SELECT max(n) AS n FROM readings'
const TIMEOUT_MS = 700

export const RUNNING = {
  async 'refuses a row larger than rowBytes'(bench: Bench) {
    const page = await bench.rows(LARGE, { limit: 10 })
    mustBe(
      'rows() up to a large row',
      page.map(({ n }) => n),
      [0, 1, 2],
    )
    const failed = await bench.failure(
      'rows() that begin with a large row',
      bench.page(LARGE, { offset: 3 }),
      'row-bytes',
    )
    mustBe('the text of a failure of the kind row-bytes', failed.message, rowTooLarge(3, 1_000))
    const rest = await bench.rows(LARGE, { offset: 4, limit: 2 })
    mustBe(
      'rows() after a large row',
      rest.map(({ n }) => n),
      [4, 5],
    )
  },

  async 'ends a page at the limit pageBytes'(bench: Bench) {
    const page = await bench.answered('rows()', bench.page('SELECT n FROM readings ORDER BY n'))
    const did = `rows() gave ${page.rows} rows in ${page.json.byteLength} bytes`
    must(page.rows > 1 && page.rows < 20 && page.more, did, 'end a page before limits.pageBytes, here 100')
  },

  async 'stops a file larger than exportBytes, and leaves nothing behind'(bench: Bench) {
    const { path } = await bench.answered('export()', bench.export('SELECT 1 AS a', 'ndjson'))
    await rm(path)
    for (const format of ['ndjson', 'csv', 'parquet'] as const) {
      const like = path.replace(/[^.]*$/, format)
      await mustLeaveNothing(`export() to ${format} that was stopped`, like, () =>
        bench.failure(`export() to ${format} beyond exportBytes`, bench.export(LARGE, format), 'file-bytes'),
      )
    }
  },

  async 'tells why a statement fails on its rows'(bench: Bench) {
    const runs = { rows: bench.page(FAILING), write: bench.write(FAILING), export: bench.export(FAILING, 'parquet') }
    for (const [verb, run] of Object.entries(runs)) run.catch(() => verb)
    for (const [verb, run] of Object.entries(runs)) {
      const { message } = await bench.failure(`${verb}() of ${shown(FAILING)}`, run, 'query')
      must(
        /plain|label/.test(message),
        `${verb}() failed with the text ${shown(message)}`,
        'tell the value that is wrong',
      )
    }
    await bench.mustGive(HEALTHY, [{ n: 2_999 }], {}, ' after others failed')
  },

  async 'ends a statement at its time limit'(bench: Bench) {
    await bench.rows(HEALTHY) // what must be made first does not count
    const run = { timeoutMs: TIMEOUT_MS }
    for (const [verb, start] of verbs(bench, run)) {
      const did = `${verb} with a time limit of ${TIMEOUT_MS} ms`
      const [, ms] = await timed(bench.failure(did, start(), 'timeout'))
      must(ms > TIMEOUT_MS - 50, `${did} ended after ${ms} ms`, 'give the statement its time')
      must(ms < TIMEOUT_MS + GRACE_MS, `${did} ended after ${ms} ms`, `end within ${GRACE_MS} ms of it`)
    }
    await bench.mustGive(HEALTHY, [{ n: 2_999 }], {}, ' after others timed out')
  },

  async 'ends a statement whose caller has left, and goes on'(bench: Bench) {
    await bench.rows(HEALTHY)
    const { path } = await bench.answered('export()', bench.export(HEALTHY, 'parquet'))
    await mustLeaveNothing('export() whose caller has left', path, async () => {
      for (const [verb, start] of verbs(bench, { signal: AbortSignal.abort() })) {
        const did = `${verb} whose caller had left before`
        await mustEndSoon(did, bench.failure(did, start(), 'cancelled'))
      }
      for (const [verb, start] of verbs(bench, {})) {
        const leaving = new AbortController()
        const did = `${verb} whose caller leaves`
        const failing = bench.failure(did, start(leaving.signal), 'cancelled')
        failing.catch(() => {})
        await mustBeBusy(bench)
        leaving.abort()
        await mustEndSoon(did, failing)
      }
    })
    await rm(path)
    await bench.mustGive(HEALTHY, [{ n: 2_999 }], {}, ' after callers left')
  },

  async 'lets no call wait longer than connectionWaitMs for a connection'(bench: Bench) {
    await bench.rows(HEALTHY)
    const leaving = new AbortController()
    // One more than `connections` may run.
    const calls = Array.from({ length: bench.engine.stats().connections + 2 }, () =>
      bench.page(SLOW, {}, { signal: leaving.signal }),
    )
    const did = `one of ${calls.length} slow calls of rows() at once`
    try {
      const first = Promise.race(calls)
      const [, ms] = await timed(bench.failure(did, first, 'no-connection'))
      must(ms < 500 + GRACE_MS, `${did} waited ${ms} ms`, 'wait for connectionWaitMs, here 500 ms')
    } finally {
      leaving.abort()
      await Promise.allSettled(calls)
    }
    await bench.mustGive(HEALTHY, [{ n: 2_999 }], {}, ' after others had no connection')
  },

  async 'is unavailable for a snapshot that is gone or damaged'(bench: Bench) {
    const gone = await publish(bench.folder, randomUUID(), 8)
    await rm(gone.folder, { recursive: true })
    const damaged = await publish(bench.folder, randomUUID(), 8)
    for (const { file } of damaged.snapshot.manifest.tables.flatMap(tableFiles))
      await writeFile(join(damaged.folder, file), 'PAR1 PAR1')
    for (const [what, { snapshot }] of Object.entries({ gone, damaged })) {
      const events = bench.events.length
      await bench.failure(`rows() of a snapshot that is ${what}`, bench.page(HEALTHY, {}, { snapshot }), ...UNAVAILABLE)
      const isTold = bench.events.slice(events).some(event => 'cause' in event && event.cause !== undefined)
      must(
        isTold || what === 'gone',
        'rows() of a damaged snapshot told the host nothing',
        'report an event with the cause',
      )
    }
    await bench.mustGive(HEALTHY, [{ n: 2_999 }], {}, ' of a snapshot that is there')
  },

  async 'tells its load'(bench: Bench) {
    await bench.rows(HEALTHY)
    const load = bench.engine.stats()
    const { connections, busy, waiting, pids = [] } = load
    const areWhole = [connections, busy, waiting, ...pids].every(each => Number.isSafeInteger(each) && each >= 0)
    must(areWhole && connections > 0, `stats() answered ${shown(load)}`, 'answer whole numbers')
    const { workers, guard = true } = await bench.answered('answering()', bench.engine.answering(5_000))
    must(
      Number.isSafeInteger(workers) && workers > 0,
      `answering() answered ${workers} workers`,
      'answer those that do',
    )
    mustBe('guard of answering()', guard, true)
    const leaving = new AbortController()
    const slow = bench.page(SLOW, {}, { signal: leaving.signal })
    slow.catch(() => {})
    await mustBeBusy(bench)
    leaving.abort()
    await bench.failure('rows() whose caller left', slow, 'cancelled')
    await bench.until(() => bench.engine.stats().busy === 0, 'stats() stayed busy', 'count what runs, and nothing else')
  },

  async 'ends what runs when it is closed, and takes no more'(bench: Bench) {
    await bench.rows(HEALTHY)
    const [point, work] = bench.prepared({})
    const checked = await bench.check(HEALTHY)
    const running = bench.page(SLOW)
    running.catch(() => {})
    await mustBeBusy(bench)
    const { pids = [] } = bench.engine.stats()
    await together([bench.close(), bench.close()])
    await mustEndSoon('rows() while the engine closes', bench.failure('rows() while it closes', running, ...ENDED))
    const late = {
      'rows()': bench.engine.rows(point, checked, { offset: 0, limit: 1 }, work),
      'write()': bench.engine.write(point, checked, { offset: 0, limit: 1 }, work),
      'export()': bench.engine.export(point, checked, work, { format: 'csv', escapesFormulas: false }),
    }
    for (const call of Object.values(late)) call.catch(() => {})
    for (const [verb, call] of Object.entries(late)) await bench.failure(`${verb} of a closed engine`, call, ...ENDED)
    await bench.answered('ready() of a closed engine', bench.engine.ready())
    await bench.until(() => !pids.some(isAlive), 'close() left processes running', 'end those that it started')
    await bench.close()
  },
}

/** Kinds of failure of work that the end of the engine ends. */
const ENDED: FailureKind[] = ['cancelled', 'disk', 'no-connection']

/** Slow work of every verb that runs a statement. */
function verbs(bench: Bench, run: { timeoutMs?: number; signal?: AbortSignal }) {
  const ran = (signal?: AbortSignal) => (signal ? { ...run, signal } : run)
  return [
    ['rows()', (signal?: AbortSignal) => bench.page(SLOW, {}, ran(signal))],
    ['write()', (signal?: AbortSignal) => bench.write(SLOW, {}, ran(signal))],
    ['export()', (signal?: AbortSignal) => bench.export(SLOW, 'parquet', ran(signal))],
  ] as const
}

async function timed<Value>(work: Promise<Value>): Promise<[Value, ms: number]> {
  const since = performance.now()
  const value = await work
  return [value, Math.round(performance.now() - since)]
}

async function mustEndSoon(did: string, failing: Promise<EngineFailure | EngineFailure[]>): Promise<void> {
  const [, ms] = await timed(failing)
  must(ms < GRACE_MS, `${did} ended after ${ms} ms`, `end within ${GRACE_MS} ms`)
}

function mustBeBusy(bench: Bench): Promise<void> {
  return bench.until(() => bench.engine.stats().busy > 0, 'stats() was never busy while a statement ran', 'count it')
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
