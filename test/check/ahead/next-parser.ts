import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Parse } from '#lib/duckdb/child/guard/check.js'
import { type Built, build } from '../programs.js'

const SOURCE = fileURLToPath(new URL('./python/', import.meta.url))
const PIP = ['-m', 'pip', 'install', '-q', '--no-input', '--only-binary=:all:', '-r', 'requirements.txt']

/** What a version of DuckDB says of itself. */
export interface NextVersion {
  version: string
  /** Settings by which its parser reads other dialects, with their defaults. */
  settings: Readonly<Record<string, string>>
}

/** Parses statements in a process of a version of DuckDB that npm does not have yet. */
export class NextParser {
  about!: NextVersion
  readonly #program: Built
  #child!: ChildProcess
  #lines!: AsyncIterator<string>
  #reader!: Interface

  private constructor(program: Built) {
    this.#program = program
  }

  /** Null where Python or the package cannot be had. */
  static async open(): Promise<NextParser | null> {
    const program = await build({
      source: SOURCE,
      fetch: [
        ['python3', '-m', 'venv', 'venv'],
        ['venv/bin/python', ...PIP],
      ],
      start: ['venv/bin/python', 'trees.py'],
    })
    if (!program) return null
    const parser = new NextParser(program)
    await parser.#start()
    return parser
  }

  /** Throws when the parser refuses a text, and when its process ends. */
  readonly parse: Parse = async texts => {
    this.#child.stdin?.write(`${JSON.stringify(texts)}\n`)
    const line = await this.#lines.next()
    if (line.done) {
      await this.#start()
      throw new Error('the parser has ended')
    }
    const [first, second] = JSON.parse(line.value) as (string | null)[]
    if (typeof first !== 'string' || typeof second !== 'string') throw new Error('the parser refuses the text')
    return [first, second]
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await ended
  }

  async #start(): Promise<void> {
    const [command, ...args] = this.#program.start
    this.#child = spawn(command, args, { cwd: this.#program.folder, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdin?.on('error', () => {}) // of a process that has ended, which the next line tells
    this.#reader = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })
    this.#lines = this.#reader[Symbol.asyncIterator]()
    this.about = JSON.parse((await this.#lines.next()).value as string) as NextVersion
  }
}
