import { rm } from 'node:fs/promises'
import { JobProcess, type ProcessExit } from '../flow/parent.js'
import { childScript } from '../flow/script.js'
import type { EngineSettings, JobFailure, WorkerSettings } from './jobs.js'

/** Most snapshots that a worker keeps open, each in an instance of its own. */
const MOST_OPEN = 16

/** The script of a worker; throws where the package is bundled. */
export const workerScript = () => childScript('./child/main.js', import.meta.url)

/**
 * One DuckDB child process. It serves a single organization until it ends: memory that DuckDB has freed still contains
 * old rows, which a statement that reads past the end of a string could return.
 */
export class Worker {
  /** The organization whose jobs it runs; null while it is blank. */
  organization: string | null = null
  /** Folders of the snapshots that it has open, as far as the host knows; the most recently used comes last. */
  readonly #folders = new Set<string>()
  /** When its last job ended, as `performance.now()`. */
  usedAt = 0
  /** Whether it has started successfully, even if it has ended since. */
  hasBeenReady = false
  /** Resolves with how the process ended, once its scratch folder is removed. */
  readonly exited: Promise<ProcessExit>
  readonly process: JobProcess<JobFailure>

  /** Why the host has killed it, unless that was to make way for another one. */
  killedFor: 'deadline' | 'crash' | null = null

  constructor(given: EngineSettings, onHeld: () => void) {
    const settings: WorkerSettings = { ...given, mostOpen: MOST_OPEN }
    const { scratch, memoryLimitBytes } = settings
    const script = workerScript()
    this.process = new JobProcess<JobFailure>({ script, folder: scratch, settings, memoryLimitBytes, onHeld })
    this.process.ready.then(
      () => {
        this.hasBeenReady = true
      },
      () => {}, // `exited` reports it
    )
    this.exited = this.process.exited.then(async exit => {
      await rm(scratch, { recursive: true, force: true }).catch(() => {}) // else removed at the next start
      return exit
    })
  }

  /** Whether it has started and not ended; it may be busy. */
  get isReady(): boolean {
    return this.hasBeenReady && this.process.alive
  }

  /** Whether it has a snapshot of the project open. */
  knows(projectId: string): boolean {
    return [...this.#folders].some(folder => folder.includes(projectId))
  }

  /** Records the folder that the next job opens; null for a build, which closes all open snapshots. */
  opens(folder: string | null): void {
    if (folder === null) this.#folders.clear()
    else {
      this.#folders.delete(folder)
      this.#folders.add(folder)
    }
    for (const first of this.#folders) if (this.#folders.size > MOST_OPEN) this.#folders.delete(first)
  }

  kill(reason: 'deadline' | 'crash'): void {
    this.killedFor ??= reason
    this.process.kill()
  }

  /** Binds it to an organization until it ends. */
  serve(organization: string): void {
    if (this.organization !== null && this.organization !== organization)
      throw new Error('an engine process serves one organization')
    this.organization = organization
  }
}
