import { join } from 'node:path'
import type { Sandbox } from '../sandbox/sandbox.js'
import { closedError } from './error.js'
import { SealProcess } from './process.js'

/**
 * The processes of a sealer, one after the other: each package gets a new one, because consecutive packages may
 * belong to different organizations.
 */
export class SealProcesses {
  readonly #folder: string
  readonly #options: { memoryLimitBytes: number; sandbox: Sandbox }
  #started = 0
  #next: SealProcess | null
  #current: SealProcess | null = null
  #isClosed = false

  /** `folder` is for scratch files. Starts the first process. */
  constructor(folder: string, options: { memoryLimitBytes: number; sandbox: Sandbox }) {
    this.#folder = folder
    this.#options = options
    this.#next = this.#start()
  }

  /** Resolves when the first process is ready, and rejects when it does not start. */
  async ready(): Promise<void> {
    await this.#next?.ready
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Uses a new process, which an abort kills: it may be in the middle of a long read. Meanwhile the next one starts,
   * if `hasMore`.
   */
  async use<Result>(
    { signal, hasMore }: { signal: AbortSignal | undefined; hasMore: boolean },
    work: (process: SealProcess) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw closedError()
    await this.#current?.end()
    const running = this.#next?.alive ? this.#next : this.#start()
    this.#current = running
    this.#next = hasMore ? this.#start() : null
    const end = () => running.kill()
    signal?.addEventListener('abort', end, { once: true })
    try {
      return await work(running)
    } finally {
      signal?.removeEventListener('abort', end)
      running.kill()
    }
  }

  /** Ends the process of the last job, and removes its scratch files. */
  async endCurrent(): Promise<void> {
    await this.#current?.end()
  }

  /** Ends all of them; a job under way fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const each of [this.#current, this.#next]) await each?.end()
  }

  #start(): SealProcess {
    return new SealProcess(join(this.#folder, String(this.#started++)), this.#options)
  }
}
