import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EngineSettings, JobFailure } from '#lib/duckdb/jobs.js'
import { CHANNEL, Channel, FROM_PROCESS, type Frame, TO_PROCESS } from '#lib/flow/channel.js'
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
  #channel: Channel | null = null
  readonly #frames = new EventEmitter()
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
      this.#frames.on('frame', ({ kind, head, body }: Frame) => {
        if (kind === FROM_PROCESS.done) resolve({ rows: body.toString('latin1') })
        else if (kind === FROM_PROCESS.failed) resolve(failedWith(head as JobFailure))
      })
      child.once('exit', (code, signal) => {
        isOver = true
        resolve(
          signal === 'SIGKILL' || code === 0
            ? { over: true }
            : { failed: `it died of ${signal ?? code}`, isFinding: true },
        )
      })
      this.#channel?.sendClone(TO_PROCESS.job, { ...job, pageBytes: 4 * MIB, rowBytes: 4 * MIB })
    })
    const outcome = await answered
    clearTimeout(deadline)
    this.#frames.removeAllListeners('frame')
    child.removeAllListeners('exit')
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
    const stdio: ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'ignore']
    stdio[CHANNEL] = 'pipe'
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(settings)], {
      env: { TZ: 'UTC', DUCKDB_JE_MALLOC_CONF: `retain:false,${this.#fill}:true` },
      stdio,
    })
    const most = Number.POSITIVE_INFINITY
    this.#channel = Channel.to(child, {
      allows: () => ({ head: most, body: most }),
      hear: frame => void this.#frames.emit('frame', frame),
      breached: () => {},
      closed: () => {},
    })
    this.#child = child
    await once(this.#frames, 'frame')
    return child
  }
}

const NOT_UTF8 = /not valid UTF-8/

function failedWith({ kind, text, cause = '' }: JobFailure): DirtyOutcome {
  if (kind === 'memory' || kind === 'interrupted') return { over: true }
  const isFinding = kind === 'assertion' || kind === 'fault' || NOT_UTF8.test(text)
  return { failed: isFinding ? `${kind}: ${cause || text}`.slice(0, 300) : kind, isFinding }
}
