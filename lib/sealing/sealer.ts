import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Catalogue, TableDefinition } from '../catalogue/catalogue.js'
import type { JobFailure } from '../engine/jobs.js'
import { JobFailed, JobProcess, ProcessDied } from '../process/parent.js'
import { childScript } from '../process/script.js'
import type { DirectorySnapshots } from '../snapshots/directory.js'
import { FORMAT_VERSION, type SnapshotManifest } from '../snapshots/manifest.js'
import type { SealJob, SealOutcome, SealProblem, SealTable } from './seal-job.js'

/** Thrown when a package has problems; nothing was sealed. */
export class SealError extends Error {
  /** All problems found; `message` lists the first 100, one per line. */
  readonly problems: readonly SealProblem[]

  constructor(problems: readonly SealProblem[]) {
    const lines = problems
      .slice(0, MAX_LINES)
      .map(({ table, column, message }) => `${table}${column ? `.${column}` : ''}: ${message}`)
    if (problems.length > MAX_LINES) lines.push(`and ${problems.length - MAX_LINES} more`)
    super(lines.join('\n'))
    this.name = 'SealError'
    this.problems = problems
  }
}

/** Thrown when sealing fails for a reason other than the contents of the package, which throw a {@link SealError}. */
export class SealerError extends Error {
  /**
   * `memory`: the tables need more than `memoryLimitBytes`. `closed`: the sealer was closed. `failed`: anything else,
   * such as a folder that could not be read or written, or a process that ended; see `cause`.
   */
  readonly reason: 'memory' | 'closed' | 'failed'

  constructor(reason: SealerError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SealerError'
    this.reason = reason
  }
}

/** A package to seal. */
export interface SealRequest {
  /** UUID of the project, lower case. */
  projectId: string
  /** Id of the assessment that the tables come from: any string that the host chooses. */
  assessmentId: string
  /** Folder with one `<table>.parquet` or `<table>.csv` per table. */
  source: string
  /**
   * A column that separates projects; it is not stored. With `value`, only rows with that value are sealed; without it,
   * the column must have a single value in each table that has it.
   */
  partition?: { column: string; value?: string }
  /** Digest of the package, stored in the manifest so that the host can recognise the same package. */
  sourceDigest?: string
  /** Aborts the sealing, which then leaves nothing behind. */
  signal?: AbortSignal
}

/** Seals packages one at a time, each in its own engine process. */
export interface Sealer {
  /**
   * Checks and seals a package, after those requested before it. Returns the manifest, and as `leftOut` the names of
   * files in the folder that belong to no table of the catalogue. Throws a {@link SealError} when the package has
   * problems, a {@link SealerError} when sealing fails for another reason, and the signal's reason after an abort.
   */
  seal(request: SealRequest): Promise<{ manifest: SnapshotManifest; leftOut: string[] }>
  /** Ends the process and removes its scratch files; a sealing in progress throws. */
  close(): Promise<void>
}

const MAX_LINES = 100
const MEMORY_LIMIT_BYTES = 2 * 1024 ** 3
const FORMATS = ['parquet', 'csv'] as const

/**
 * Starts a sealer, which checks the tables of an assessment and publishes them as the newest snapshot of its project.
 * Rejects when the process does not start.
 *
 * @example
 * ```ts
 * const sealer = await openSealer({ catalogue, snapshots: directorySnapshots('data/snapshots'), folder: 'data/scratch' })
 * try {
 *   await sealer.seal({ projectId, assessmentId: randomUUID(), source: 'assessment/tables' })
 * } catch (error) {
 *   if (error instanceof SealError) for (const { table, column, message } of error.problems) report(table, column, message)
 *   else throw error
 * } finally {
 *   await sealer.close()
 * }
 * ```
 */
export async function openSealer(options: {
  /** Defines the tables and what is checked. */
  catalogue: Catalogue
  /** Where snapshots are published. */
  snapshots: DirectorySnapshots
  /** Folder for scratch files, created when missing. */
  folder: string
  /** Memory limit of the process. Default: 2 GiB. */
  memoryLimitBytes?: number
}): Promise<Sealer> {
  const { catalogue, snapshots, memoryLimitBytes = MEMORY_LIMIT_BYTES } = options
  const scratch = join(resolve(options.folder), `seal-${randomUUID()}`)
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  const settings = { threads: 1, memoryLimitBytes, spillBytes: 16 * memoryLimitBytes, scratch }
  const script = childScript('./process.js', import.meta.url)
  const start = () => new JobProcess<JobFailure>({ script, folder: scratch, settings, memoryLimitBytes })
  /** Each package gets a new process, because consecutive packages may belong to different organizations. */
  let next: JobProcess<JobFailure> | null = start()
  let process: JobProcess<JobFailure> | null = null
  let waiting = 0
  let closed = false
  let last: Promise<unknown> = Promise.resolve()
  await next.ready

  async function run(job: SealJob, signal: AbortSignal | undefined): Promise<SealOutcome> {
    if (closed) throw closedError()
    process = next?.alive ? next : start()
    next = waiting > 0 ? start() : null
    try {
      await process.ready
      signal?.throwIfAborted()
      return await process.run<SealOutcome>(job)
    } finally {
      process.kill()
      await process.exited
    }
  }

  async function seal(request: SealRequest): Promise<{ manifest: SnapshotManifest; leftOut: string[] }> {
    request.signal?.throwIfAborted()
    const source = resolve(request.source)
    const { tables, problems, leftOut } = await findTables(catalogue, source)
    const draft = await snapshots.draft()
    const interrupt = () => process?.interrupt()
    request.signal?.addEventListener('abort', interrupt, { once: true })
    try {
      request.signal?.throwIfAborted()
      const { partition } = request
      const job: SealJob = {
        source,
        target: draft,
        tables,
        hierarchy: catalogue.hierarchy,
        problems,
        ...(partition ? { partition } : {}),
      }
      const outcome = await run(job, request.signal)
      if (!outcome.ok) throw new SealError(outcome.problems)
      const { ok: _, ...contents } = outcome
      const manifest = await snapshots.publish(draft, {
        formatVersion: FORMAT_VERSION,
        projectId: request.projectId,
        assessmentId: request.assessmentId,
        sealedAt: new Date().toISOString(),
        ...(request.sourceDigest === undefined ? {} : { sourceDigest: request.sourceDigest }),
        ...contents,
      })
      return { manifest, leftOut }
    } finally {
      request.signal?.removeEventListener('abort', interrupt)
      for (const path of [draft, join(scratch, 'staging.duckdb'), join(scratch, 'staging.duckdb.wal')])
        await rm(path, { recursive: true, force: true })
    }
  }

  return {
    seal(request) {
      waiting += 1
      const turn = last.then(() => {
        waiting -= 1
        return seal(request).catch(cause => {
          if (request.signal?.aborted) throw request.signal.reason
          throw closed && !(cause instanceof SealError) ? closedError() : failureOf(cause, memoryLimitBytes)
        })
      })
      last = turn.catch(() => {})
      return turn
    },
    async close() {
      closed = true
      for (const started of [process, next]) {
        started?.kill()
        await started?.exited
      }
      await rm(scratch, { recursive: true, force: true })
    },
  }
}

function closedError(): SealerError {
  return new SealerError('closed', 'The sealer is closed.')
}

function failureOf(cause: unknown, memoryLimitBytes: number): Error {
  if (cause instanceof SealError || cause instanceof SealerError) return cause
  const failure = cause instanceof JobFailed ? (cause.failure as JobFailure) : null
  if (failure?.kind === 'memory' || (cause instanceof ProcessDied && cause.exit.outOfMemory)) {
    const limit = `${memoryLimitBytes / 1024 ** 2} MiB`
    return new SealerError('memory', `The tables do not fit into the ${limit} that sealing may take.`, { cause })
  }
  const why = failure?.text ?? (cause instanceof Error ? cause.message : String(cause))
  return new SealerError('failed', `The package could not be sealed: ${why}`, { cause })
}

async function findTables(catalogue: Catalogue, source: string) {
  const files = new Set(await readdir(source))
  const tables: SealTable[] = []
  const problems: SealProblem[] = []
  for (const definition of catalogue.relations.values()) {
    if (definition.kind !== 'table') continue
    const { name } = definition
    const found = FORMATS.filter(format => files.delete(`${name}.${format}`))
    const [format] = found
    if (found.length > 1) problems.push({ table: name, message: `there is both ${name}.parquet and ${name}.csv` })
    else if (format) tables.push(sealTable(definition, format, catalogue))
    else if (!definition.optional) problems.push({ table: name, message: `${name}.parquet or ${name}.csv is missing` })
  }
  return { tables, problems, leftOut: [...files].sort() }
}

function sealTable(definition: TableDefinition, format: 'csv' | 'parquet', catalogue: Catalogue): SealTable {
  const { name, columns, required, unique, references, ranges } = definition
  const { table, key, parent, id, share } = catalogue.hierarchy
  const targets = [...catalogue.relations.values()]
    .flatMap(relation => (relation.kind === 'table' ? Object.values(relation.references) : []))
    .flatMap(target => (target.startsWith(`${name}.`) ? [target.slice(name.length + 1)] : []))
  const ofTree = table === name ? [key, parent, id, share] : []
  const named = [
    ...new Set([...required, ...unique, ...Object.keys(references), ...Object.keys(ranges), ...targets, ...ofTree]),
  ]
  return { name, format, columns: columns ?? null, named, required, unique, references, ranges }
}
