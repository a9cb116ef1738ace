import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { output } from '../../server/command.js'
import { type Answer, call, serve, stop } from '../../server/server.js'

const GIVE_UP_AFTER_MS = 30_000

/** Servers that are one service: one store, one shared folder, a data folder each. */
export class Service {
  readonly #folder: string
  readonly #store: string
  readonly #flags: readonly string[]
  readonly #servers = new Map<string, { url: string; child: ChildProcess }>()
  /** Answers that a client has to ask again for, by what they were. */
  readonly retried = new Map<string, number>()
  #turn = 0

  constructor(folder: string, store: string, ...flags: string[]) {
    this.#folder = folder
    this.#store = store
    this.#flags = flags
  }

  /** Starts a server on the data folder of this name, or starts it again. */
  async start(name: string): Promise<void> {
    const places = ['--store', this.#store, '--shared', 'shared', '--data', name]
    this.#servers.set(name, await serve(this.#folder, ...places, ...this.#flags))
  }

  /** Kills a server with everything that it has in hand; clients go on asking it. */
  async kill(name: string): Promise<void> {
    const server = this.#servers.get(name)
    assert.ok(server)
    await stop(server.child, 'SIGKILL')
  }

  urlOf(name: string): string {
    return this.#servers.get(name)?.url ?? ''
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

  /** Calls a method of one server after the other until one gives an answer that stands. */
  call(key: string, method: string, params: object = {}): Promise<Answer> {
    return this.insist(url => call(url, key, method, params))
  }

  /** Downloads what a link names, from whichever server has its turn. */
  download(key: string, link: string): Promise<{ status: number; bytes: Uint8Array }> {
    const { pathname } = new URL(link)
    return this.insist(async url => {
      const response = await fetch(url + pathname, { headers: { authorization: `Bearer ${key}` } })
      return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
    })
  }

  /** Asks the servers in turn: a connection that fails or is cut, and UNAVAILABLE, are asked again, nothing else is. */
  async insist<Given extends { status: number }>(request: (url: string) => Promise<Given>): Promise<Given> {
    for (const end = performance.now() + GIVE_UP_AFTER_MS; performance.now() < end; ) {
      const url = this.urls[this.#turn++ % this.urls.length] as string
      const answer = await request(url).catch((cause: unknown) => {
        // How fetch says that there was no answer, or not all of it.
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
