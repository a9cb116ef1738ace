import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FailureKind, Statement } from 'foldgate/engine'
import type { LimitOptions } from 'foldgate/internal'
import { rowTooLarge } from 'foldgate/internal'
import { tableFiles } from 'foldgate/sealing'
import { must, mustBe, shown, together } from '#contracts/contract.js'
import { publish } from './assessment.js'
import { type Bench, GRACE_MS, type Run } from './bench.js'
import { mustLeaveNothing } from './files.js'

/** Limits that the checks of this name give their engine, in place of the defaults. */
export const LIMITS_OF: Record<string, LimitOptions> = {
  'refuses a row larger than rowBytes': { rowBytes: 1_000 },
  'ends a page at the limit pageBytes': { pageBytes: 100 },
  'stops a file larger than exportBytes, and leaves nothing behind': { exportBytes: 200 },
  'lets no call wait longer than connectionWaitMs for a connection': { connectionWaitMs: 500 },
}

const LARGE = "SELECT n, CASE WHEN n = 3 THEN rpad('x', 2000, 'x') END AS filler FROM readings ORDER BY n"
export const FAILING = 'SELECT CAST(label AS INTEGER) AS number FROM samples'
const HEALTHY = 'SELECT max(n) AS n FROM readings'
/** Runs for minutes on any machine. */
export const SLOW =
  'SELECT sum(sin(a.n * b.n + c.n)) AS total FROM readings a CROSS JOIN readings b CROSS JOIN readings c'
const TIMEOUT_MS = 700

/** Kinds that callers see as UNAVAILABLE. */
const UNAVAILABLE: FailureKind[] = ['no-connection', 'building', 'unbuilt', 'view', 'snapshot', 'disk', 'killed']
/** Kinds of failure of work that the end of the engine ends. */
const ENDED: FailureKind[] = ['cancelled', 'disk', 'no-connection']

export const RUNNING = {
  async 'refuses a row larger than rowBytes'(bench: Bench) {
    const read = async (offset: number, limit: number) => (await bench.rows(LARGE, { offset, limit })).map(({ n }) => n)
    mustBe('rows() up to a large row', await read(0, 10), [0, 1, 2])
    const large = bench.page(LARGE, { offset: 3 })
    const { message } = await bench.failure('rows() that begin with a large row', large, 'row-bytes')
    mustBe('the message of a failure of the kind row-bytes', message, rowTooLarge(3, 1_000))
    mustBe('rows() after a large row', await read(4, 2), [4, 5])
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
      const did = `export() to ${format} beyond exportBytes`
      const stopped = () => bench.failure(did, bench.export(LARGE, format), 'file-bytes')
      await mustLeaveNothing(did, path.replace(/[^.]*$/, format), stopped)
    }
  },

  async 'says why a statement fails on its rows'(bench: Bench) {
    for (const [verb, start] of verbs(bench, FAILING)) {
      const { message } = await bench.failure(`${verb} of ${shown(FAILING)}`, start(), 'query')
      must(
        /plain|label/.test(message),
        `${verb} failed with the message ${shown(message)}`,
        'name the value that is wrong',
      )
    }
    await mustBeHealthy(bench, 'after others failed')
  },

  async 'ends a statement at its time limit'(bench: Bench) {
    await bench.rows(HEALTHY) // what must be made first does not count
    for (const [verb, start] of verbs(bench, SLOW, { timeoutMs: TIMEOUT_MS })) {
      const did = `${verb} with a time limit of ${TIMEOUT_MS} ms`
      const ms = await timed(bench.failure(did, start(), 'timeout'))
      must(ms > TIMEOUT_MS - 50, `${did} ended after ${ms} ms`, 'give the statement its time')
      must(ms < TIMEOUT_MS + GRACE_MS, `${did} ended after ${ms} ms`, `end within ${GRACE_MS} ms of it`)
    }
    await mustBeHealthy(bench, 'after others timed out')
  },

  async 'ends a statement whose caller has left, and goes on'(bench: Bench) {
    await bench.rows(HEALTHY)
    const { path } = await bench.answered('export()', bench.export(HEALTHY, 'parquet'))
    await mustLeaveNothing('export() whose caller has left', path, async () => {
      for (const [verb, start] of verbs(bench, SLOW, { signal: AbortSignal.abort() }))
        await mustEndSoon(bench, `${verb} whose caller had left before`, start(), ['cancelled'])
      for (const [verb, start] of verbs(bench, SLOW)) {
        const leaving = new AbortController()
        const call = start(leaving.signal)
        await mustBegin(bench, call)
        leaving.abort()
        await mustEndSoon(bench, `${verb} whose caller leaves`, call, ['cancelled'])
      }
    })
    await rm(path)
    await mustBeHealthy(bench, 'after callers left')
  },

  async 'lets no call wait longer than connectionWaitMs for a connection'(bench: Bench) {
    await bench.rows(HEALTHY)
    const leaving = new AbortController()
    const count = bench.engine.stats().connections + 2 // one more than `connections` may run
    const calls = Array.from({ length: count }, () => bench.page(SLOW, {}, leaving))
    const did = `one of ${count} slow calls of rows() at once`
    try {
      const ms = await timed(bench.failure(did, Promise.race(calls), 'no-connection'))
      must(ms < 500 + GRACE_MS, `${did} waited ${ms} ms`, 'wait for connectionWaitMs, here 500 ms')
    } finally {
      leaving.abort()
      await Promise.allSettled(calls)
    }
    await mustBeHealthy(bench, 'after others had no connection')
  },

  async 'is unavailable for a snapshot that is gone or damaged'(bench: Bench) {
    const [gone, damaged] = [await publish(bench.folder, randomUUID(), 8), await publish(bench.folder, randomUUID(), 8)]
    await rm(gone.folder, { recursive: true })
    for (const { file } of damaged.snapshot.manifest.tables.flatMap(tableFiles))
      await writeFile(join(damaged.folder, file), 'PAR1 PAR1')
    const unread = (what: string, { snapshot }: typeof gone) =>
      bench.failure(`rows() of a snapshot that is ${what}`, bench.page(HEALTHY, {}, { snapshot }), ...UNAVAILABLE)
    await unread('gone', gone)
    const before = bench.events.length
    await unread('damaged', damaged)
    const isTold = bench.events.slice(before).some(event => 'cause' in event && event.cause !== undefined)
    must(isTold, 'rows() of a damaged snapshot reported nothing to the host', 'report an event with the cause')
    await mustBeHealthy(bench, 'of a snapshot that is there')
  },

  async 'reports its load'(bench: Bench) {
    const { workers, guard = true } = await bench.answered('answering()', bench.engine.answering(5_000))
    must(workers > 0 && guard, `answering() answered ${workers} workers`, 'answer those that do')
    const leaving = new AbortController()
    const slow = bench.page(SLOW, {}, leaving)
    await mustBegin(bench, slow)
    leaving.abort()
    await bench.failure('rows() whose caller left', slow, 'cancelled')
    await bench.until(() => bench.engine.stats().busy === 0, 'stats() stayed busy', 'count what runs, and nothing else')
  },

  async 'ends what runs when it is closed, and takes no more'(bench: Bench) {
    await bench.rows(HEALTHY)
    const checked = await bench.accepted(HEALTHY)
    // Checked before, since a build behind the rows above may be what makes the engine busy.
    const running = bench.page(await bench.accepted(SLOW))
    await mustBegin(bench, running)
    const { pids = [] } = bench.engine.stats()
    await together([bench.close(), bench.close()])
    await mustEndSoon(bench, 'rows() while it closes', running, ENDED)
    for (const [verb, start] of verbs(bench, checked))
      await bench.failure(`${verb} of a closed engine`, start(), ...ENDED)
    await bench.answered('ready() of a closed engine', bench.engine.ready())
    await bench.until(() => !pids.some(isAlive), 'close() left processes running', 'end those that it started')
    await bench.close()
  },
}

/** Every verb that runs a statement. */
function verbs(bench: Bench, sql: string | Statement, run: Run = {}) {
  const runOf = (signal?: AbortSignal) => (signal ? { ...run, signal } : run)
  return [
    ['rows()', (signal?: AbortSignal): Promise<unknown> => bench.page(sql, {}, runOf(signal))],
    ['write()', (signal?: AbortSignal): Promise<unknown> => bench.write(sql, {}, runOf(signal))],
    ['export()', (signal?: AbortSignal): Promise<unknown> => bench.export(sql, 'parquet', runOf(signal))],
  ] as const
}

/** Waits until a call runs, which may fail later. */
async function mustBegin(bench: Bench, call: Promise<unknown>): Promise<void> {
  call.catch(() => {})
  await bench.until(() => bench.engine.stats().busy > 0, 'stats() was never busy while a statement ran', 'count it')
}

async function mustEndSoon(bench: Bench, did: string, call: Promise<unknown>, kinds: FailureKind[]): Promise<void> {
  const ms = await timed(bench.failure(did, call, ...kinds))
  must(ms < GRACE_MS, `${did} ended after ${ms} ms`, `end within ${GRACE_MS} ms`)
}

function mustBeHealthy(bench: Bench, when: string): Promise<void> {
  return bench.mustGive(HEALTHY, [{ n: 2_999 }], {}, ` ${when}`)
}

async function timed(work: Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work
  return Math.round(performance.now() - since)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
