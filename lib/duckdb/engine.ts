import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CatalogueProblem } from '../catalogue/catalogue-problem.js'
import {
  type BoundResult,
  cancelled,
  type Engine,
  EngineFailure,
  type EngineHost,
  type ExportedFile,
  type ExportForm,
  type PageRange,
  type PointOfView,
  type RowsBefore,
  type RowsPage,
  type Statement,
  type TimedWork,
  type Work,
} from '../engine/port.js'
import { ENGINE_VERSION } from '../guard/inventory.js'
import type { Column, ReadRelation } from '../model.js'
import { type SandboxMode, stateOf } from '../sandbox/sandbox.js'
import { type Builder, leaseFor, refusedBy } from './builder.js'
import type { GivenView } from './cache.js'
import { checkTypes, type GivenRows } from './given-rows.js'
import { moveFile } from './home.js'
import {
  type BindJob,
  type ChunkJob,
  type ExportJob,
  type Gift,
  type Job,
  type JobOf,
  type JobResult,
  jobStatement,
  type RowsJob,
  type View,
} from './jobs.js'
import { downOf, type EngineParts, openParts } from './parts.js'
import { digestsOf, metadataOf, type PlannedRelation } from './plan.js'
import type { Finish } from './pool.js'
import type { ResolvedEngine } from './settings.js'
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
/** Attempts at a job whose relations are removed or damaged between their build and its start. */
const MAX_ATTEMPTS = 3

/** Finds the mistakes in the catalogue of a service, in processes whose folders are in `folder`. */
type FindProblems = (options: {
  folder: string
  sandbox: SandboxMode
  signal: AbortSignal
}) => Promise<readonly CatalogueProblem[]>

/** Opens the engine for a service, which has its catalogue checked by `findProblems`. */
export function openDuckdb(
  settings: ResolvedEngine,
  host: EngineHost,
  findProblems: FindProblems,
): DuckdbEngine {
  workerScript() // throws now rather than at the first call
  const { catalogue, limits } = host
  const hasTree = catalogue.hierarchy !== null
  const down = downOf(host)
  let isClosed = false
  let opened: EngineParts | null = null
  let opening: Promise<EngineParts> | null = null

  function parts(): Promise<EngineParts> {
    if (isClosed) return Promise.reject(cancelled())
    opening ??= openParts(settings, host).then(
      parts => {
        opened = parts
        return parts
      },
      cause => {
        opening = null // the next call tries again
        throw cause
      },
    )
    return opening
  }
  void parts().catch(() => {}) // the calls report it

  /** Runs a job over relations, and prepares it anew when a file of theirs is gone or damaged. */
  async function onView<Kind extends Job['kind'], Value>(
    point: PointOfView,
    { timeoutMs, signal, phases }: TimedWork,
    prepare: Prepare<Kind>,
    finish: Finish<JobResult<Kind>, Value>,
  ): Promise<Value> {
    const { builder, pool } = await parts()
    const { organization, snapshot } = point
    const reach = builder.reachOf(point)
    const { projectId } = snapshot
    const options = {
      organization,
      reach,
      projectId,
      waitMs: limits.connectionWaitMs,
      timeoutMs,
      signal,
      phases,
    }
    for (let attempt = 1; ; attempt++) {
      const { view, gifts, job, release } = await prepare(builder)
      const onRun = (tookMs: number) => builder.count(point, view, tookMs)
      try {
        return await pool.run(job, { ...options, gifts, onRun }, finish)
      } catch (cause) {
        if (!(cause instanceof EngineFailure)) throw cause
        const { kind } = cause
        if (kind === 'disk' || kind === 'view' || kind === 'assertion') down('engine')(cause.cause ?? cause)
        if (attempt === MAX_ATTEMPTS || !(await builder.isDamage(point, view, cause))) throw cause
      } finally {
        await release?.()
      }
    }
  }

  async function bind(point: PointOfView, statement: Statement, work: TimedWork): Promise<BoundResult> {
    let binding: Binding | undefined
    const prepare = async (builder: Builder) => {
      binding = await planBinding(builder, point, statement, work)
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
      const job = (view: View): RowsJob => ({
        kind: 'rows',
        view,
        statement: jobStatement(statement),
        ...range,
      })
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
      statement: given ? { ...given.rows, path: given.gift.name } : jobStatement(statement),
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
  ): Promise<JobResult<Kind> & { path: string; bytes: number }> {
    const { home } = await parts()
    const file = [randomUUID(), extension].join('.') // a template would name files for Next.js to copy
    const prepare = overBuilt<Kind>(point, relations, work, view => job(view, file), more)
    return onView<Kind, JobResult<Kind> & { path: string; bytes: number }>(
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
    limitsRows: true,
    examples: catalogue.examples,
    digests: snapshot => digestsOf(catalogue, snapshot),
    check: async (sql, asker) => (await parts()).guard.check(sql, asker),
    columns: async (point, relations, work) => (await parts()).builder.columns(point, relations, work),
    statistics: async (point, relations) => (await parts()).builder.statistics(point, relations),
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
        return { kind: 'chunk', view, statement: jobStatement(statement), ...range, file, ...bounds }
      }
      const gifts = given.flatMap(each => each.gifts)
      return fileOf<'chunk'>(point, statement.relations, work, ['results', 'jsonl'], job, gifts)
    },
    export: exportFile,
    checkCatalogue: async signal =>
      opened && findProblems({ folder: opened.home.scratch, sandbox: settings.sandbox, signal }),
    ready: async () => {
      const there = await parts().catch(() => null) // the next call tries again
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
      const there = await parts().catch(() => null)
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

/** A job that binds a statement, and what it needs. */
interface Binding extends GivenView {
  job: BindJob
  /** The relations that the statement reads. */
  relations: ReadRelation[]
  /** Relations that the job makes without rows, since they are not built. */
  unbuilt: readonly PlannedRelation[]
  /** Ends the lease on the snapshot, whose files the job may read. */
  release(): Promise<void>
}

/**
 * Plans a job that binds a statement without running it: relations that are not built are made without rows. For a
 * caller with row limits they are built, since making them takes files with rows that the caller does not see.
 */
async function planBinding(
  builder: Builder,
  point: PointOfView,
  statement: Statement,
  work: Work,
): Promise<Binding> {
  const { built, wanted } = builder.plan(point, statement.relations)
  const ready = point.rows ? await builder.view(point, statement.relations, work) : null
  const unbuilt = ready ? [] : built.missing(wanted)
  const isBuilt = unbuilt.length === 0
  const { view, gifts } = ready ?? built.given(isBuilt ? wanted : built.present([...wanted, ...unbuilt]))
  const lease = await leaseFor(point, unbuilt)
  const made = built.steps(unbuilt, lease?.folder ?? '')
  const reads = wanted.map(({ alias }) => alias)
  return {
    view,
    gifts: [...gifts, ...made.gifts],
    job: { kind: 'bind', view, unbuilt: made.steps, reads, statement: jobStatement(statement) },
    relations: wanted.map(relation => ({ name: relation.name, built: !unbuilt.includes(relation) })),
    unbuilt,
    release: async () => lease?.release(),
  }
}

/** A job, and what it needs. */
interface PreparedJob<Kind extends Job['kind']> extends GivenView {
  job: JobOf<Kind>
  /** Ends what holds files for it. */
  release?(): Promise<void>
}

/** Prepares a job, again for each attempt. */
type Prepare<Kind extends Job['kind']> = (builder: Builder) => Promise<PreparedJob<Kind>>

/** Prepares a job over the relations of a statement, which are built when missing. */
function overBuilt<Kind extends Job['kind']>(
  point: PointOfView,
  relations: readonly string[],
  work: Work,
  job: (view: View) => JobOf<Kind>,
  more: readonly Gift[] = [],
): Prepare<Kind> {
  return async builder => {
    const { view, gifts } = await builder.view(point, relations, work)
    return { view, gifts: [...gifts, ...more], job: job(view) }
  }
}

const BEFORE = 'before'

/** Rows before a chunk as its job names them, and the file that its process needs for them. */
function givenBefore({ from, rows }: RowsBefore): { before: RowsBefore; gifts: Gift[] } {
  if (typeof from !== 'string') return { before: { from, rows }, gifts: [] }
  const name = join(BEFORE, randomUUID())
  const missing = { kind: 'disk', text: 'The rows of earlier pages are missing.' } as const
  return { before: { from: name, rows }, gifts: [{ name, from, version: name, missing, isForOneJob: true }] }
}
