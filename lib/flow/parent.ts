import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { type CappedScript, spawnCapped } from './capped.js'

/** How a child process ended. */
export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Why it failed to start, else the last 4096 characters of its stderr; for the host only. */
  stderr: string
  /** Whether its memory cap or the kernel's out-of-memory killer ended it. */
  outOfMemory: boolean
  /** Why it ended itself after a job; null when it did not. */
  recycled: Recycled | null
}

/** Why a process that did not fail should serve no further job. */
export interface Recycled {
  reason: 'memory-limit' | 'memory-kept'
  /** Memory that it held after the job, beyond what it had mapped before its first one. */
  heldBytes: number
}

/** The process ended before it was ready or before it answered a job. */
export class ProcessDied extends Error {
  /** How it ended. */
  readonly exit: ProcessExit
  /** Whether the process had taken the job; if not, the job can safely run in another process. */
  readonly started: boolean

  constructor(exit: ProcessExit, started: boolean) {
    super(`process ended with ${exit.signal ?? `status ${exit.code}`}`)
    this.exit = exit
    this.started = started
  }
}

/** A job threw. */
export class JobFailed<Failure> extends Error {
  /** What its process reported. */
  readonly failure: Failure

  constructor(failure: Failure) {
    super('job failed')
    this.failure = failure
  }
}

/** How a process is started. */
export interface ProcessOptions extends Omit<CappedScript, 'args'> {
  settings: unknown
  /** Encoding of jobs and outcomes: `json` is faster for short strings, `advanced` (default) also carries bytes. */
  serialization?: 'json' | 'advanced'
  /** A process that is not ready after this many milliseconds is killed. Default 30 000. */
  startWithinMs?: number
  /** Called when {@link JobProcess.heldBytes} has changed. */
  onHeld?: () => void
}

/** Exit status of a process that ended itself because it was over its memory limit. */
export const MEMORY_EXIT_STATUS = 86

const START_WITHIN_MS = 30_000
/** After this long without `close`, a process that has exited counts as closed. */
const CLOSES_WITHIN_MS = 1_000
const STDERR_TAIL = 4096
const OUT_OF_MEMORY = /out of memory|bad_alloc|Allocation failed|allocation failure/i

/**
 * Messages from a process: it is ready, answers `ask`, has taken a job, reports the job's outcome, what it holds after
 * it, or that it ends itself.
 */
type Message =
  | { taken: true }
  | { here: true }
  | { ready: true }
  | { heldBytes: number }
  | { recycled: Recycled }
  | { ok: true; value: unknown }
  | { ok: false; failure: unknown }

/**
 * A Node process that runs one job at a time. It starts with a hard memory cap and without the host's environment. The
 * host ends it only with SIGKILL, because a running job may not react to any other signal.
 */
export class JobProcess<Failure> {
  /** Resolves when the process takes jobs; rejects with {@link ProcessDied} when it ends before. */
  readonly ready: Promise<void>
  /** Resolves when the process has ended, in whatever way. */
  readonly exited: Promise<ProcessExit>
  /** Memory that it held after its last job, beyond what it had mapped before its first one; updated in large steps. */
  heldBytes = 0
  readonly #messages = new EventEmitter()
  #child: ChildProcess | null = null
  #isKilled = false
  #pending: { resolve: (value: unknown) => void; reject: (cause: Error) => void; taken: boolean } | null =
    null
  #recycled: Recycled | null = null
  readonly #onHeld: () => void
  #exit: ProcessExit | null = null

  constructor(options: ProcessOptions) {
    this.#onHeld = options.onHeld ?? (() => {})
    this.exited = this.#start(options).then(exit => {
      this.#exit = exit
      this.#pending?.reject(new ProcessDied(exit, this.#pending.taken))
      this.#pending = null
      this.#keepHostAlive(false)
      return exit
    })
    this.ready = new Promise((resolve, reject) => {
      this.#messages.once('message', () => {
        this.#keepHostAlive(false)
        resolve()
      })
      void this.exited.then(exit => reject(new ProcessDied(exit, false)))
    })
    this.ready.catch(() => {})
  }

  /** Starts the process; resolves when it has ended, also when it could not be started. */
  async #start(options: ProcessOptions): Promise<ProcessExit> {
    const { serialization = 'advanced', startWithinMs = START_WITHIN_MS } = options
    let child: ChildProcess
    try {
      mkdirSync(options.folder, { recursive: true, mode: 0o700 })
      const args = [JSON.stringify(options.settings)]
      child = await spawnCapped(
        { ...options, args },
        { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], serialization },
      )
    } catch (cause) {
      return describeExit(1, null, String(cause), null)
    }
    this.#child = child
    let failure = ''
    let stderr = ''
    child.on('error', cause => {
      failure ||= cause.message
    })
    if (this.#isKilled) this.kill()
    const starting = setTimeout(() => {
      failure = `it took no jobs within ${startWithinMs} ms`
      this.kill()
    }, startWithinMs).unref()
    child.on('message', message => {
      clearTimeout(starting)
      this.#hear(message as Message)
    })
    ;(child.stderr as unknown as Socket | null)?.unref()
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_TAIL)
    })
    const [code, signal] = await endOf(child)
    clearTimeout(starting)
    return describeExit(code, signal, failure || stderr, this.#recycled)
  }

  /** Its process id; undefined until it has started. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Whether it has not ended. */
  get alive(): boolean {
    return this.#exit === null
  }

  /** Runs a job; the caller must not start another one before it has ended. */
  async run<Value>(job: unknown): Promise<Value> {
    if (this.#exit) throw new ProcessDied(this.#exit, false)
    return new Promise<Value>((resolve, reject) => {
      this.#keepHostAlive(true)
      this.#pending = { resolve: resolve as (value: unknown) => void, reject, taken: false }
      this.#child?.send({ job } as object)
    })
  }

  /** Asks the running job to stop; repeated calls are harmless. */
  interrupt(): void {
    if (!this.#exit && this.#child?.connected) this.#child.send({ interrupt: true })
  }

  /** Whether the process answers within this time; a busy one may not. */
  answers(withinMs: number): Promise<boolean> {
    if (this.#exit || this.#child?.connected === false) return Promise.resolve(false)
    this.#child?.send({ ask: true })
    const heard = once(this.#messages, 'message', { signal: AbortSignal.timeout(withinMs) }) // any message will do
    const answers = heard.then(
      () => true,
      () => false,
    )
    return Promise.race([answers, this.exited.then(() => false)])
  }

  /** Ends the process, also one that is still starting; a running job rejects with {@link ProcessDied}. */
  kill(): void {
    this.#isKilled = true
    if (!this.#exit) this.#keepHostAlive(true)
    this.#child?.kill('SIGKILL')
  }

  /** Lets the host exit when it has nothing else to do: while this process waits for a job, but not during one. */
  #keepHostAlive(busy: boolean): void {
    if (busy) this.#child?.ref()
    else this.#child?.unref()
    if (busy) this.#child?.channel?.ref?.()
    else this.#child?.channel?.unref?.()
  }

  #hear(message: Message): void {
    if ('taken' in message && this.#pending) this.#pending.taken = true
    if ('heldBytes' in message) {
      this.heldBytes = message.heldBytes
      this.#onHeld()
    }
    if ('recycled' in message) this.#recycled = message.recycled
    this.#messages.emit('message')
    if (!('ok' in message)) return
    const pending = this.#pending
    this.#pending = null
    this.#keepHostAlive(false)
    if (message.ok) pending?.resolve(message.value)
    else pending?.reject(new JobFailed(message.failure as Failure))
  }
}

/** Resolves when a process has ended, with its status and signal. */
function endOf(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  return new Promise(resolve => {
    let closing: NodeJS.Timeout | undefined
    child.once('close', (code, signal) => {
      clearTimeout(closing)
      resolve([code, signal]) // after the last message and the end of stderr
    })
    // Deno 2.9 neither emits `close` nor closes the channel if a message is sent to a process that has just ended.
    child.once('exit', (code, signal) => {
      closing = setTimeout(resolve, CLOSES_WITHIN_MS, [code, signal])
    })
  })
}

function describeExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  stderr: string,
  recycled: Recycled | null,
): ProcessExit {
  // A SIGKILL that we did not send is from the kernel's out-of-memory killer; callers of kill() know of theirs.
  const outOfMemory = code === MEMORY_EXIT_STATUS || signal === 'SIGKILL' || OUT_OF_MEMORY.test(stderr)
  return { code, signal, stderr, outOfMemory, recycled }
}
