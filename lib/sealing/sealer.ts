import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Catalogue, TableDefinition } from '../catalogue/catalogue.js'
import type { JobFailure } from '../engine/jobs.js'
import { JobProcess } from '../process/parent.js'
import { childScript } from '../process/script.js'
import type { SealProblem } from '../snapshots/manifest.js'
import { FORMAT_VERSION, SEVERAL_FILES_VERSION, type SnapshotManifest } from '../snapshots/manifest.js'
import type { SnapshotStore } from '../snapshots/store.js'
import { closedError, failureOf, SealError } from './seal-error.js'
import type { CheckedPackage, Partition, SealJob, SealOutcome, SealTable } from './seal-job.js'

/** A package to seal. */
export interface SealRequest {
  /** UUID of the project, lower case. */
  projectId: string
  /** Id of the assessment that the tables come from: any string that the host chooses. */
  assessmentId: string
  /** Folder with one `<table>.parquet` or `<table>.csv` per table. */
  source: string
  /** The column that separates projects, when the folder holds several. */
  partition?: Partition
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
  /** Checks a package as `seal` does, and writes nothing. Throws what `seal` throws. */
  check(request: Pick<SealRequest, 'source' | 'partition' | 'signal'>): Promise<CheckedPackage & { leftOut: string[] }>
  /** Ends the process and removes its scratch files; a sealing in progress throws. */
  close(): Promise<void>
}

const MEMORY_LIMIT_BYTES = 2 * 1024 ** 3
const FILE_BYTES = 128 * 1024 ** 2
const FORMATS = ['parquet', 'csv'] as const

/**
 * Starts a sealer, which checks the tables of an assessment and publishes them as the newest snapshot of its project.
 * Rejects when the process does not start, and with a TypeError unless `fileBytes` is a whole number above 0.
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
  snapshots: SnapshotStore
  /** Folder for scratch files, created when missing. */
  folder: string
  /** Memory limit of the process. Default: 2 GiB. */
  memoryLimitBytes?: number
  /**
   * Size of a Parquet file. A larger table is stored as several files of about this size, of at least 122,880 rows each.
   * Default: 128 MiB.
   */
  fileBytes?: number
}): Promise<Sealer> {
  const { catalogue, snapshots, memoryLimitBytes = MEMORY_LIMIT_BYTES, fileBytes = FILE_BYTES } = options
  if (!Number.isSafeInteger(fileBytes) || fileBytes < 1) throw new TypeError('fileBytes is a whole number above 0')
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

  /** Runs the job of a request: writes to `target`, or only checks when that is null. */
  async function work(request: Pick<SealRequest, 'source' | 'partition' | 'signal'>, target: string | null) {
    const source = resolve(request.source)
    const { leftOut, ...found } = await findTables(catalogue, source)
    const { hierarchy, rules } = catalogue
    const interrupt = () => process?.interrupt()
    request.signal?.addEventListener('abort', interrupt, { once: true })
    try {
      request.signal?.throwIfAborted()
      const { partition } = request
      const outcome = await run(
        { source, target, fileBytes, ...found, rules, hierarchy, ...(partition ? { partition } : {}) },
        request.signal,
      )
      if (outcome.problems) throw new SealError(outcome.problems)
      return { outcome, leftOut }
    } finally {
      request.signal?.removeEventListener('abort', interrupt)
      for (const file of ['staging.duckdb', 'staging.duckdb.wal']) await rm(join(scratch, file), { force: true })
    }
  }

  async function seal(request: SealRequest): Promise<{ manifest: SnapshotManifest; leftOut: string[] }> {
    request.signal?.throwIfAborted()
    const draft = await snapshots.draft()
    try {
      const { outcome, leftOut } = await work(request, draft)
      if (!('sealed' in outcome)) throw new Error('nothing was written')
      const contents = {
        formatVersion: outcome.sealed.tables.some(table => 'files' in table) ? SEVERAL_FILES_VERSION : FORMAT_VERSION,
        projectId: request.projectId,
        assessmentId: request.assessmentId,
        sealedAt: new Date().toISOString(),
        ...(request.sourceDigest === undefined ? {} : { sourceDigest: request.sourceDigest }),
        ...outcome.sealed,
      }
      const manifest = await snapshots.publish(draft, contents, request.signal)
      return { manifest, leftOut }
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  async function check(request: Parameters<Sealer['check']>[0]): ReturnType<Sealer['check']> {
    request.signal?.throwIfAborted()
    const { outcome, leftOut } = await work(request, null)
    if (!('checked' in outcome)) throw new Error('nothing was checked')
    return { ...outcome.checked, leftOut }
  }

  /** Runs requests one after the other. */
  function inTurn<Result>(signal: AbortSignal | undefined, start: () => Promise<Result>): Promise<Result> {
    waiting += 1
    const turn = last.then(() => {
      waiting -= 1
      return start().catch(cause => {
        if (signal?.aborted) throw signal.reason
        throw closed && !(cause instanceof SealError) ? closedError() : failureOf(cause, memoryLimitBytes)
      })
    })
    last = turn.catch(() => {})
    return turn
  }

  return {
    seal: request => inTurn(request.signal, () => seal(request)),
    check: request => inTurn(request.signal, () => check(request)),
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

async function findTables(catalogue: Catalogue, source: string) {
  const files = new Set(await readdir(source))
  const tables: SealTable[] = []
  const problems: SealProblem[] = []
  for (const definition of catalogue.relations.values()) {
    if (definition.kind !== 'table') continue
    const { name } = definition
    const found = FORMATS.filter(format => files.delete(`${name}.${format}`))
    const [format] = found
    if (found.length > 1)
      problems.push({ table: name, message: `there is both ${name}.parquet and ${name}.csv: keep one` })
    else if (format) tables.push(sealTable(definition, format, catalogue))
    else if (!definition.optional) problems.push({ table: name, message: `${name}.parquet or ${name}.csv is missing` })
  }
  return { tables, problems, leftOut: [...files].sort() }
}

function sealTable(definition: TableDefinition, format: 'csv' | 'parquet', catalogue: Catalogue): SealTable {
  const { name, columns, required, unique, references, ranges, values, warnings } = definition
  const { table, key, parent, id, share } = catalogue.hierarchy
  const targets = [...catalogue.relations.values()]
    .flatMap(relation => (relation.kind === 'table' ? Object.values(relation.references) : []))
    .flatMap(target => (target.startsWith(`${name}.`) ? [target.slice(name.length + 1)] : []))
  const ofTree = table === name ? [key, parent, id, share] : []
  const named = [
    ...new Set([
      ...required,
      ...unique,
      ...[references, ranges, values].flatMap(checks => Object.keys(checks)),
      ...catalogue.rules.flatMap(rule => (rule.table === name ? rule.column : [])),
      ...targets,
      ...ofTree,
    ]),
  ]
  const isOfProject = reachesEntities(definition, catalogue)
  return {
    name,
    format,
    columns: columns ?? null,
    named,
    required,
    unique,
    references,
    ranges,
    values,
    isOfProject,
    warnings,
  }
}

/** Whether a table is that of the entities, or refers to it, perhaps by way of other tables. */
function reachesEntities(table: TableDefinition, catalogue: Catalogue, seen: readonly string[] = []): boolean {
  if (table.name === catalogue.hierarchy.table) return true
  const targets = Object.values(table.references).map(target => target.split('.')[0] ?? '')
  return targets
    .filter(name => !seen.includes(name))
    .map(name => catalogue.relations.get(name))
    .some(next => next?.kind === 'table' && reachesEntities(next, catalogue, [...seen, table.name]))
}
