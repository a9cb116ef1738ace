import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type BoundResult,
  cancelled,
  type Engine,
  EngineFailure,
  type EngineHost,
  type ExportedFile,
  type ExportForm,
  type OpenEngine,
  type PageRange,
  type PointOfView,
  type RowsPage,
  type Statement,
  type TimedWork,
} from '../engine/port.js'
import { ENGINE_VERSION } from '../guard/inventory.js'
import type { Column } from '../model.js'
import { stateOf } from '../sandbox/sandbox.js'
import { type Binding, planBinding } from './binder.js'
import { refusedBy } from './build-failure.js'
import type { Builder } from './builder.js'
import { noCheckUnderWay, problemsOf } from './check/sound-catalogue.js'
import { type Gift, givenBefore } from './gifts.js'
import { checkTypes, type GivenRows } from './given-rows.js'
import { moveFile } from './home.js'
import type { ChunkJob, ExportJob, Job, JobOf, Made, RowsJob, View } from './jobs.js'
import { digestsOf, metadataOf } from './plan.js'
import type { Finish } from './pool.js'
import { downOf, openRooms, type Rooms } from './rooms.js'
import { overBuilt, type Prepare, runPrepared } from './run-prepared.js'
import { type EngineOptions, type ResolvedEngine, resolveEngine } from './settings.js'
import { workerScript } from './worker.js'

/** The engine that runs DuckDB in child processes. */
export interface DuckdbEngine extends Engine {
  /**
   * Exports rows that another engine has made of a statement and put into a file, as `export` does its own. It runs
   * in a process of the organization of the point of view, which can read nothing but the folder of the file.
   */
  exportRows(
    rows: GivenRows,
    point: PointOfView,
    statement: Statement,
    work: TimedWork,
    form: ExportForm,
  ): Promise<ExportedFile>
}

/** A chunk that grows larger ends there. */
const MAX_CHUNK_BYTES = 512 * 1024 ** 2
/** This many rows fit into a worker's memory, even if each has `rowBytes`. */
const FEW_ROWS = 8

/**
 * The engine that runs DuckDB in child processes, for the option `engine` of `createAnalyticsApi`.
 *
 * @param options - The folder of its caches, and how many processes it may run. Sizes are in bytes.
 * @returns What opens the engine: `createAnalyticsApi` calls it, once per service.
 * @throws TypeError that names an option that does not exist, or is out of bounds.
 *
 * @example
 * ```ts
 * const engine = duckdbEngine({ folder: 'data/engine', connections: 4 })
 * const api = createAnalyticsApi({ ...options, engine })
 * ```
 */
export function duckdbEngine(options: EngineOptions): OpenEngine<DuckdbEngine> {
  const settings = resolveEngine(options)
  return host => openEngine(settings, host)
}

function openEngine(settings: ResolvedEngine, host: EngineHost): DuckdbEngine {
  workerScript() // throws now rather than at the first call
  const { catalogue, limits } = host
  const hasTree = catalogue.hierarchy !== null
  const down = downOf(host)
  let isClosed = false
  let opened: Rooms | null = null
  let opening: Promise<Rooms> | null = null

  function rooms(): Promise<Rooms> {
    if (isClosed) return Promise.reject(cancelled())
    opening ??= openRooms(settings, host).then(
      rooms => {
        opened = rooms
        return rooms
      },
      cause => {
        opening = null // the next call tries again
        throw cause
      },
    )
    return opening
  }
  void rooms().catch(() => {}) // the calls report it

  /** Runs a job over relations, see {@link runPrepared}. */
  async function onView<Kind extends Job['kind'], Value>(
    point: PointOfView,
    work: TimedWork,
    prepare: Prepare<Kind>,
    finish: Finish<Made<Kind>, Value>,
  ): Promise<Value> {
    const onFault = down('engine')
    return runPrepared(
      await rooms(),
      { point, work, waitMs: limits.connectionWaitMs, onFault },
      prepare,
      finish,
    )
  }

  async function bind(point: PointOfView, statement: Statement, work: TimedWork): Promise<BoundResult> {
    let binding: Binding | undefined
    const prepare = async (builder: Builder) => {
      binding = await planBinding(builder, point, statement)
      return binding
    }
    try {
      const columns = await onView<'bind', Column[]>(point, work, prepare, told => told)
      return { columns, relations: binding?.relations ?? [] }
    } catch (cause) {
      throw refusedBy(binding?.unbuilt ?? [], cause)?.refused ?? cause
    }
  }

  async function rows(point: PointOfView, statement: Statement, page: PageRange, work: TimedWork) {
    const { limit } = page
    const { pageBytes, rowBytes } = limits
    const deadline = performance.now() + work.timeoutMs
    const produce = (atMost: number) => {
      const range = { pageBytes, ...page, limit: atMost, rowBytes }
      const timeoutMs = Math.max(1, deadline - performance.now())
      const job = (view: View): RowsJob => ({ kind: 'rows', view, statement, ...range })
      const timed = { ...work, timeoutMs }
      const prepare = overBuilt<'rows'>(point, statement.relations, timed, job)
      return onView<'rows', RowsPage>(point, timed, prepare, (told, { bytes }) => ({ json: bytes, ...told }))
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

  /** Writes the rows of a statement, or those that another engine has made of it, to a file. */
  function exportFile(
    point: PointOfView,
    statement: Statement,
    work: TimedWork,
    form: ExportForm,
    given?: { rows: GivenRows; folder: string; gift: Gift },
  ) {
    const metadata = metadataOf(point, statement, hasTree)
    const job = (view: View, file: string): ExportJob => ({
      kind: 'export',
      view: given ? { folder: given.folder, files: [] } : view,
      statement,
      ...(given ? { given: { ...given.rows, path: given.gift.name } } : {}),
      file,
      maxBytes: limits.exportBytes,
      metadata,
      ...form,
    })
    const relations = given ? [] : statement.relations
    return fileOf<'export'>(point, relations, work, ['outbox', form.format], job, given ? [given.gift] : [])
  }

  /** Runs a job that writes a file, and moves the file out of the folder of its process. */
  async function fileOf<Kind extends 'chunk' | 'export'>(
    point: PointOfView,
    relations: readonly string[],
    work: TimedWork,
    [into, extension]: ['outbox' | 'results', extension: string],
    job: (view: View, file: string) => JobOf<Kind>,
    more: readonly Gift[] = [],
  ): Promise<Made<Kind> & { path: string; bytes: number }> {
    const { home } = await rooms()
    const file = [randomUUID(), extension].join('.') // a template would name files for Next.js to copy
    const prepare = overBuilt<Kind>(point, relations, work, view => job(view, file), more)
    return onView<Kind, Made<Kind> & { path: string; bytes: number }>(
      point,
      work,
      prepare,
      async (made, { isWanted, take }) => {
        const path = await take(file)
        const { size: bytes } = await stat(path)
        if (isWanted) return { ...made, bytes, path: await moveFile(path, join(home[into], file)) }
        await rm(path, { force: true })
        return { ...made, bytes, path }
      },
    )
  }

  return {
    version: `duckdb ${ENGINE_VERSION}`,
    dialect: 'DuckDB',
    takesParameters: true,
    examples: catalogue.examples,
    digests: snapshot => digestsOf(catalogue, snapshot),
    check: async (sql, asker) => (await rooms()).guard.check(sql, asker),
    columns: async (point, relations, work) => (await rooms()).builder.columns(point, relations, work),
    bind,
    rows,
    write(
      point,
      statement,
      { offset, limit, before = [], mostBytes = MAX_CHUNK_BYTES, isStable = false },
      work,
    ) {
      const given = before.map(givenBefore)
      const job = (view: View, file: string): ChunkJob => {
        const range = { offset, rows: limit, before: given.map(each => each.before), isStable }
        const bounds = { rowBytes: limits.rowBytes, maxBytes: mostBytes }
        return { kind: 'chunk', view, statement, ...range, file, ...bounds }
      }
      const gifts = given.flatMap(each => each.gifts)
      return fileOf<'chunk'>(point, statement.relations, work, ['results', 'jsonl'], job, gifts)
    },
    export: exportFile,
    async checkCatalogue(signal) {
      if (!opened) return null
      const { sandbox } = settings
      try {
        return await problemsOf(catalogue, { folder: opened.home.scratch, sandbox, signal })
      } finally {
        if (signal.aborted) await noCheckUnderWay(catalogue) // whose processes end before the engine does
      }
    },
    ready: async () => {
      const there = await rooms().catch(() => null) // the next call tries again
      await there?.started
    },
    exportRows: async (rows, point, statement, work, form) => {
      checkTypes(rows.columns)
      const folder = randomUUID()
      const name = join(folder, 'rows')
      const missing = { kind: 'disk', text: 'The rows are missing.' } as const
      const gift = { name, from: rows.path, version: folder, missing, isForOneJob: true }
      return exportFile(point, statement, work, form, { rows, folder, gift })
    },
    stats: () => {
      const pool = opened?.pool
      const load = pool?.stats ?? { connections: settings.connections, ...NOT_OPEN }
      return { ...load, cacheBytes: opened?.cache.bytes ?? 0, pids: pool?.pids ?? [] }
    },
    async answering(withinMs) {
      const there = await rooms().catch(() => null)
      if (!there) return { workers: 0, guard: false, sandbox: null }
      const [workers, guard] = await Promise.all([
        there.pool.answering(withinMs),
        there.guard.answers(withinMs),
      ])
      return { workers, guard, sandbox: stateOf(there.sandbox) }
    },
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
