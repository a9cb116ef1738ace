import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FAILURE, type JobFailure } from '../duckdb/jobs.js'
import { ifMissing } from '../files/missing.js'
import type { Outcome } from '../flow/messages.js'
import { JobProcess } from '../flow/parent.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { childScript } from '../sandbox/script.js'
import { World } from '../sandbox/world.js'
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
