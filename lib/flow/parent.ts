import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import type { Script } from '../sandbox/reads.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { World } from '../sandbox/world.js'
import { fits, type Schema } from '../schema.js'
import { type CappedScript, killCapped, spawnCapped } from './capped.js'
import { type Allowance, Breach, Channel, FROM_PROCESS, type Frame, TO_PROCESS } from './channel.js'
import { describeExit, type ProcessExit, whyEnded } from './death.js'
import { endOf, programOf, type Recycled, whyNotStarted } from './exit.js'
import { HEAD_BYTES, HELD, MADE, type Outcome, RECYCLED } from './messages.js'
import { ProcessorTime } from './processor-time.js'

/** The process ended before it was ready or before it answered a job. */
export class ProcessDied extends Error {
  /** How it ended. */
  readonly exit: ProcessExit
  /** Whether the process had taken the job; if not, the job can safely run in another process. */
  readonly started: boolean

  constructor(exit: ProcessExit, started: boolean) {
    super(`the process ${whyEnded(exit)}`)
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
interface ProcessOptions<Failure> {
  script: Script
  /** Its folder. */
  world: World
  /** The walls that it runs behind. */
  sandbox: Sandbox
  settings: unknown
  /** What it may take beyond what Node itself maps, in bytes. */
  memoryLimitBytes: number
  /** Bounds on resources other than memory. */
  bounds?: CappedScript['bounds']
  /** What it reports of a job that failed. */
  failures: Schema<Failure>
  /** A process that is not ready after this many milliseconds is killed. Default 30 000. */
  startWithinMs?: number
  /** Called when {@link JobProcess.heldBytes} has changed. */
  onHeld?: () => void
}

/** The outcome of a job, and the bytes that came with it. */
export interface JobAnswer<Value> {
  value: Value
  bytes: Buffer
}

/** A job that was sent, and who waits for its outcome. */
interface SentJob {
  outcome: Outcome<unknown>
  resolve(answer: JobAnswer<unknown>): void
  reject(cause: Error): void
  taken: boolean
  /** `performance.now()` of when it was sent, and how often its process has told what it has made of it. */
  sentAt: number
  made: number
}

const START_WITHIN_MS = 30_000
const STDERR_TAIL = 4096
/** After this long without a channel, a process that has not ended is ended. */
const ENDS_WITHIN_MS = 1_000
/** A process that writes more to its stderr is ended. */
const MOST_STDERR = 16 * 1024 ** 2
/** What a process holds is told after a job, and in the pause that follows. */
const HELD_PER_JOB = 2
/** A process tells once per second what it has made; together it may tell that once in as many milliseconds of its job. */
const MADE_PER_MS = 500
/** Most bytes of a message about the process itself. */
const OWN_BYTES = 256
const OUT_OF_TURN = 'it sent a message out of turn'

/**
 * A Node process that runs one job at a time. It starts with a hard memory cap and without the host's
 * environment. The host ends it only with SIGKILL, because a running job may not react to any other signal.
 * What it sends may be an attacker's: each message must be one that may come now, and of its schema, or it is ended.
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
  /** Rows that the running job has written, as the process tells once per second; null until it has. */
  rows: number | null = null
  readonly #messages = new EventEmitter()
  readonly #failures: Schema<Failure>
  readonly #onHeld: () => void
  #child: ChildProcess | null = null
  #channel: Channel | null = null
  #pid: number | undefined
  #processor: ProcessorTime | null = null
  #isKilled = false
  #isReady = false
  /** How often it was asked whether it is there, without an answer. */
  #asked = 0
  #heldLeft = HELD_PER_JOB
  #pending: SentJob | null = null
  #recycled: Recycled | null = null
  #breach: string | null = null
  #exit: ProcessExit | null = null

  constructor(options: ProcessOptions<Failure>) {
    this.#failures = options.failures
    this.#onHeld = options.onHeld ?? (() => {})
    this.exited = this.#start(options).then(exit => {
      this.#exit = exit
      this.#processor?.close()
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
  async #start(options: ProcessOptions<Failure>): Promise<ProcessExit> {
    const { sandbox, memoryLimitBytes, startWithinMs = START_WITHIN_MS } = options
    let child: ChildProcess
    try {
      const { script, world, settings, bounds = {} } = options
      const room = await world.furnish(script, sandbox.launcher !== null)
      const args = [JSON.stringify(settings)]
      child = await spawnCapped(
        { script: script.url, args, folder: room.own, memoryLimitBytes, bounds, behind: { sandbox, room } },
        'pipe',
      )
    } catch (cause) {
      return describeExit(null, [1, null], { stderr: whyNotStarted(cause), memoryLimitBytes })
    }
    this.#child = child
    let failure = ''
    child.on('error', cause => {
      failure ||= whyNotStarted(cause)
    })
    const starting = setTimeout(() => {
      failure = `it took no jobs within ${startWithinMs} ms`
      this.kill()
    }, startWithinMs).unref()
    let closing: NodeJS.Timeout | undefined
    // Without an id, it could not be started at all.
    if (child.pid !== undefined)
      this.#channel = Channel.to(child, {
        allows: kind => this.#allows(kind),
        hear: frame => {
          clearTimeout(starting)
          this.#pid ??= programOf(child, sandbox)
          this.#hear(frame)
        },
        breached: breach => this.#end(breach),
        closed: () => {
          closing = setTimeout(
            () => this.#end(new Breach('it has closed its channel')),
            ENDS_WITHIN_MS,
          ).unref()
        },
      })
    if (this.#isKilled) this.kill()
    const tail = this.#tailOf(child.stderr as Socket | null)
    const ending = await endOf(child)
    clearTimeout(starting)
    clearTimeout(closing)
    return describeExit(child, ending, {
      stderr: failure || tail(),
      memoryLimitBytes,
      isKilled: this.#isKilled,
      recycled: this.#recycled,
      breach: this.#breach,
    })
  }

  /** Keeps the last characters that the process writes to its stderr. */
  #tailOf(stderr: Socket | null): () => string {
    let tail = ''
    let written = 0
    stderr?.unref()
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      written += text.length
      tail = (tail + text).slice(-STDERR_TAIL)
      if (written > MOST_STDERR) this.#end(new Breach('it wrote too much to its stderr'))
    })
    return () => tail
  }

  /** Its process id; undefined until it has started. */
  get pid(): number | undefined {
    return this.#pid
  }

  /** Processor time that it has taken, in milliseconds; null where the system does not tell it. */
  processorMs(): number | null {
    if (this.#pid !== undefined && !this.#exit) this.#processor ??= new ProcessorTime(this.#pid)
    return this.#processor?.ms() ?? null
  }

  /** Whether the process still runs. */
  get alive(): boolean {
    return this.#exit === null
  }

  /** Runs a job; the caller must not start another one before it has ended. */
  async run<Value>(job: unknown, outcome: Outcome<Value>): Promise<JobAnswer<Value>> {
    if (this.#exit) throw new ProcessDied(this.#exit, false)
    return new Promise<JobAnswer<Value>>((resolve, reject) => {
      this.#keepHostAlive(true)
      this.#pending = {
        outcome: outcome as Outcome<unknown>,
        resolve: resolve as SentJob['resolve'],
        reject,
        taken: false,
        sentAt: performance.now(),
        made: 0,
      }
      this.#channel?.sendClone(TO_PROCESS.job, job)
    })
  }

  /** Asks the running job to stop; repeated calls are harmless. */
  interrupt(): void {
    this.#channel?.send(TO_PROCESS.interrupt)
  }

  /** Whether the process answers within this time; a busy one may not. */
  answers(withinMs: number): Promise<boolean> {
    if (this.#exit || !this.#channel) return Promise.resolve(false)
    this.#asked += 1
    this.#channel.send(TO_PROCESS.ask)
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

  /** Ends a process that sent what it may not. */
  #end(breach: Breach): void {
    this.#breach ??= breach.message
    this.kill()
  }

  /**
   * Lets the host exit when it has nothing else to do: while this process waits for a job, but not during
   * one.
   */
  #keepHostAlive(busy: boolean): void {
    if (busy) this.#child?.ref()
    else this.#child?.unref()
    this.#channel?.hold(busy)
  }

  #mayTellMade(): boolean {
    const job = this.#pending
    return job !== null && job.made <= (performance.now() - job.sentAt) / MADE_PER_MS
  }

  /** What a message of a kind may have now. */
  #allows(kind: number): Allowance {
    const outcome = this.#pending?.outcome
    switch (kind) {
      case FROM_PROCESS.ready:
        return this.#isReady ? OUT_OF_TURN : NOTHING_MORE
      case FROM_PROCESS.here:
        return this.#asked > 0 ? NOTHING_MORE : OUT_OF_TURN
      case FROM_PROCESS.taken:
        return this.#pending?.taken === false ? NOTHING_MORE : OUT_OF_TURN
      case FROM_PROCESS.held:
        return this.#isReady && this.#heldLeft > 0 ? OF_ITSELF : OUT_OF_TURN
      case FROM_PROCESS.made:
        return this.#mayTellMade() ? OF_ITSELF : OUT_OF_TURN
      case FROM_PROCESS.recycled:
        return this.#isReady && !this.#recycled ? OF_ITSELF : OUT_OF_TURN
      case FROM_PROCESS.done:
        return outcome ? { head: outcome.headBytes ?? HEAD_BYTES, body: outcome.bodyBytes ?? 0 } : OUT_OF_TURN
      case FROM_PROCESS.failed:
        return outcome ? { head: HEAD_BYTES, body: 0 } : OUT_OF_TURN
      default:
        return 'it sent a message of an unknown kind'
    }
  }

  /** Takes a message that may come now. */
  #hear({ kind, head, body }: Frame): void {
    if (kind === FROM_PROCESS.ready) this.#isReady = true
    else if (kind === FROM_PROCESS.here) this.#asked -= 1
    else if (kind === FROM_PROCESS.taken) (this.#pending as SentJob).taken = true
    else if (kind === FROM_PROCESS.held) {
      this.#heldLeft -= 1
      this.heldBytes = checked(HELD, head).heldBytes
      this.#onHeld()
    } else if (kind === FROM_PROCESS.made) {
      ;(this.#pending as SentJob).made += 1
      this.rows = checked(MADE, head).rows
    } else if (kind === FROM_PROCESS.recycled) {
      this.#recycled = checked(RECYCLED, head)
      this.kill() // the process waits to be killed: had it ended itself, a message to it would lose its last report
    } else this.#settle(kind, head, body)
    this.#messages.emit('message')
  }

  #settle(kind: number, head: unknown, bytes: Buffer): void {
    const { outcome, resolve, reject } = this.#pending as SentJob
    const settle =
      kind === FROM_PROCESS.done
        ? resolve.bind(null, { value: outcomeIn(outcome, head, bytes), bytes })
        : reject.bind(null, new JobFailed(checked(this.#failures, head)))
    this.#pending = null
    this.rows = null
    this.#heldLeft = HELD_PER_JOB
    this.#keepHostAlive(false)
    settle()
  }
}

const NOTHING_MORE = { head: 0, body: 0 }
const OF_ITSELF = { head: OWN_BYTES, body: 0 }

/** What a message says; throws a {@link Breach} when it is not of the schema. */
export function checked<Value>(schema: Schema<Value>, head: unknown): Value {
  if (fits(schema, head)) return head
  throw new Breach('it sent a message that is not of its schema')
}

function outcomeIn<Value>({ schema, holds }: Outcome<Value>, head: unknown, bytes: Buffer): Value {
  const value = checked(schema, head)
  if (holds?.(value, bytes) ?? true) return value
  throw new Breach('it sent an outcome that is not one of its job')
}
