import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FAILURE, type JobFailure } from '../duckdb/jobs.js'
import { ifMissing } from '../files/missing.js'
import type { Outcome } from '../flow/messages.js'
import { JobProcess } from '../flow/parent.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { childScript } from '../sandbox/script.js'
import { World } from '../sandbox/world.js'
import { closedError } from './error.js'
import type { InspectJob, SealJob, TenantJob, TenantsJob } from './job.js'

/** A file, and the name under which a process is given it. */
export interface HostFile {
  name: string
  path: string
}

/** The process that seals one package, or the rows of many tenants, or inspects one snapshot, and nothing else. */
export class SealProcess {
  readonly #world: World
  readonly #process: JobProcess<JobFailure>

  constructor(folder: string, options: { memoryLimitBytes: number; sandbox: Sandbox }) {
    const { memoryLimitBytes } = options
    const world = new World(folder)
    const { own, given } = world
    const script = {
      url: childScript('./child/main.js', import.meta.url),
      packages: ['@duckdb/node-api'],
    }
    const settings = { threads: 1, memoryLimitBytes, spillBytes: 16 * memoryLimitBytes, own, given }
    this.#world = world
    this.#process = new JobProcess({ ...options, script, world, settings, failures: FAILURE })
  }

  get ready(): Promise<void> {
    return this.#process.ready
  }

  get alive(): boolean {
    return this.#process.alive
  }

  /** Runs a job on files, which it is given. */
  async run<Value>(
    job: SealJob | InspectJob | TenantsJob | TenantJob,
    outcome: Outcome<Value>,
    files: readonly HostFile[] = [],
  ): Promise<Value> {
    await this.#process.ready
    for (const file of files) await this.#give(file)
    return (await this.#process.run(job, outcome)).value
  }

  /** Takes a file that the process has made, see {@link World.take}. */
  take(name: string): Promise<string> {
    return this.#world.take(name)
  }

  kill(): void {
    this.#process.kill()
  }

  /** Kills it, and removes its folder. */
  async end(): Promise<void> {
    this.kill()
    await this.#process.exited
    await this.#world.remove().catch(() => {}) // else removed with the folder of the sealer
  }

  /** The process says what is wrong with a file that is missing, or is not a regular one. */
  async #give({ name, path }: HostFile): Promise<void> {
    const found = await lstat(path).catch(cause => (cause.code === 'ENOTDIR' ? null : ifMissing(null)(cause)))
    if (found?.isDirectory()) await mkdir(join(this.#world.given, name))
    else if (found) await this.#world.give(name, path)
  }
}

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
  isClosed = false

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

  /**
   * Uses a new process, which an abort kills: it may be in the middle of a long read. Meanwhile the next one starts,
   * if `hasMore`.
   */
  async use<Result>(
    { signal, hasMore }: { signal: AbortSignal | undefined; hasMore: boolean },
    work: (process: SealProcess) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted()
    if (this.isClosed) throw closedError()
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
    this.isClosed = true
    for (const each of [this.#current, this.#next]) await each?.end()
  }

  #start(): SealProcess {
    return new SealProcess(join(this.#folder, String(this.#started++)), this.#options)
  }
}
