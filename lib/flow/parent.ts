import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import type { Script } from '../sandbox/reads.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { World } from '../sandbox/world.js'
import { killCapped, spawnCapped } from './capped.js'
import { describeExit, endOf, type ProcessExit, programOf, type Recycled } from './exit.js'

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
export interface ProcessOptions {
  script: Script
  /** Its folder. */
  world: World
  /** The walls that it runs behind. */
  sandbox: Sandbox
  settings: unknown
  /** What it may take beyond what Node itself maps, in bytes. */
  memoryLimitBytes: number
  /**
   * Encoding of jobs and outcomes: `json` is faster for short strings, `advanced` (default) also carries
   * bytes.
   */
  serialization?: 'json' | 'advanced'
  /** A process that is not ready after this many milliseconds is killed. Default 30 000. */
  startWithinMs?: number
  /** Called when {@link JobProcess.heldBytes} has changed. */
  onHeld?: () => void
}

const START_WITHIN_MS = 30_000
const STDERR_TAIL = 4096
/**
 * Messages from a process: it is ready, answers `ask`, has taken a job, reports the job's outcome, what it
 * holds after it, or that it ends itself.
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
 * A Node process that runs one job at a time. It starts with a hard memory cap and without the host's
 * environment. The host ends it only with SIGKILL, because a running job may not react to any other signal.
 */
export class JobProcess<Failure> {
  /** Resolves when the process takes jobs; rejects with {@link ProcessDied} when it ends before. */
  readonly ready: Promise<void>
  /** Resolves when the process has ended, in whatever way. */
  readonly exited: Promise<ProcessExit>
  /**
   * Memory that it held after its last job, beyond what it had mapped before its first one; updated in large
   * steps.
   */
  heldBytes = 0
  readonly #messages = new EventEmitter()
  #child: ChildProcess | null = null
  #pid: number | undefined
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
    const { sandbox, serialization = 'advanced', startWithinMs = START_WITHIN_MS } = options
    let child: ChildProcess
    try {
      const { script, world, settings, memoryLimitBytes } = options
      const room = await world.furnish(script, sandbox.launcher !== null)
      const args = [JSON.stringify(settings)]
      child = await spawnCapped(
        { script: script.url, args, folder: room.own, memoryLimitBytes, behind: { sandbox, room } },
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
      this.#pid ??= programOf(child, sandbox)
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
    return this.#pid
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
    if (this.#child) killCapped(this.#child)
  }

  /**
   * Lets the host exit when it has nothing else to do: while this process waits for a job, but not during
   * one.
   */
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
