import { randomUUID } from 'node:crypto'
import { mkdir, realpath, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type CheckOptions, noCheckUnderWay, problemsOf } from '../duckdb/check/sound-catalogue.js'
import { sandboxMode } from '../duckdb/settings.js'
import { namingSpace } from '../files/no-space.js'
import { makeOwnFolder } from '../files/own-folder.js'
import { Places } from '../flow/places.js'
import { removeTree } from '../sandbox/remove-tree.js'
import { openSandbox, type SandboxMode } from '../sandbox/sandbox.js'
import type { SnapshotStore } from '../snapshots/store.js'
import { checkOptions } from '../values/known-options.js'
import { closedError, failureOf, listed, SealError, SealerError } from './error.js'
import { INSPECTED, type SealJob, sealOutcomeOf } from './job.js'
import { checkProjects, type ManyResult, sealMany } from './many.js'
import { type SealProcess, SealProcesses } from './process.js'
import { publishSealed, takeSealed } from './publish.js'
import type { InspectRequest, Sealer, SealManyRequest, SealRequest } from './request.js'
import { checkNames, checkRequest, type GatheredTables, gather } from './tables.js'
import { atVersions, type Key, rememberVersions } from './versions.js'

const MEMORY_LIMIT_BYTES = 2 * 1024 ** 3
const FILE_BYTES = 128 * 1024 ** 2
const SEAL: Readonly<Record<keyof SealRequest, true>> = {
  projectId: true,
  assessmentId: true,
  tables: true,
  append: true,
  by: true,
  sourceDigest: true,
  signal: true,
}
const CHECK = { tables: true, by: true, signal: true }
const CHECK_MANY = { tables: true, by: true, shared: true, projects: true, signal: true }
const SEAL_MANY: Readonly<Record<keyof SealManyRequest, true>> = {
  tables: true,
  by: true,
  shared: true,
  projects: true,
  known: true,
  assessmentId: true,
  sourceDigest: true,
  onOutcome: true,
  signal: true,
}
const OPTIONS = {
  catalogue: true,
  snapshots: true,
  folder: true,
  memoryLimitBytes: true,
  fileBytes: true,
  sandbox: true,
}

/**
 * Starts a sealer, which checks the tables of a package and publishes them as the newest snapshot of its project.
 * Removes scratch files that killed sealers of this machine left in `folder`.
 *
 * @param options - The catalogue, where snapshots are published, and a folder for scratch files. Sizes are in bytes.
 * @returns Resolves to the sealer once its process runs. `close()` ends it.
 * @throws TypeError when an option does not exist, `fileBytes` is no whole number above 0, or `sandbox` is no mode; an
 * Error when the process does not start, or with `sandbox: 'required'` when a wall is missing.
 *
 * @example
 * ```ts
 * const sealer = await openSealer({ catalogue, snapshots: directorySnapshots('data/snapshots'), folder: 'data/scratch' })
 * try {
 *   await sealer.seal({ projectId, tables: fromFolder('package') })
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
   * Size of a Parquet file. A larger table is stored as several files of about this size, of at least 122,880
   * rows each. Default: 128 MiB.
   */
  fileBytes?: number
  /**
   * Whether the process runs behind walls of the operating system, as those of `duckdbEngine` do. Default:
   * `auto`.
   */
  sandbox?: SandboxMode
}): Promise<Sealer> {
  checkOptions('openSealer', options, OPTIONS)
  const { catalogue, snapshots, memoryLimitBytes = MEMORY_LIMIT_BYTES, fileBytes = FILE_BYTES } = options
  const mode = sandboxMode(options.sandbox ?? 'auto', 'sandbox')
  if (!Number.isSafeInteger(fileBytes) || fileBytes < 1)
    throw new TypeError('fileBytes is a whole number above 0')
  const sandbox = await openSandbox(mode)
  const folder = await namingSpace([options.folder], () => makeOwnFolder(resolve(options.folder), 'seal'))
  const scratch = await realpath(folder)
  const failing = { memoryLimitBytes, folders: [resolve(options.folder)] }
  const processes = new SealProcesses(scratch, { memoryLimitBytes, sandbox })
  const closing = new AbortController()
  /** Requests run one after the other. */
  const place = new Places(1)
  await processes.ready()

  function inProcess<Result>(
    signal: AbortSignal | undefined,
    work: (process: SealProcess) => Promise<Result>,
  ): Promise<Result> {
    return processes.use({ signal, hasMore: place.waiting > 0 }, work)
  }

  async function sealTenants(request: SealManyRequest, isCheck: boolean): Promise<ManyResult> {
    const checked: Parameters<Sealer['checkMany']>[0] = request
    if (isCheck) checkOptions('checkMany', checked, CHECK_MANY)
    else checkOptions('sealMany', request, SEAL_MANY)
    const { by, signal } = request
    const shared = request.shared === 'where-missing' ? null : (request.shared ?? [])
    checkNames(catalogue, shared ?? [], 'shared')
    checkProjects(request.projects)
    const { tables, projects } = request
    const assessmentOf = (key: Key) => (key === null ? undefined : request.assessmentId?.(key))
    const found = await gatherFor({
      tables,
      by,
      // Which tables are the same for all is known by their rows otherwise.
      ...(shared ? { shared, ...(isCheck ? {} : { candidates: { projects, assessmentOf } }) } : {}),
      ...(signal ? { signal } : {}),
    })
    try {
      const { tables, problems } = found
      const { hierarchy, rules } = catalogue
      const job = { isCheck, by, shared, fileBytes, tables, problems, rules, hierarchy }
      return await sealMany(request, found, job, {
        snapshots,
        folder: join(scratch, `shared-${randomUUID()}`),
        use: work => processes.use({ signal, hasMore: false }, work),
        failureOf: async cause => (processes.isClosed ? closedError() : failureOf(cause, failing)),
      })
    } finally {
      await found.dispose()
    }
  }

  /** Runs the job of a request on what was gathered: writes to `target`, or only checks when that is null. */
  async function work(
    request: Pick<SealRequest, 'by' | 'signal'>,
    { tables, problems, files }: GatheredTables,
    target: string | null,
  ) {
    const { hierarchy, rules } = catalogue
    const { by, signal } = request
    const isCheck = target === null
    const job: SealJob = {
      isCheck,
      fileBytes,
      tables,
      problems,
      rules,
      hierarchy,
      ...(by === undefined ? {} : { by }),
    }
    try {
      return await inProcess(signal, async process => {
        const outcome = await process.run(job, sealOutcomeOf(job), files)
        if (outcome.problems) throw new SealError(outcome.problems)
        const take = (name: string) => process.take(name)
        const sealed =
          target !== null && outcome.sealed ? await takeSealed(outcome.sealed, tables, target, take) : null
        return { checked: outcome.checked ?? null, sealed }
      })
    } catch (cause) {
      throw await failureOf(cause, failing)
    }
  }

  /** Gathers the tables of a request, once the catalogue is known to be sound. */
  async function gatherFor(request: Parameters<typeof gather>[1]): Promise<GatheredTables> {
    checkRequest(catalogue, request)
    request.signal?.throwIfAborted()
    const signal = AbortSignal.any([closing.signal, ...(request.signal ? [request.signal] : [])])
    await mustBeSound(catalogue, { folder: resolve(options.folder), sandbox: mode, signal })
    return gather({ catalogue, snapshots, scratch }, { ...request, signal })
  }

  async function seal(request: SealRequest): ReturnType<Sealer['seal']> {
    checkOptions('seal', request, SEAL)
    const { projectId, assessmentId } = request
    const candidates = { projects: new Map([[null, projectId]]), assessmentOf: () => assessmentId }
    const found = await gatherFor({ ...request, candidates })
    const folder = join(scratch, `sealed-${randomUUID()}`)
    try {
      const before = found.unchanged.get(null)
      if (before) return { manifest: before, unchanged: true, leftOut: found.leftOut }
      await mkdir(folder, { mode: 0o700 })
      const { sealed } = await work(request, found, folder)
      if (!sealed) throw new Error('nothing was written')
      const after = found.base ? { after: found.base.snapshotId } : {}
      const versions = found.versions?.of(null) ?? null
      const tables = atVersions(sealed.tables, versions)
      const published = await publishSealed(snapshots, folder, { ...sealed, tables }, request, after)
      rememberVersions(snapshots, published, versions)
      return { ...published, leftOut: found.leftOut }
    } finally {
      await Promise.all([rm(folder, { recursive: true, force: true }), found.dispose()])
    }
  }

  async function check(request: Parameters<Sealer['check']>[0]): ReturnType<Sealer['check']> {
    checkOptions('check', request, CHECK)
    const found = await gatherFor(request)
    try {
      const { checked } = await work(request, found, null)
      if (!checked) throw new Error('nothing was checked')
      const tables = found.tables.map(({ name }, at) => ({ name, rows: checked.rows[at] as number }))
      return { tables, warnings: checked.warnings, leftOut: found.leftOut }
    } finally {
      await found.dispose()
    }
  }

  async function inspect({ folder, files, signal }: InspectRequest): Promise<string[]> {
    const paths = files.map(file => ({ name: file, path: join(folder, file) }))
    return inProcess(signal, process => process.run({ inspected: [...files] }, INSPECTED, paths))
  }

  function inTurn<Result>(signal: AbortSignal | undefined, start: () => Promise<Result>): Promise<Result> {
    const waiting = signal ? { signal } : {}
    return place.run(waiting, async () => {
      try {
        return await start()
      } catch (cause) {
        if (signal?.aborted) throw signal.reason
        throw processes.isClosed && !(cause instanceof SealError)
          ? closedError()
          : await failureOf(cause, failing)
      } finally {
        await processes.endCurrent() // now, since a full disk is no longer full when its files are removed
      }
    })
  }

  return {
    seal: request => inTurn(request.signal, () => seal(request)),
    async sealMany(request) {
      const {
        problems: _,
        checked: __,
        ...sealed
      } = await inTurn(request.signal, () => sealTenants(request, false))
      return sealed
    },
    async checkMany(request) {
      const { sealed: _, ...found } = await inTurn(request.signal, () => sealTenants(request, true))
      return found
    },
    check: request => inTurn(request.signal, () => check(request)),
    inspect: request => inTurn(request.signal, () => inspect(request)),
    async close() {
      closing.abort()
      await processes.close()
      await noCheckUnderWay(catalogue)
      await removeTree(scratch)
    },
  }
}

/** Rejects with a {@link SealerError} that lists the problems of a catalogue, see {@link problemsOf}. */
async function mustBeSound(catalogue: Catalogue, options: CheckOptions): Promise<void> {
  const problems = await problemsOf(catalogue, options)
  if (problems.length === 0) return
  const lines = listed(problems, ({ place, message }) => `${place}: ${message}`)
  throw new SealerError('catalogue', `The catalogue has mistakes, so nothing is sealed:\n${lines}`)
}
