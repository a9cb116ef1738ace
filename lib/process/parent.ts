import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

/** How a child process ended. */
export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Why it failed to start, else the last 4096 characters of its stderr; for the host only. */
  stderr: string
  /** Whether its memory cap or the kernel's out-of-memory killer ended it. */
  outOfMemory: boolean
}

/** The process ended before it was ready or before it answered a job. */
export class ProcessDied extends Error {
  readonly exit: ProcessExit
  /** Whether the process had taken the job; if not, the job can safely run in another process. */
  readonly started: boolean

  constructor(exit: ProcessExit, started: boolean) {
    super(`process ended with ${exit.signal ?? `status ${exit.code}`}`)
    this.exit = exit
    this.started = started
  }
}

/** A job threw; `failure` is what its process reported. */
export class JobFailed<Failure> extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super('job failed')
    this.failure = failure
  }
}

/** How a process is started. */
export interface ProcessOptions {
  script: URL
  /** Its working directory, HOME and TMPDIR; created when missing. */
  folder: string
  settings: unknown
  memoryLimitBytes: number
  /** Encoding of jobs and outcomes: `json` is faster for short strings, `advanced` (default) also carries bytes. */
  serialization?: 'json' | 'advanced'
  /** A process that is not ready after this many milliseconds is killed. Default 30 000. */
  startWithinMs?: number
}

/** Exit status of a process that ended itself because it was over its memory limit. */
export const MEMORY_EXIT_STATUS = 86

const START_WITHIN_MS = 30_000
/** After this long without `close`, a process that has exited counts as closed. */
const CLOSES_WITHIN_MS = 1_000
const STDERR_TAIL = 4096
const OUT_OF_MEMORY = /out of memory|bad_alloc|Allocation failed|allocation failure/i

/** Messages from a process: it is ready, answers `ask`, has taken a job, or reports the job's outcome. */
type Message =
  | { taken: true }
  | { here: true }
  | { ready: true }
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
  readonly #child: ChildProcess
  #pending: { resolve: (value: unknown) => void; reject: (cause: Error) => void; taken: boolean } | null = null
  #exit: ProcessExit | null = null

  constructor(options: ProcessOptions) {
    let stderr = ''
    let failure = ''
    try {
      mkdirSync(options.folder, { recursive: true, mode: 0o700 })
    } catch (cause) {
      failure = String(cause) // the process cannot start without its folder; this is reported as the reason
    }
    this.#child = failure ? spawn(process.execPath, ['-e', 'process.exit(1)']) : spawnCapped(options)
    const child = this.#child
    const { startWithinMs = START_WITHIN_MS } = options
    const starting = setTimeout(() => {
      failure = `it took no jobs within ${startWithinMs} ms`
      this.kill()
    }, startWithinMs).unref()
    ;(child.stderr as unknown as Socket | null)?.unref()
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_TAIL)
    })
    child.on('error', cause => {
      failure ||= cause.message
    })
    this.exited = new Promise(resolve => {
      let closing: NodeJS.Timeout | undefined
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        clearTimeout(starting)
        clearTimeout(closing)
        this.#exit ??= describeExit(code, signal, failure || stderr)
        this.#pending?.reject(new ProcessDied(this.#exit, this.#pending.taken))
        this.#pending = null
        this.#keepHostAlive(false)
        resolve(this.#exit)
      }
      child.once('close', end) // after the last message and the end of stderr
      // Deno 2.9 neither emits `close` nor closes the channel if a message is sent to a process that has just ended.
      child.once('exit', (code, signal) => {
        closing = setTimeout(end, CLOSES_WITHIN_MS, code, signal)
      })
    })
    this.ready = new Promise((resolve, reject) => {
      child.once('message', () => {
        clearTimeout(starting)
        this.#keepHostAlive(false)
        resolve()
      })
      void this.exited.then(exit => reject(new ProcessDied(exit, false)))
    })
    this.ready.catch(() => {})
    child.on('message', message => this.#hear(message as Message))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get alive(): boolean {
    return this.#exit === null
  }

  /** Runs a job; the caller must not start another one before it has ended. */
  async run<Value>(job: unknown): Promise<Value> {
    if (this.#exit) throw new ProcessDied(this.#exit, false)
    return new Promise<Value>((resolve, reject) => {
      this.#keepHostAlive(true)
      this.#pending = { resolve: resolve as (value: unknown) => void, reject, taken: false }
      this.#child.send({ job } as object)
    })
  }

  /** Asks the running job to stop; repeated calls are harmless. */
  interrupt(): void {
    if (!this.#exit && this.#child.connected) this.#child.send({ interrupt: true })
  }

  /** Whether the process answers within this time; a busy one may not. */
  answers(withinMs: number): Promise<boolean> {
    if (this.#exit || !this.#child.connected) return Promise.resolve(false)
    this.#child.send({ ask: true })
    const heard = once(this.#child, 'message', { signal: AbortSignal.timeout(withinMs) }) // any message will do
    const answers = heard.then(
      () => true,
      () => false,
    )
    return Promise.race([answers, this.exited.then(() => false)])
  }

  kill(): void {
    if (!this.#exit) this.#keepHostAlive(true)
    this.#child.kill('SIGKILL')
  }

  /** Lets the host exit when it has nothing else to do: while this process waits for a job, but not during one. */
  #keepHostAlive(busy: boolean): void {
    if (busy) this.#child.ref()
    else this.#child.unref()
    if (busy) this.#child.channel?.ref?.()
    else this.#child.channel?.unref?.()
  }

  #hear(message: Message): void {
    if ('taken' in message && this.#pending) this.#pending.taken = true
    if (!('ok' in message)) return
    const pending = this.#pending
    this.#pending = null
    this.#keepHostAlive(false)
    if (message.ok) pending?.resolve(message.value)
    else pending?.reject(new JobFailed(message.failure as Failure))
  }
}

function spawnCapped(options: ProcessOptions): ChildProcess {
  const { memoryLimitBytes, serialization = 'advanced' } = options
  const heapMiB = Math.floor(memoryLimitBytes / 4 / 1024 ** 2)
  const node = [`--max-old-space-size=${heapMiB}`, fileURLToPath(options.script), JSON.stringify(options.settings)]
  const capped = process.platform === 'linux'
  const env: NodeJS.ProcessEnv = { TZ: 'UTC', LANG: 'C.UTF-8', HOME: options.folder, TMPDIR: options.folder }
  // Only Linux applies RLIMIT_DATA to mapped memory; elsewhere the process watches its own resident size.
  if (!capped) env.FOLDGATE_WATCH_BYTES = String(memoryLimitBytes)
  const capKiB = Math.floor(memoryLimitBytes / 1024)
  const [command, args] = capped
    ? ['/bin/sh', ['-c', `ulimit -d ${capKiB} && ulimit -c 0 && exec "$0" "$@"`, process.execPath, ...node]]
    : [process.execPath, node]
  return spawn(command, args, {
    cwd: options.folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization,
    windowsHide: true,
  })
}

function describeExit(code: number | null, signal: NodeJS.Signals | null, stderr: string): ProcessExit {
  // A SIGKILL that we did not send is from the kernel's out-of-memory killer; callers of kill() know of theirs.
  const outOfMemory = code === MEMORY_EXIT_STATUS || signal === 'SIGKILL' || OUT_OF_MEMORY.test(stderr)
  return { code, signal, stderr, outOfMemory }
}
