import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../server/server.js'

const MAIN = fileURLToPath(new URL('../../../examples/refresh/main.ts', import.meta.url))
const TSX = import.meta.resolve('tsx')

/** The host of the example in a process of its own. */
export class HostProcess {
  readonly url: string
  readonly metricsUrl: string
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcess, lines: Interface, ports: readonly string[]) {
    this.#child = child
    const [url = '', metricsUrl = ''] = ports.map(port => `http://127.0.0.1:${port}`)
    this.url = url
    this.metricsUrl = metricsUrl
    this.#lines = lines[Symbol.asyncIterator]()
  }

  static async start(folder: string, variables: NodeJS.ProcessEnv): Promise<HostProcess> {
    const [port, metricsPort] = [String(await freePort()), String(await freePort())]
    const env = { PATH: process.env.PATH, ...variables, FOLDER: folder, PORT: port, METRICS_PORT: metricsPort }
    const child = spawn(process.execPath, ['--import', TSX, MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    assert.ok(child.stdout)
    return new HostProcess(child, createInterface(child.stdout), [port, metricsPort])
  }

  /** The events of the log up to one of this type. */
  async until(type: string): Promise<string[]> {
    const seen: string[] = []
    for (;;) {
      const { value, done } = await this.#lines.next()
      assert.ok(!done, `the host has ended: ${seen}`)
      seen.push((JSON.parse(value) as { event: string }).event)
      if (seen.at(-1) === type) return seen
    }
  }

  async end(signal: NodeJS.Signals): Promise<unknown[]> {
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    return ended
  }

  /** Kills it when a test has failed before it could end. */
  kill(): void {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL')
  }
}
