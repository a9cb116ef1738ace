import { mkdir, rm } from 'node:fs/promises'
import { JobProcess, type ProcessExit } from '../process/parent.js'
import type { EngineSettings, JobFailure } from './jobs.js'

const SCRIPT = new URL('./process/main.js', import.meta.url)

/**
 * One engine process, from its start to its end. It serves one organization in its life: what the engine has freed is
 * still in its memory, and a statement that reads past the end of a string would find it there.
 */
export class Worker {
  /** Whose data it has held; null while it is blank. */
  organization: string | null = null
  /** Folder of the snapshot that it has open. */
  folder: string | null = null
  /** When its last job ended, by the clock of `performance`. */
  usedAt = 0
  /** Fulfilled once it takes jobs; rejected when it ended before. */
  readonly ready: Promise<void>
  /** How it ended, once nothing of it is left. */
  readonly exited: Promise<ProcessExit>
  readonly #settings: EngineSettings
  #process: JobProcess<JobFailure> | null = null
  #isReady = false
  #isKilled = false

  constructor(settings: EngineSettings) {
    this.#settings = settings
    const started = this.#start()
    this.ready = started.then(async process => {
      await process.ready
      this.#isReady = true
    })
    this.ready.catch(() => {}) // told by how it ended
    this.exited = started
      .then(process => process.exited)
      .catch(cause => ({ code: null, signal: null, stderr: String(cause), outOfMemory: false }))
      .then(async exit => {
        await rm(settings.scratch, { recursive: true, force: true }).catch(() => {}) // or at the next start
        return exit
      })
  }

  /** It takes jobs, or is at work on one. */
  get isReady(): boolean {
    return this.#isReady && this.process.alive
  }

  /** It has taken jobs, whatever became of it. */
  get hasBeenReady(): boolean {
    return this.#isReady
  }

  get process(): JobProcess<JobFailure> {
    if (!this.#process) throw new Error('the engine process has not started')
    return this.#process
  }

  /** Binds it to an organization for the rest of its life. */
  serve(organization: string): void {
    if (this.organization !== null && this.organization !== organization)
      throw new Error('an engine process serves one organization')
    this.organization = organization
  }

  kill(): void {
    this.#isKilled = true
    this.#process?.kill()
  }

  /** Starts with an empty scratch folder of its own. */
  async #start(): Promise<JobProcess<JobFailure>> {
    const { scratch, memoryLimitBytes } = this.#settings
    await mkdir(scratch, { recursive: true, mode: 0o700 })
    const options = { script: SCRIPT, folder: scratch, settings: this.#settings, memoryLimitBytes }
    this.#process = new JobProcess<JobFailure>(options)
    if (this.#isKilled) this.#process.kill()
    return this.#process
  }
}
