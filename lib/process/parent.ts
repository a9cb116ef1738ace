import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

/** How a process of ours ended. */
export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** The last of what it wrote to stderr, for the host's eyes. */
  stderr: string
  /** The memory cap or the kernel took it. */
  outOfMemory: boolean
}

/** The process ended before it answered a job. */
export class ProcessDied extends Error {
  readonly exit: ProcessExit
  /** The job had reached the process; otherwise it can run in another one as if nothing had happened. */
  readonly started: boolean

  constructor(exit: ProcessExit, started: boolean) {
    super(`process ended with ${exit.signal ?? `status ${exit.code}`}`)
    this.exit = exit
    this.started = started
  }
}

/** What a job threw, as its process reported it. */
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
  /** What it works in, made when missing, and the only home that it knows. */
  folder: string
  settings: unknown
  memoryLimitBytes: number
  /** How jobs and outcomes travel: JSON is faster for short texts, the default takes bytes as well. */
  serialization?: 'json' | 'advanced'
  /** One that takes no jobs by then is killed: 30 seconds unless told otherwise. */
  startWithinMs?: number
}

/** Exit status of a process that found itself over its memory limit. */
export const MEMORY_EXIT_STATUS = 86

const START_WITHIN_MS = 30_000
const STDERR_TAIL = 4096
const OUT_OF_MEMORY = /out of memory|bad_alloc|Allocation failed|allocation failure/i

/** What a process says: that it takes jobs, is there or has taken one, and what came of it. */
type Message =
  | { taken: true }
  | { here: true }
  | { ready: true }
  | { ok: true; value: unknown }
  | { ok: false; failure: unknown }

/**
 * A Node process that runs one job at a time: started with a hard cap on its memory and nothing of the host's
 * environment, killed with SIGKILL alone (a job can be deaf to anything softer).
 */
export class JobProcess<Failure> {
  /** Fulfilled once the process takes jobs; rejected when it ended before. */
  readonly ready: Promise<void>
  /** Fulfilled when the process has ended, however it ended. */
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
      failure = String(cause) // it will not start without, and that it has no folder says why
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
      child.once('close', (code, signal) => {
        clearTimeout(starting)
        this.#exit = describeExit(code, signal, failure || stderr)
        this.#pending?.reject(new ProcessDied(this.#exit, this.#pending.taken))
        this.#pending = null
        resolve(this.#exit)
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

  /** Run a job; the caller sees to it that there is one at a time. */
  async run<Value>(job: unknown): Promise<Value> {
    if (this.#exit) throw new ProcessDied(this.#exit, false)
    return new Promise<Value>((resolve, reject) => {
      this.#keepHostAlive(true)
      this.#pending = { resolve: resolve as (value: unknown) => void, reject, taken: false }
      this.#child.send({ job } as object)
    })
  }

  /** Ask the running job to stop; asking again is harmless. */
  interrupt(): void {
    if (!this.#exit && this.#child.connected) this.#child.send({ interrupt: true })
  }

  /** Whether the process says within this time that it is there; one at work may be too busy to. */
  answers(withinMs: number): Promise<boolean> {
    if (this.#exit || !this.#child.connected) return Promise.resolve(false)
    this.#child.send({ ask: true })
    const heard = once(this.#child, 'message', { signal: AbortSignal.timeout(withinMs) }) // whatever it says
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

  /** A host with nothing else to do may end while this process waits for a job, not while it works on one. */
  #keepHostAlive(busy: boolean): void {
    if (busy) this.#child.ref()
    else this.#child.unref()
    if (busy) this.#child.channel?.ref()
    else this.#child.channel?.unref()
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
  // Only Linux holds RLIMIT_DATA against mapped memory; elsewhere the process watches its own resident size.
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
  // SIGKILL that we did not send is the kernel's out-of-memory killer; callers of kill() know their own.
  const outOfMemory = code === MEMORY_EXIT_STATUS || signal === 'SIGKILL' || OUT_OF_MEMORY.test(stderr)
  return { code, signal, stderr, outOfMemory }
}
