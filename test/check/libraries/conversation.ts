import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Built } from '../programs.js'

/** A running program that answers each line of its input with a line. */
export class Conversation {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #complaints: Promise<string>

  constructor({ folder, start: [program, ...args] }: Built, more: readonly string[], environment: NodeJS.ProcessEnv) {
    const env = { ...process.env, ...environment }
    this.#child = spawn(program, [...args, ...more], { cwd: folder, env, stdio: 'pipe' })
    this.#child.stdin?.on('error', () => {}) // of a program that has ended, which `ask` reports
    const { stdout, stderr } = this.#child as { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
    this.#complaints = text(stderr)
  }

  /** Sends a line and returns the answer. Throws with what the program wrote to standard error if it ends instead. */
  async ask(question: unknown): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify(question)}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`The program has ended. ${await this.#complaints}`)
    return JSON.parse(value)
  }

  /** Ends the program. */
  async close(): Promise<void> {
    const ended = new Promise(resolve => this.#child.once('close', resolve))
    if (this.#child.exitCode === null && this.#child.kill()) await ended
  }
}
