import assert from 'node:assert/strict'
import { output } from '../../server/command.js'
import { metricsOf } from '../../server/metrics.js'
import { type Answer, call, type Flag, type Served, serve, stop } from '../../server/server.js'

const GIVE_UP_AFTER_MS = 30_000

/** Servers that form one service: they share a store and a folder, and each has its own data folder. */
export class Service {
  readonly #folder: string
  readonly #store: string
  readonly #flags: readonly Flag[]
  readonly #servers = new Map<string, Served>()
  /** Number of retries by reason. */
  readonly retried = new Map<string, number>()
  #turn = 0

  constructor(folder: string, store: string, ...flags: Flag[]) {
    this.#folder = folder
    this.#store = store
    this.#flags = flags
  }

  /** Starts or restarts the server on the data folder of this name; `flags` come after those of all servers. */
  async start(name: string, ...flags: Flag[]): Promise<void> {
    const places = ['--store', this.#store, '--shared', 'shared', '--data', name]
    this.#servers.set(name, await serve(this.#folder, ...places, ...this.#flags, ...flags))
  }

  /** Kills a server in the middle of its calls. Clients keep calling it. */
  async kill(name: string): Promise<void> {
    await stop(this.#server(name).child, 'SIGKILL')
  }

  /** Stops a server as a supervisor does, and returns its exit status. */
  stop(name: string): Promise<number | null> {
    return stop(this.#server(name).child)
  }

  /** The log of a server since it was started last. */
  logOf(name: string): string {
    return this.#server(name).log()
  }

  /** The samples of a server that has a port for metrics. */
  metricsOf(name: string): Promise<Map<string, number>> {
    return metricsOf(this.#server(name))
  }

  urlOf(name: string): string {
    return this.#servers.get(name)?.url ?? ''
  }

  #server(name: string): Served {
    const server = this.#servers.get(name)
    assert.ok(server)
    return server
  }

  killAll(): void {
    for (const { child } of this.#servers.values()) child.kill('SIGKILL')
  }

  get urls(): string[] {
    return [...this.#servers.values()].map(server => server.url)
  }

  /** Runs a command on the store, as an operator would from a machine without a server. */
  command(...args: string[]): Promise<string> {
    return output(this.#folder, ...args, '--store', this.#store, '--shared', 'shared', '--data', 'operator')
  }

  /** Calls a method on the servers in turn until one gives a final answer. */
  call(key: string, method: string, params: object = {}): Promise<Answer> {
    return this.insist(url => call(url, key, method, params))
  }

  /** Downloads the file of a link from the servers in turn. */
  download(key: string, link: string): Promise<{ status: number; bytes: Uint8Array }> {
    const { pathname } = new URL(link)
    return this.insist(async url => {
      const response = await fetch(url + pathname, { headers: { authorization: `Bearer ${key}` } })
      return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
    })
  }

  /** Sends a request to the servers in turn. Retries only failed connections, cut answers and UNAVAILABLE. */
  async insist<Given extends { status: number }>(request: (url: string) => Promise<Given>): Promise<Given> {
    for (const end = performance.now() + GIVE_UP_AFTER_MS; performance.now() < end; ) {
      const url = this.urls[this.#turn++ % this.urls.length] as string
      const answer = await request(url).catch((cause: unknown) => {
        // fetch throws a TypeError if there was no answer, or only a part of it.
        if (cause instanceof TypeError) return null
        throw cause
      })
      if (answer && answer.status !== 503) return answer
      const what = answer ? 'UNAVAILABLE' : `no answer from ${url}`
      this.retried.set(what, (this.retried.get(what) ?? 0) + 1)
    }
    throw new Error(`no server answered for ${GIVE_UP_AFTER_MS} ms`)
  }
}
