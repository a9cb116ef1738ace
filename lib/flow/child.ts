import { heldBytes, restsHere } from '../sandbox/memory.js'
import { Channel, cloneIn, FROM_PROCESS, type Frame, TO_PROCESS } from './channel.js'
import { MEMORY_EXIT_STATUS, type Recycled } from './exit.js'

const INTERRUPT_EVERY_MS = 100
const WATCH_EVERY_MS = 200
const MADE_EVERY_MS = 1_000
/** A pause begins when no job has come for this long. */
const PAUSE_AFTER_MS = 50
/** The host is told what the process holds when that has changed by more. */
const TOLD_STEP_BYTES = 16 * 1024 ** 2

/** A value with bytes, which leave the process as they are. */
export class WithBytes {
  readonly value: unknown
  readonly bytes: Uint8Array

  constructor(value: unknown, bytes: Uint8Array) {
    this.value = value
    this.bytes = bytes
  }
}

/** What a process does: how it runs and interrupts a job, and how it describes a failure. */
interface JobServer {
  /** Its value leaves the process as JSON, and that of a {@link WithBytes} with bytes. */
  run(job: unknown): Promise<unknown>
  /** Called when an interrupt arrives, and then every 100 ms until the job ends. */
  interrupt?(): void
  /** Rows that the running job has written; the host is told once per second. Default: they are not counted. */
  made?(): number
  /** Describes a failure to the host as a plain object. */
  describe(cause: unknown): unknown
  /**
   * Called after each answer, with the failure if the job failed; the next job waits for it. Null when nothing was
   * measured.
   */
  reset?(failure: unknown): Promise<HeldMemory | null>
  /** Called once in each pause between jobs; a job that comes meanwhile waits for it. */
  rest?(): Promise<HeldMemory>
}

/** What a process keeps after a job. */
export interface HeldMemory {
  /** Memory beyond what the process had mapped before its first job. */
  heldBytes: number
  /** Why the process ends instead of serving another job, so that the host replaces it. */
  recycle: Recycled['reason'] | null
}

/** The settings with which the host started this process. */
export function processSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? 'null') as Settings
}

/** Answers the host's jobs, one at a time, until the host has gone. */
export function serveJobs(server: JobServer): void {
  let interrupting: NodeJS.Timeout | null = null
  let running = false
  let reset: Promise<void> = Promise.resolve()
  let toldBytes = 0
  const afterwards = async (keeping: Promise<HeldMemory | null> | undefined) => {
    const kept = await keeping
    if (!kept) return
    const { heldBytes, recycle } = kept
    if (recycle !== null) {
      const recycled: Recycled = { reason: recycle, heldBytes }
      channel.send(FROM_PROCESS.recycled, recycled) // the host ends it, and leaves a job that has come to another one
      return new Promise<never>(() => {})
    }
    if (Math.abs(heldBytes - toldBytes) < TOLD_STEP_BYTES) return
    toldBytes = heldBytes
    channel.send(FROM_PROCESS.held, { heldBytes })
  }
  const pause = setTimeout(() => {
    if (!running) reset = reset.then(() => afterwards(server.rest?.()))
  }, PAUSE_AFTER_MS).unref()
  const settle = (failure: unknown, tell: () => void) => {
    running = false
    if (interrupting) clearInterval(interrupting)
    interrupting = null
    tell()
    reset = afterwards(server.reset?.(failure))
    pause.refresh()
  }
  const run = async (job: unknown) => {
    running = true
    let toldRows = 0
    const telling = setInterval(() => {
      const rows = server.made?.() ?? 0
      if (running && rows > toldRows) channel.send(FROM_PROCESS.made, { rows })
      toldRows = rows
    }, MADE_EVERY_MS)
    try {
      await reset
      const outcome = server.run(job)
      channel.send(FROM_PROCESS.taken) // while the first step of the job runs in another thread
      const made = await outcome
      const { value, bytes } = made instanceof WithBytes ? made : { value: made, bytes: undefined }
      settle(null, () => channel.send(FROM_PROCESS.done, value ?? null, bytes))
    } catch (cause) {
      const failure = server.describe(cause)
      settle(failure, () => channel.send(FROM_PROCESS.failed, failure))
    } finally {
      clearInterval(telling)
    }
  }
  const hear = (frame: Frame) => {
    const { kind } = frame
    if (kind === TO_PROCESS.ask) channel.send(FROM_PROCESS.here)
    else if (kind === TO_PROCESS.job) void run(cloneIn(frame))
    else if (running) {
      // DuckDB ignores an interrupt before execution starts, so it is repeated until the job ends.
      interrupting ??= setInterval(() => server.interrupt?.(), INTERRUPT_EVERY_MS)
      server.interrupt?.()
    }
  }
  // Without the host no answer is needed. SIGKILL, because DuckDB's threads may not react to anything else.
  const channel = Channel.toHost(hear, endNow)
  // Ctrl-C signals the whole process group, unless this process is one of its own: the host gets the signal
  // too, and decides whether a job may finish.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  restsHere()
  watchMemory()
  channel.send(FROM_PROCESS.ready)
}

/** Behind the walls of a sandbox, it can send signals to its own process group alone. */
function endNow(): void {
  process.kill(process.env.FOLDGATE_OWN_GROUP ? 0 : process.pid, 'SIGKILL')
}

function watchMemory(): void {
  const limitBytes = Number(process.env.FOLDGATE_WATCH_BYTES ?? 0)
  if (!limitBytes) return
  setInterval(() => {
    if (heldBytes() > limitBytes) process.exit(MEMORY_EXIT_STATUS)
  }, WATCH_EVERY_MS).unref()
}
