import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type Asker, type CheckedStatement, type Guard, openGuard } from '../guard/guard.js'
import type { Column } from '../model.js'
import type { AnalyticsEvent, EngineOptions, Limits, PortName } from '../options.js'
import { childScript } from '../process/script.js'
import type { Work } from '../work.js'
import { Builder } from './builder.js'
import { RelationCache } from './cache.js'
import { cancelled, EngineFailure } from './failure.js'
import { type Home, openHome } from './home.js'
import type { ExportedFile, Job, RowsPage, View, WrittenChunk } from './jobs.js'
import { metadataOf, type PointOfView } from './plan.js'
import { Pool } from './pool.js'
import { type PoolStats, resolveEngine } from './settings.js'
import { workerScript } from './worker.js'

/** A range of rows of a result. */
export interface RowRange {
  offset: number
  limit: number
}

/** A range of rows that ends early at `pageBytes`; by default, at the limit. */
export type PageRange = RowRange & { pageBytes?: number }

/** Work with a time limit. */
export interface TimedWork extends Work {
  timeoutMs: number
}

/** The engine as the methods see it. Its failures are {@link EngineFailure}s. */
export interface Engine {
  /** Checks a statement; throws an `AnalyticsError` when the guard refuses it or cannot read it. */
  check(sql: string, asker: Asker): Promise<CheckedStatement>
  /** Columns of each of these relations of the snapshot. */
  columns(point: PointOfView, relations: readonly string[], work: Work): Promise<Column[][]>
  /** A page of a checked statement's rows, which ends early at `pageBytes`. */
  rows(point: PointOfView, statement: CheckedStatement, range: PageRange, work: TimedWork): Promise<RowsPage>
  /** Writes rows of a checked statement to a file, one JSON object per line; the caller removes the file. */
  write(point: PointOfView, statement: CheckedStatement, range: RowRange, work: TimedWork): Promise<WrittenChunk>
  /** Writes every row of a checked statement to a Parquet file, which the caller removes. */
  export(point: PointOfView, statement: CheckedStatement, work: TimedWork): Promise<ExportedFile>
  /** Resolves when the first worker and the guard are ready or have failed to start. */
  ready(): Promise<void>
  /** Whether the guard is busy or answers within this time. */
  guardAnswers(withinMs: number): Promise<boolean>
  /** Load of the workers, and bytes of built relations on disk. */
  stats(): PoolStats & { cacheBytes: number }
  /** How many connections have a worker that is busy or answers within this time. */
  answering(withinMs: number): Promise<number>
  /** Most bytes of stored rows on disk. */
  readonly resultBytes: number
  /** Process ids of the workers, to monitor their memory. */
  pids(): number[]
  close(): Promise<void>
}

const MAX_VIEW_ATTEMPTS = 3
/** A chunk that grows larger is discarded. */
const MAX_CHUNK_BYTES = 512 * 1024 ** 2
/** This many rows fit into a worker's memory, even if each has `rowBytes`. */
const FEW_ROWS = 8

/** The parts of an engine, which exist once its folder is usable. */
interface Rooms {
  home: Home
  pool: Pool
  guard: Guard
  cache: RelationCache
  builder: Builder
  /** Settles when the first worker and the guard are ready or have failed to start. */
  started: Promise<unknown>
}

/** Opens an engine that runs DuckDB in child processes. */
export function openEngine(
  catalogue: Catalogue,
  options: EngineOptions,
  limits: Limits,
  onEvent: (event: AnalyticsEvent) => void,
): Engine {
  const settings = resolveEngine(options)
  workerScript() // throws now rather than at the first call
  const guardScript = childScript('./worker/guard-main.js', import.meta.url)
  const folder = resolve(options.folder)
  const down = (port: PortName) => (cause: unknown) => onEvent({ type: 'dependency', port, cause })
  let isClosed = false
  let opened: Rooms | null = null
  let opening: Promise<Rooms> | null = null

  async function openRooms(home: Home): Promise<Rooms> {
    const cache = await RelationCache.open(home.cache, settings.cacheBytes, down('cache'))
    const relations = catalogue.summaries.map(relation => relation.name)
    const waitMs = limits.connectionWaitMs
    const pool = new Pool(settings, settings, home.scratch, (what, detail) => onEvent({ type: 'engine', what, detail }))
    const guard = openGuard({ script: guardScript, relations, folder: home.scratch, waitMs, onDown: down('guard') })
    // The next check restarts a guard that could not start; the pool restarts its workers by itself.
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
  void rooms().catch(() => {}) // the calls report it

  /** Runs a job on the relations of a statement, and rebuilds them when a file is gone or damaged. */
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
        // Callers do not see the cause of these failures; the host does.
        if (kind === 'disk' || kind === 'view' || kind === 'assertion') down('engine')(cause.cause ?? cause)
        if (kind !== 'view' || attempt === MAX_VIEW_ATTEMPTS) throw cause
        await builder.discard(view, cause.message)
      }
    }
  }

  async function rows(point: PointOfView, checked: CheckedStatement, page: PageRange, work: TimedWork) {
    const { limit } = page
    const { pageBytes, rowBytes } = limits
    const { statement } = checked
    const deadline = performance.now() + work.timeoutMs
    const produce = (atMost: number) => {
      const range = { pageBytes, ...page, limit: atMost, rowBytes }
      const timeoutMs = Math.max(1, deadline - performance.now())
      const job = (view: View): Job => ({ kind: 'rows', view, statement, ...range })
      return onView<RowsPage, RowsPage>(point, checked, { ...work, timeoutMs }, job, page => page)
    }
    try {
      return await produce(limit)
    } catch (cause) {
      const outOfMemory = cause instanceof EngineFailure && cause.kind === 'memory' && !cause.processDied
      if (!outOfMemory || limit <= FEW_ROWS || performance.now() > deadline - work.timeoutMs / 2) throw cause
      // Rows of several megabytes each may not fit into memory together, but a page may end early.
      return produce(FEW_ROWS)
    }
  }

  /** Runs a job that writes a file, and moves the file out of the scratch folder, which is removed with its worker. */
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
    columns: async (point, relations, work) => (await rooms()).builder.columns(point, relations, work),
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
        const metadata = metadataOf(point, statement)
        return { kind: 'export', view, statement, file, maxBytes: limits.exportBytes, metadata }
      }),
    ready: async () => {
      const there = await rooms().catch(() => null) // the next call tries again
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
      await there.home.leave().catch(() => {}) // the lock lapses when this process ends
    },
  }
}

const NOT_OPEN = { ready: 0, busy: 0, waiting: 0, restarts: 0 }

/** Moves a file and returns its new path; creates the target folder when it has been removed. */
async function moved(from: string, to: string): Promise<string> {
  try {
    await rename(from, to).catch(async () => {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      await rename(from, to)
    })
    return to
  } catch (cause) {
    await rm(from, { force: true }).catch(() => {}) // else removed with its folder
    throw new EngineFailure('disk', 'A file cannot be moved.', { cause })
  }
}
