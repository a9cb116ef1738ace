import { rm } from 'node:fs/promises'
import { JobProcess, type ProcessExit } from '../process/parent.js'
import { type EngineSettings, type JobFailure, MOST_OPEN } from './jobs.js'

const SCRIPT = new URL('./worker/main.js', import.meta.url)

/**
 * One engine process, from its start to its end. It serves one organization in its life: what the engine has freed is
 * still in its memory, and a statement that reads past the end of a string would find it there.
 */
export class Worker {
  /** Whose data it has held; null while it is blank. */
  organization: string | null = null
  /** Folders of the snapshots that it has open, as far as is known here; the one used last comes last. */
  readonly #folders = new Set<string>()
  /** When its last job ended, by the clock of `performance`. */
  usedAt = 0
  /** It has taken jobs, whatever became of it. */
  hasBeenReady = false
  /** How it ended, once nothing of it is left. */
  readonly exited: Promise<ProcessExit>
  readonly process: JobProcess<JobFailure>

  constructor(settings: EngineSettings) {
    const { scratch, memoryLimitBytes } = settings
    this.process = new JobProcess<JobFailure>({ script: SCRIPT, folder: scratch, settings, memoryLimitBytes })
    this.process.ready.then(
      () => {
        this.hasBeenReady = true
      },
      () => {}, // told by how it ended
    )
    this.exited = this.process.exited.then(async exit => {
      await rm(scratch, { recursive: true, force: true }).catch(() => {}) // or at the next start
      return exit
    })
  }

  /** It takes jobs, or is at work on one. */
  get isReady(): boolean {
    return this.hasBeenReady && this.process.alive
  }

  /** Whether it has a snapshot of the project open. */
  knows(projectId: string): boolean {
    return [...this.#folders].some(folder => folder.includes(projectId))
  }

  /** Told what it opens next; a build, whose folder is null, makes it close all that it has open. */
  opens(folder: string | null): void {
    if (folder === null) this.#folders.clear()
    else {
      this.#folders.delete(folder)
      this.#folders.add(folder)
    }
    for (const first of this.#folders) if (this.#folders.size > MOST_OPEN) this.#folders.delete(first)
  }

  /** Binds it to an organization for the rest of its life. */
  serve(organization: string): void {
    if (this.organization !== null && this.organization !== organization)
      throw new Error('an engine process serves one organization')
    this.organization = organization
  }
}
