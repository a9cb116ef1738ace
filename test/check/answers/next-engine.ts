import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from '../programs.js'
import type { Digest } from './bare-engine.js'
import type { Table } from './tables.js'

const SOURCE = fileURLToPath(new URL('./python/', import.meta.url))
const PIP = ['-m', 'pip', 'install', '-q', '--no-input', '--only-binary=:all:', '-r', 'requirements.txt']

/** A version of DuckDB that npm does not have yet, in a process of its own, over the same Parquet files. */
export class NextEngine {
  readonly version: string
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(version: string, child: ChildProcess, lines: AsyncIterator<string>) {
    this.version = version
    this.#child = child
    this.#lines = lines
  }

  /** Null where Python or the package cannot be had. */
  static async open(folder: string, tables: readonly Table[]): Promise<NextEngine | null> {
    const program = await build({
      source: SOURCE,
      fetch: [
        ['python3', '-m', 'venv', 'venv'],
        ['venv/bin/python', ...PIP],
      ],
      start: ['venv/bin/python', 'digests.py'],
    })
    if (!program) return null
    const [command, ...args] = program.start
    const child = spawn(command, [...args, folder, ...tables.map(({ name }) => name)], {
      cwd: program.folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
    const { version } = JSON.parse((await lines.next()).value as string) as { version: string }
    return new NextEngine(version, child, lines)
  }

  /** The digest of a statement's rows. Throws when this version refuses the statement, or fails. */
  async digest(sql: string, keys: readonly string[]): Promise<Digest> {
    this.#child.stdin?.write(`${JSON.stringify({ sql, keys })}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the process of the next version has ended')
    const found = JSON.parse(value) as Digest | { error: string }
    if ('error' in found) throw new Error(found.error)
    return found
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await ended
  }
}
