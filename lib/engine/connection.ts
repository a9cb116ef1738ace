import { mkdir, rm } from 'node:fs/promises'
import { JobProcess } from '../process/parent.js'
import type { EngineSettings, JobFailure } from './jobs.js'

const SCRIPT = new URL('./process/main.js', import.meta.url)
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000

/** What happens to a connection, for the host's log. */
export type ConnectionEvent = (what: 'started' | 'died' | 'replaced', detail: string) => void

/** One engine process and its successors: whenever it dies, the next one starts. */
export class Connection {
  /** Folder of the snapshot that the process knows. */
  folder: string | null = null
  /** Processes that took the place of one that had ended. */
  replaced = 0
  readonly #settings: EngineSettings
  readonly #onReady: () => void
  readonly #onEvent: ConnectionEvent
  #process: JobProcess<JobFailure> | null = null
  #ready = false
  #closed = false
  #failures = 0
  #retry: NodeJS.Timeout | null = null

  constructor(settings: EngineSettings, onReady: () => void, onEvent: ConnectionEvent) {
    this.#settings = settings
    this.#onReady = onReady
    this.#onEvent = onEvent
  }

  /** The process takes jobs. */
  get ready(): boolean {
    return this.#ready
  }

  get process(): JobProcess<JobFailure> {
    if (!this.#process) throw new Error('the engine process has not started')
    return this.#process
  }

  /** Starts a process with an empty scratch folder; what the one before left there is gone. */
  async start(): Promise<void> {
    await rm(this.#settings.scratch, { recursive: true, force: true })
    await mkdir(this.#settings.scratch, { recursive: true })
    if (this.#closed) return
    const { scratch: folder, memoryLimitBytes } = this.#settings
    const process = new JobProcess<JobFailure>({ script: SCRIPT, folder, settings: this.#settings, memoryLimitBytes })
    this.#process = process
    this.folder = null
    void process.exited.then(exit => {
      this.#ready = false
      if (this.#closed) return
      if (exit.code !== 0) this.#onEvent('died', `${exit.signal ?? `status ${exit.code}`} ${exit.stderr}`.trim())
      this.#restart()
    })
    await process.ready.then(
      () => {
        this.#ready = true
        if (this.#failures > 0) this.replaced += 1
        this.#onEvent(this.#failures > 0 ? 'replaced' : 'started', `pid ${process.pid}`)
        this.#failures = 0
        this.#onReady()
      },
      () => {},
    )
  }

  /** The same for nobody who waits; should it fail, it is tried again ever later. */
  startBehind(): void {
    this.start().catch(cause => {
      this.#onEvent('died', String(cause))
      this.#restart()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#retry) clearTimeout(this.#retry)
    this.#process?.kill()
    await this.#process?.exited
    await rm(this.#settings.scratch, { recursive: true, force: true }).catch(() => {}) // or at the next start
  }

  /** The first successor starts at once; one that cannot start is tried again ever later. */
  #restart(): void {
    const delayMs = this.#failures === 0 ? 0 : Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures)
    this.#failures += 1
    this.#retry = setTimeout(() => this.startBehind(), delayMs)
  }
}
