import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type CheckedStatement, openGuard } from '../guard/guard.js'
import type { Asker } from '../guard/turns.js'
import type { Column } from '../model.js'
import type { AnalyticsEvent, EngineOptions, Limits } from '../options.js'
import { type Work, workOfNobody } from '../work.js'
import { Builder } from './builder.js'
import { RelationCache } from './cache.js'
import { EngineFailure } from './failure.js'
import type { ExportedFile, Job, RowsPage, View, WrittenStretch } from './jobs.js'
import type { PointOfView } from './plan.js'
import { Pool } from './pool.js'
import type { JobOptions } from './queue.js'
import type { PoolStats } from './stats.js'

/** Which rows of a statement's result. */
export interface RowRange {
  offset: number
  limit: number
}

/** What the methods know of an engine: a handful of verbs. */
export interface Engine {
  /** Check a text; a refusal is INVALID_QUERY, and one that waits too long for its turn UNAVAILABLE. */
  check(sql: string, asker: Asker): Promise<CheckedStatement>
  /** Columns of a relation, from the snapshot. */
  columns(point: PointOfView, relation: string, work: Work): Promise<Column[]>
  /** Rows of a checked statement, ended early by the size of a page. */
  rows(point: PointOfView, statement: CheckedStatement, range: RowRange, work: Work): Promise<RowsPage>
  /**
   * A stretch of a statement's rows as lines of JSON in the file `into`: for the call whose `work` it is, or without one
   * while no call needs the connection.
   */
  write(
    point: PointOfView,
    statement: CheckedStatement,
    range: RowRange,
    into: string,
    work?: Work,
  ): Promise<WrittenStretch>
  /** Every row of a checked statement as a Parquet file, which the caller takes away. */
  export(point: PointOfView, statement: CheckedStatement, work: Work): Promise<ExportedFile>
  /** Fulfilled once the first process takes jobs or could not start, with the others on their way. */
  ready(): Promise<void>
  /** How busy the processes are, and what the built relations take on disk. */
  stats(): PoolStats & { cacheBytes: number }
  /** How many processes say within this time that they are there, or are at work. */
  answering(withinMs: number): Promise<number>
  /** Process ids, for whoever watches memory. */
  pids(): number[]
  close(): Promise<void>
}

const GIB = 1024 ** 3
/** What a worker takes that has nothing to do. */
const IDLE_WORKER_BYTES = GIB / 8
const MOST_RESIDENTS = 64
const LEAST_MEMORY_BYTES = GIB / 2
const MAX_VIEW_ATTEMPTS = 3
/** A stretch that turns out larger is thrown away, and shorter ones are asked for. */
const MAX_STRETCH_BYTES = 512 * 1024 ** 2
/** Rows that fit into the memory of a connection, whatever their size within the limit of a row. */
const FEW_ROWS = 8

/** Starts DuckDB in processes of its own behind the verbs of {@link Engine}. */
export function openEngine(
  catalogue: Catalogue,
  options: EngineOptions,
  limits: Limits,
  onEvent: (event: AnalyticsEvent) => void,
): Engine {
  const settings = resolveEngine(options)
  const folder = resolve(options.folder)
  const folders = { cache: join(folder, 'cache'), scratch: join(folder, 'scratch'), outbox: join(folder, 'outbox') }
  const names = catalogue.summaries.map(relation => relation.name)
  const pool = new Pool(settings, settings, folders.scratch, (what, detail) => {
    onEvent({ type: 'engine', what, detail })
  })

  let cacheBytes = () => 0
  const started = (async () => {
    // Scratch files and exports that were never handed over belong to a run that has ended.
    for (const path of [folders.scratch, folders.outbox]) {
      await rm(path, { recursive: true, force: true })
      await mkdir(path, { recursive: true, mode: 0o700 })
    }
    const guard = openGuard(names, folders.scratch, limits.connectionWaitMs, cause => {
      onEvent({ type: 'dependency', port: 'guard', cause })
    })
    const cache = await RelationCache.open(folders.cache, options.cacheBytes ?? 10 * GIB)
    cacheBytes = () => cache.bytes
    // A guard that cannot start is tried again by whoever asks it, as the processes of the pool are behind the calls.
    await Promise.all([pool.start(), guard.ready().catch(() => {})])
    return { guard, builder: new Builder(catalogue, pool, cache, limits, onEvent) }
  })()
  started.catch(() => {}) // told to whoever waits for it

  /** Runs a job over a view; a file of the view that is gone or damaged is built again. */
  async function onView<Outcome, Value>(
    point: PointOfView,
    statement: CheckedStatement,
    job: (view: View) => Job,
    options: Omit<JobOptions, 'organization' | 'projectId' | 'waitMs'>,
    finish: (outcome: Outcome, wanted: boolean) => Promise<Value> | Value,
  ): Promise<Value> {
    const { builder } = await started
    const { projectId } = point.snapshot
    const release = builder.hold(point)
    try {
      for (let attempt = 1; ; attempt++) {
        const view = await builder.view(point, statement.relations, options)
        try {
          const { organization } = point
          const jobOptions = { ...options, organization, projectId, waitMs: limits.connectionWaitMs }
          return await pool.run(job(view), jobOptions, finish)
        } catch (cause) {
          if (!(cause instanceof EngineFailure)) throw cause
          const { kind } = cause
          // What callers are told of these is not why.
          if (kind === 'disk' || kind === 'view' || kind === 'assertion')
            onEvent({ type: 'dependency', port: 'engine', cause: cause.cause ?? cause })
          if (kind !== 'view' || attempt === MAX_VIEW_ATTEMPTS) throw cause
          await builder.discard(view, cause.message)
        }
      }
    } finally {
      release()
    }
  }

  return {
    check: async (sql, asker) => (await started).guard.check(sql, asker),
    columns: async (point, relation, work) => (await started).builder.columns(point, relation, work),
    rows: async (point, checked, { offset, limit }, { signal, phases }) => {
      const { pageBytes, rowBytes, queryTimeoutMs } = limits
      const { statement } = checked
      const deadline = performance.now() + queryTimeoutMs
      const produce = (atMost: number) => {
        const range = { offset, limit: atMost, pageBytes, rowBytes }
        const job = (view: View): Job => ({ kind: 'rows', view, statement, ...range })
        const timeoutMs = Math.max(1, deadline - performance.now())
        return onView<RowsPage, RowsPage>(
          point,
          checked,
          job,
          { purpose: 'call', timeoutMs, signal, phases },
          page => page,
        )
      }
      try {
        return await produce(limit)
      } catch (cause) {
        const outOfMemory = cause instanceof EngineFailure && cause.kind === 'memory' && !cause.processDied
        if (!outOfMemory || limit <= FEW_ROWS || performance.now() > deadline - queryTimeoutMs / 2) throw cause
        // Rows of megabytes: all of a page's do not fit at once, but a page may end early.
        return produce(FEW_ROWS)
      }
    },
    write: (point, checked, { offset, limit: rows }, into, work) => {
      const file = `${randomUUID()}.jsonl`
      const { statement } = checked
      const job = (view: View): Job => ({
        kind: 'stretch',
        view,
        statement,
        offset,
        rows,
        rowBytes: limits.rowBytes,
        maxBytes: MAX_STRETCH_BYTES,
        file,
      })
      const finish = (written: WrittenStretch, wanted: boolean) => handOver(written, into, wanted)
      const { signal, phases } = work ?? workOfNobody()
      const purpose = work ? 'call' : 'prefetch'
      return onView(point, checked, job, { purpose, timeoutMs: limits.queryTimeoutMs, signal, phases }, finish)
    },
    export: (point, checked, { signal, phases }) => {
      const file = `${randomUUID()}.parquet`
      const { statement } = checked
      const job = (view: View): Job => ({ kind: 'export', view, statement, file, maxBytes: limits.exportBytes })
      const finish = (made: ExportedFile, wanted: boolean) => handOver(made, join(folders.outbox, file), wanted)
      return onView(point, checked, job, { purpose: 'call', timeoutMs: limits.exportTimeoutMs, signal, phases }, finish)
    },
    ready: async () => void (await started),
    stats: () => ({ ...pool.stats, cacheBytes: cacheBytes() }),
    answering: withinMs => pool.answering(withinMs),
    pids: () => pool.pids,
    async close() {
      await pool.close()
      await started.then(({ guard }) => guard.close()).catch(() => {})
    },
  }
}

/** Takes a file out of the scratch folder, which goes with its process; what nobody wants any more is removed. */
async function handOver<Made extends { path: string }>(made: Made, into: string, wanted: boolean): Promise<Made> {
  if (wanted) await rename(made.path, into)
  else await rm(made.path, { force: true })
  return { ...made, path: into }
}

/** As many as a quarter of the machine's memory has room for while they are idle. */
function defaultResidents(): number {
  return Math.max(1, Math.min(MOST_RESIDENTS, Math.floor(totalmem() / 4 / IDLE_WORKER_BYTES)))
}

/** The engine's options with their defaults; a value out of bounds throws, naming it. */
function resolveEngine(options: EngineOptions) {
  const memoryLimitBytes = options.memoryLimitBytes ?? GIB
  const settings = {
    connections: options.connections ?? Math.max(2, availableParallelism()),
    residents: options.residents ?? defaultResidents(),
    threads: options.threads ?? 1,
    memoryLimitBytes,
    spillBytes: options.spillBytes ?? 4 * memoryLimitBytes,
  }
  const { cacheBytes, resultBytes } = options
  for (const [name, value] of Object.entries({ ...settings, cacheBytes, resultBytes })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`engine.${name} must be a whole number above 0`)
  }
  if (memoryLimitBytes < LEAST_MEMORY_BYTES)
    throw new TypeError(`engine.memoryLimitBytes must be at least ${LEAST_MEMORY_BYTES} (512 MiB)`)
  return settings
}
