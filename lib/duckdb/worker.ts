import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { EngineFailure } from '../engine/port.js'
import type { CappedScript } from '../flow/capped.js'
import type { ProcessExit } from '../flow/death.js'
import { type JobAnswer, JobFailed, JobProcess } from '../flow/parent.js'
import { RecentMap } from '../flow/recent.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { childScript } from '../sandbox/script.js'
import { World } from '../sandbox/world.js'
import {
  type EngineSettings,
  FAILURE,
  type Gift,
  type Job,
  type JobFailure,
  type JobOf,
  type JobResult,
  outcomeOf,
  relationsOf,
  type WorkerSettings,
} from './jobs.js'

/** Most projects that a worker keeps open, each in an instance of its own. */
export const MOST_OPEN = 16

/** The script of a worker; throws where the package is bundled. */
export const workerScript = () => childScript('./child/main.js', import.meta.url)

/** What a worker imports; those for some formats of files are optional. */
const PACKAGES = ['@duckdb/node-api', 'apache-arrow', 'parquet-wasm', 'lz4-napi', 'yazl']

/** Limits of a worker, and the walls that it runs behind. */
export interface WorkerOptions extends Omit<EngineSettings, 'own' | 'given'> {
  sandbox: Sandbox
  /** What it may take besides memory. */
  bounds?: CappedScript['bounds']
}

/**
 * One DuckDB child process. It serves a single organization, and of that a single reach, until it ends: memory that DuckDB
 * has freed still contains old rows, which a statement that reads past the end of a string could return.
 */
export class Worker {
  /** Whose jobs it runs; null while it is blank. */
  organization: string | null = null
  /** Which of them; see `reachOf`. */
  reach: string | null = null
  /** Folders of the projects that it has open, as far as the host knows. */
  readonly #folders = new RecentMap<string, true>(MOST_OPEN)
  /** When its last job ended, as `performance.now()`. */
  usedAt = 0
  /** Whether it has started successfully, even if it has ended since. */
  hasBeenReady = false
  /** Resolves with how the process ended, once its folder is removed. */
  readonly exited: Promise<ProcessExit>
  readonly process: JobProcess<JobFailure>
  readonly #world: World
  /** Versions of the files that it was given, by their names. */
  readonly #given = new Map<string, unknown>()
  /** Whether it has a job, and what is taken away from it after that. */
  #isBusy = false
  readonly #withdrawn = new Set<string>()

  /** Why the host has killed it, unless that was to make way for another one. */
  killedFor: 'deadline' | 'crash' | null = null

  constructor(folder: string, { sandbox, bounds = {}, ...limits }: WorkerOptions, onHeld: () => void) {
    const world = new World(folder)
    this.#world = world
    const { own, given } = world
    const settings: WorkerSettings = { ...limits, own, given, mostOpen: MOST_OPEN }
    const { memoryLimitBytes } = limits
    const script = { url: workerScript(), packages: PACKAGES }
    const options = { script, world, sandbox, settings, memoryLimitBytes, bounds, onHeld }
    this.process = new JobProcess({ ...options, failures: FAILURE })
    this.process.ready.then(
      () => {
        this.hasBeenReady = true
      },
      () => {}, // `exited` reports it
    )
    this.exited = this.process.exited.then(async exit => {
      await world.remove().catch(() => {}) // a folder that is left is removed at the next start
      return exit
    })
  }

  /** Whether it has started and not ended; it may be busy. */
  get isReady(): boolean {
    return this.hasBeenReady && this.process.alive
  }

  /** Whether it can open another project without closing one. */
  get hasRoom(): boolean {
    return this.#folders.size < MOST_OPEN
  }

  /** Whether it has the project open. */
  knows(projectId: string): boolean {
    return this.#folders.peek(projectId) === true
  }

  /** Records the folder that the next job opens; null for a build, which closes all open projects. */
  opens(folder: string | null): void {
    if (folder === null) this.#folders.clear()
    else this.#folders.set(folder, true)
  }

  kill(reason: 'deadline' | 'crash'): void {
    this.killedFor ??= reason
    this.process.kill()
  }

  /** Binds it to an organization and a reach until it ends. */
  serve(organization: string, reach: string): void {
    if (this.organization !== null && (this.organization !== organization || this.reach !== reach))
      throw new Error('an engine process serves one organization and one reach')
    this.organization = organization
    this.reach = reach
  }

  /**
   * Gives it what a job needs. Throws a {@link WorldGone} when its folder has been removed, and an
   * {@link EngineFailure} when a file is missing.
   */
  async prepare(kind: Job['kind'], gifts: readonly Gift[]): Promise<void> {
    this.#isBusy = true
    if (kind !== 'rows') await this.#world.check()
    for (const { name, from, version, missing } of gifts) {
      if (this.#given.get(name) === version) continue
      await this.#world.give(name, from).catch(cause => {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
        throw new EngineFailure(missing.kind, missing.text, { cause: `${from}: ${cause}` })
      })
      this.#given.set(name, version)
    }
  }

  /** Runs a job. A failure of a relation has its alias as its text, which is looked up in the job. */
  async run<Kind extends Job['kind']>(job: JobOf<Kind>): Promise<JobAnswer<JobResult<Kind>>> {
    try {
      return await this.process.run(job, outcomeOf(job))
    } catch (cause) {
      throw cause instanceof JobFailed ? new JobFailed(withAlias(job, cause.failure)) : cause
    }
  }

  /** Takes away what it was given for this job alone, and what was withdrawn while the job ran. */
  async tidy(gifts: readonly Gift[]): Promise<void> {
    const withdrawn = [
      ...this.#withdrawn,
      ...gifts.flatMap(({ name, isForOneJob }) => (isForOneJob ? [name] : [])),
    ]
    this.#withdrawn.clear()
    this.#isBusy = false
    for (const name of withdrawn) await this.withdraw(name)
  }

  /** Takes a file away from it, once no job reads it. */
  async withdraw(name: string): Promise<void> {
    if (this.#isBusy) this.#withdrawn.add(name)
    else if (this.#given.delete(name)) await this.#world.withdraw(name)
  }

  /** Takes a file that it has made, see {@link World.take}. */
  take(name: string): Promise<string> {
    return this.#world.take(name)
  }

  /** Bytes of a file that it makes; 0 while there is none. */
  sizeOf(name: string): number {
    try {
      return lstatSync(join(this.#world.own, name), { throwIfNoEntry: false })?.size ?? 0
    } catch {
      return 0 // the process has closed its folder
    }
  }

  /** Whether its folder is there. */
  hasFolder(): Promise<boolean> {
    return this.#world.check().then(
      () => true,
      () => false,
    )
  }
}

function withAlias(job: Job, failure: JobFailure): JobFailure {
  const { kind, at, cause = '' } = failure
  if (kind !== 'view' && kind !== 'relation') return failure
  const text = relationsOf(job, kind)[at ?? -1]?.alias ?? ''
  if (kind === 'relation' && text === '') return { kind: 'fault', text: 'The engine failed.', cause }
  return { ...failure, text }
}
