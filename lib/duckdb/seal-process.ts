import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from '../files/missing.js'
import { JobProcess } from '../flow/parent.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { childScript } from '../sandbox/script.js'
import { World } from '../sandbox/world.js'
import type { JobFailure } from './jobs.js'
import type { InspectJob, SealJob, TenantJob, TenantsJob } from './seal-job.js'

/** Takes what a process has made, see {@link World.take}. */
export type Finish<Outcome> = (outcome: Outcome, take: (name: string) => Promise<string>) => Promise<void>

/** A file, and the name under which a process is given it. */
export interface GivenFile {
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
      url: childScript('./child/seal/main.js', import.meta.url),
      packages: ['@duckdb/node-api'],
    }
    const settings = { threads: 1, memoryLimitBytes, spillBytes: 16 * memoryLimitBytes, own, given }
    this.#world = world
    this.#process = new JobProcess({ ...options, script, world, settings })
  }

  get ready(): Promise<void> {
    return this.#process.ready
  }

  get alive(): boolean {
    return this.#process.alive
  }

  /** Runs a job on files, which it is given. */
  async run<Outcome>(
    job: SealJob | InspectJob | TenantsJob | TenantJob,
    files: readonly GivenFile[],
    finish: Finish<Outcome> = async () => {},
  ): Promise<Outcome> {
    await this.#process.ready
    for (const file of files) await this.#give(file)
    const outcome = await this.#process.run<Outcome>(job)
    await finish(outcome, name => this.take(name))
    return outcome
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
    await this.#world.remove()
  }

  /** The process says what is wrong with a file that is missing, or is not a regular one. */
  async #give({ name, path }: GivenFile): Promise<void> {
    const found = await lstat(path).catch(cause => (cause.code === 'ENOTDIR' ? null : ifMissing(null)(cause)))
    if (found?.isDirectory()) await mkdir(join(this.#world.given, name))
    else if (found) await this.#world.give(name, path)
  }
}
