import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type Asker, type CheckedStatement, type Guard, openGuard } from '../guard/guard.js'
import type { Column } from '../model.js'
import type { AnalyticsEvent, EngineOptions, Limits } from '../options.js'
import type { Work } from '../work.js'
import { Builder } from './builder.js'
import { RelationCache } from './cache.js'
import { cancelled, EngineFailure } from './failure.js'
import { type Home, openHome } from './home.js'
import type { ExportedFile, Job, RowsPage, View, WrittenChunk } from './jobs.js'
import type { PointOfView } from './plan.js'
import { Pool, type PoolStats } from './pool.js'
import { resolveEngine } from './settings.js'

/** Which rows of a statement's result. */
export interface RowRange {
  offset: number
  limit: number
}

/** Work that is to be done in this time. */
export interface TimedWork extends Work {
  timeoutMs: number
}

/** What the methods know of an engine: a handful of verbs. What they throw is an {@link EngineFailure}. */
export interface Engine {
  /** Check a text: what the guard refuses is an `AnalyticsError` of its own. */
  check(sql: string, asker: Asker): Promise<CheckedStatement>
  /** Columns of a relation, from the snapshot. */
  columns(point: PointOfView, relation: string, work: Work): Promise<Column[]>
  /** Rows of a checked statement, ended early by the size of a page. */
  rows(point: PointOfView, statement: CheckedStatement, range: RowRange, work: TimedWork): Promise<RowsPage>
  /** Rows of a checked statement as lines of JSON in a file, which the caller takes away. */
  write(point: PointOfView, statement: CheckedStatement, range: RowRange, work: TimedWork): Promise<WrittenChunk>
  /** Every row of a checked statement as a Parquet file, which the caller takes away. */
  export(point: PointOfView, statement: CheckedStatement, work: TimedWork): Promise<ExportedFile>
  /** Fulfilled once the first process takes jobs or could not start, with the others on their way. */
  ready(): Promise<void>
  /** Whether the guard says within this time that it is there, or is at work. */
  guardAnswers(withinMs: number): Promise<boolean>
  /** How busy the processes are, and what the built relations take on disk. */
  stats(): PoolStats & { cacheBytes: number }
  /** How many processes say within this time that they are there, or are at work. */
  answering(withinMs: number): Promise<number>
  /** What stored rows may take on disk. */
  readonly resultBytes: number
  /** Process ids, for whoever watches memory. */
  pids(): number[]
  close(): Promise<void>
}

const MAX_VIEW_ATTEMPTS = 3
/** One that turns out larger is thrown away. */
const MAX_CHUNK_BYTES = 512 * 1024 ** 2
const GUARD = new URL('./worker/guard-main.js', import.meta.url)
/** Rows that fit into the memory of a connection, whatever their size within the limit of a row. */
const FEW_ROWS = 8

/** What there is once the folder of the engine could be made. */
interface Rooms {
  home: Home
  pool: Pool
  guard: Guard
  cache: RelationCache
  builder: Builder
  /** The first process takes jobs, or has ended before. */
  started: Promise<unknown>
}

/** Starts DuckDB in processes of its own behind the verbs of {@link Engine}. */
export function openEngine(
  catalogue: Catalogue,
  options: EngineOptions,
  limits: Limits,
  onEvent: (event: AnalyticsEvent) => void,
): Engine {
  const settings = resolveEngine(options)
  const folder = resolve(options.folder)
  const down = (port: string) => (cause: unknown) => onEvent({ type: 'dependency', port, cause })
  let isClosed = false
  let opened: Rooms | null = null
  let opening: Promise<Rooms> | null = null

  async function openRooms(home: Home): Promise<Rooms> {
    const cache = await RelationCache.open(home.cache, settings.cacheBytes, down('cache'))
    const relations = catalogue.summaries.map(relation => relation.name)
    const waitMs = limits.connectionWaitMs
    const pool = new Pool(settings, settings, home.scratch, (what, detail) => onEvent({ type: 'engine', what, detail }))
    const guard = openGuard({ script: GUARD, relations, folder: home.scratch, waitMs, onDown: down('guard') })
    // A guard that cannot start is tried again by whoever asks it, as the processes of the pool are behind the calls.
    const started = Promise.all([pool.start(), guard.ready().catch(() => {})])
    opened = { home, pool, guard, cache, builder: new Builder(catalogue, pool, cache, limits, onEvent), started }
    return opened
  }

  async function open(): Promise<Rooms> {
    try {
      const home = await openHome(folder)
      return await openRooms(home).catch(async cause => {
        await home.leave()
        throw cause
      })
    } catch (cause) {
      opening = null // the next call tries again
      down('engine')(cause)
      throw new EngineFailure('disk', 'The folder of the engine cannot be used.', { cause })
    }
  }

  function rooms(): Promise<Rooms> {
    if (isClosed) return Promise.reject(cancelled())
    opening ??= open()
    return opening
  }
  void rooms().catch(() => {}) // told to whoever calls

  /** Runs a job over a view; a file of the view that is gone or damaged is built again. */
  async function onView<Outcome, Value>(
    point: PointOfView,
    statement: CheckedStatement,
    { timeoutMs, signal, phases }: TimedWork,
    job: (view: View) => Job,
    finish: (outcome: Outcome, wanted: boolean) => Promise<Value> | Value,
  ): Promise<Value> {
    const { builder, pool } = await rooms()
    const { organization } = point
    const { projectId } = point.snapshot
    const jobOptions = { organization, projectId, waitMs: limits.connectionWaitMs, timeoutMs, signal, phases }
    for (let attempt = 1; ; attempt++) {
      const view = await builder.view(point, statement.relations, { signal, phases })
      try {
        return await pool.run(job(view), jobOptions, finish)
      } catch (cause) {
        if (!(cause instanceof EngineFailure)) throw cause
        const { kind } = cause
        // What callers are told of these is not why.
        if (kind === 'disk' || kind === 'view' || kind === 'assertion') down('engine')(cause.cause ?? cause)
        if (kind !== 'view' || attempt === MAX_VIEW_ATTEMPTS) throw cause
        await builder.discard(view, cause.message)
      }
    }
  }

  async function rows(point: PointOfView, checked: CheckedStatement, { offset, limit }: RowRange, work: TimedWork) {
    const { pageBytes, rowBytes } = limits
    const { statement } = checked
    const deadline = performance.now() + work.timeoutMs
    const produce = (atMost: number) => {
      const range = { offset, limit: atMost, pageBytes, rowBytes }
      const timeoutMs = Math.max(1, deadline - performance.now())
      const job = (view: View): Job => ({ kind: 'rows', view, statement, ...range })
      return onView<RowsPage, RowsPage>(point, checked, { ...work, timeoutMs }, job, page => page)
    }
    try {
      return await produce(limit)
    } catch (cause) {
      const outOfMemory = cause instanceof EngineFailure && cause.kind === 'memory' && !cause.processDied
      if (!outOfMemory || limit <= FEW_ROWS || performance.now() > deadline - work.timeoutMs / 2) throw cause
      // Rows of megabytes: all of a page's do not fit at once, but a page may end early.
      return produce(FEW_ROWS)
    }
  }

  /** A file that a job writes, taken out of the scratch folder, which goes with its process. */
  async function fileOf<Made extends { path: string }>(
    point: PointOfView,
    checked: CheckedStatement,
    work: TimedWork,
    into: 'outbox' | 'results',
    job: (view: View, file: string) => Job,
  ): Promise<Made> {
    const { home } = await rooms()
    const file = `${randomUUID()}${into === 'outbox' ? '.parquet' : '.jsonl'}`
    return onView<Made, Made>(
      point,
      checked,
      work,
      view => job(view, file),
      async (made, wanted) => {
        if (!wanted) await rm(made.path, { force: true })
        return wanted ? { ...made, path: await moved(made.path, join(home[into], file)) } : made
      },
    )
  }

  return {
    check: async (sql, asker) => (await rooms()).guard.check(sql, asker),
    columns: async (point, relation, work) => (await rooms()).builder.columns(point, relation, work),
    rows,
    write: (point, checked, { offset, limit }, work) =>
      fileOf<WrittenChunk>(point, checked, work, 'results', (view, file) => {
        const { statement } = checked
        const bounds = { rowBytes: limits.rowBytes, maxBytes: MAX_CHUNK_BYTES }
        return { kind: 'chunk', view, statement, offset, rows: limit, file, ...bounds }
      }),
    export: (point, checked, work) =>
      fileOf<ExportedFile>(point, checked, work, 'outbox', (view, file) => {
        const { statement } = checked
        return { kind: 'export', view, statement, file, maxBytes: limits.exportBytes }
      }),
    ready: async () => {
      const there = await rooms().catch(() => null) // tried again by the next call
      await there?.started
    },
    stats: () => {
      const pool = opened?.pool.stats ?? { connections: settings.connections, ...NOT_OPEN }
      return { ...pool, cacheBytes: opened?.cache.bytes ?? 0 }
    },
    answering: async withinMs => (await rooms().catch(() => null))?.pool.answering(withinMs) ?? 0,
    guardAnswers: async withinMs => (await rooms().catch(() => null))?.guard.answers(withinMs) ?? false,
    resultBytes: settings.resultBytes,
    pids: () => opened?.pool.pids ?? [],
    async close() {
      isClosed = true
      const there = await opening?.catch(() => null)
      if (!there) return
      there.cache.close()
      await Promise.all([there.pool.close(), there.guard.close()])
      await there.home.leave().catch(() => {}) // it goes with this process
    },
  }
}

const NOT_OPEN = { ready: 0, busy: 0, waiting: 0, restarts: 0 }

/** Moves a file; its new folder is made where somebody has removed it. Returns the new path. */
async function moved(from: string, to: string): Promise<string> {
  try {
    await rename(from, to).catch(async () => {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      await rename(from, to)
    })
    return to
  } catch (cause) {
    await rm(from, { force: true }).catch(() => {}) // or with the folder that it is in
    throw new EngineFailure('disk', 'A file cannot be moved.', { cause })
  }
}
