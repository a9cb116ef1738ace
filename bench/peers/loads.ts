import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Load, Loaded } from './client.js'

const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url))
/** Options of a process that runs TypeScript. */
export const TSX = { execArgv: ['--import', 'tsx'] }

/** One process that runs all loads, one after the other: its code is compiled when the first peer is measured. */
export class LoadProcess {
  readonly #client: ChildProcess
  readonly #failed: Promise<never>

  private constructor(client: ChildProcess) {
    this.#client = client
    this.#failed = once(client, 'exit').then(([code]) => {
      throw new Error(`the client ended with ${code}`)
    })
    this.#failed.catch(() => {})
  }

  static async start(): Promise<LoadProcess> {
    const loads = new LoadProcess(fork(CLIENT, [], TSX))
    await loads.#next()
    return loads
  }

  async run(load: Load): Promise<Loaded> {
    this.#client.send(load)
    return (await this.#next()) as Loaded
  }

  stop(): void {
    this.#client.kill()
  }

  async #next(): Promise<unknown> {
    return (await Promise.race([once(this.#client, 'message'), this.#failed]))[0]
  }
}
