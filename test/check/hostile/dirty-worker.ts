import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EngineSettings, JobFailure } from '#lib/duckdb/jobs.js'
import type { BoundParameter } from '#lib/values/parameters.js'

const SCRIPT = fileURLToPath(import.meta.resolve('#lib/duckdb/child/main.js'))
const MIB = 1024 ** 2
const ENDS_WITHIN_MS = 5_000

/** What became of a statement: its rows or how it failed; `over` when it took too long or too much. */
export type DirtyOutcome = { rows: string } | { failed: string; isFinding: boolean } | { over: true }

/**
 * An engine process whose allocator fills the memory that it hands out, with zeros or with other bytes. What reads memory
 * before it is written differs between the two.
 */
export class DirtyWorker {
  readonly #fill: 'zero' | 'junk'
  #child: ChildProcess | null = null
  #folder = ''

  constructor(fill: 'zero' | 'junk') {
    this.#fill = fill
  }

  async run(sql: string, values: readonly BoundParameter[] = []): Promise<DirtyOutcome> {
    const child = this.#child ?? (await this.#start())
    const job = {
      kind: 'rows',
      view: { folder: this.#folder, files: [] },
      statement: { sql, values },
      limit: 50,
      offset: 0,
    }
    const deadline = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS)
    let isOver = false
    const answered = new Promise<DirtyOutcome>(resolve => {
      child.on('message', (message: { ok?: boolean; value?: { json: Uint8Array }; failure?: JobFailure }) => {
        if (message.ok === true) resolve({ rows: Buffer.from(message.value?.json ?? []).toString('latin1') })
        else if (message.ok === false) resolve(failedWith(message.failure as JobFailure))
      })
      child.once('exit', (code, signal) => {
        isOver = true
        resolve(
          signal === 'SIGKILL' || code === 0
            ? { over: true }
            : { failed: `it died of ${signal ?? code}`, isFinding: true },
        )
      })
      child.send({ job: { ...job, pageBytes: 4 * MIB, rowBytes: 4 * MIB } })
    })
    const outcome = await answered
    clearTimeout(deadline)
    child.removeAllListeners('message').removeAllListeners('exit')
    if (isOver) this.#child = null
    return outcome
  }

  async close(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true })
  }

  async #start(): Promise<ChildProcess> {
    this.#folder ||= await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const settings: EngineSettings = {
      threads: 1,
      memoryLimitBytes: 2048 * MIB,
      spillBytes: 64 * MIB,
      own: this.#folder,
      given: this.#folder,
    }
    const child = fork(SCRIPT, [JSON.stringify(settings)], {
      env: { TZ: 'UTC', DUCKDB_JE_MALLOC_CONF: `retain:false,${this.#fill}:true` },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('error', () => {}) // a message to a process that has just ended; `exit` reports that
    this.#child = child
    await once(child, 'message')
    return child
  }
}

const NOT_UTF8 = /not valid UTF-8/

function failedWith({ kind, text, cause = '' }: JobFailure): DirtyOutcome {
  if (kind === 'memory' || kind === 'interrupted') return { over: true }
  const isFinding = kind === 'assertion' || kind === 'fault' || NOT_UTF8.test(text)
  return { failed: isFinding ? `${kind}: ${cause || text}`.slice(0, 300) : kind, isFinding }
}
