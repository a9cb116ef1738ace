import { MEMORY_EXIT_STATUS, type Recycled } from './exit.js'
import { heldBytes, restsHere } from './memory.js'

const INTERRUPT_EVERY_MS = 100
const WATCH_EVERY_MS = 200
/** A pause begins when no job has come for this long. */
const PAUSE_AFTER_MS = 50
/** The parent is told what the process holds when that has changed by more. */
const TOLD_STEP_BYTES = 16 * 1024 ** 2

/** What a process does: how it runs and interrupts a job, and how it describes a failure. */
export interface JobServer {
  run(job: unknown): Promise<unknown>
  /** Called when an interrupt arrives, and then every 100 ms until the job ends. */
  interrupt?(): void
  /** Describes a failure to the parent as a plain object. */
  describe(cause: unknown): unknown
  /**
   * Called after each answer, with the failure if the job failed; the next job waits for it. Null when nothing was
   * measured.
   */
  reset?(failure: unknown): Promise<Kept | null>
  /** Called once in each pause between jobs; a job that comes meanwhile waits for it. */
  rest?(): Promise<Kept>
}

/** What a process keeps after a job. */
export interface Kept {
  /** Memory beyond what the process had mapped before its first job. */
  heldBytes: number
  /** Why the process ends instead of serving another job, so that the parent replaces it. */
  recycle: Recycled['reason'] | null
}

/** The settings with which the parent started this process. */
export function processSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? 'null') as Settings
}

/** Answers the parent's jobs, one at a time, until the parent disconnects. */
export function serveJobs(server: JobServer): void {
  let interrupting: NodeJS.Timeout | null = null
  let running = false
  let reset: Promise<void> = Promise.resolve()
  let toldBytes = 0
  const afterwards = async (keeping: Promise<Kept | null> | undefined) => {
    const kept = await keeping
    if (!kept) return
    const { heldBytes, recycle } = kept
    if (recycle !== null) {
      const recycled: Recycled = { reason: recycle, heldBytes }
      process.send?.({ recycled }, undefined, undefined, () => process.exit(0))
      return new Promise<never>(() => {}) // a job that has arrived meanwhile is left to another process
    }
    if (Math.abs(heldBytes - toldBytes) < TOLD_STEP_BYTES) return
    toldBytes = heldBytes
    process.send?.({ heldBytes })
  }
  const pause = setTimeout(() => {
    if (!running) reset = reset.then(() => afterwards(server.rest?.()))
  }, PAUSE_AFTER_MS).unref()
  process.on('message', (message: { job?: unknown; interrupt?: boolean; ask?: boolean }) => {
    if (message.ask) {
      process.send?.({ here: true })
      return
    }
    if (message.interrupt) {
      if (!running) return
      // DuckDB ignores an interrupt before execution starts, so it is repeated until the job ends.
      interrupting ??= setInterval(() => server.interrupt?.(), INTERRUPT_EVERY_MS)
      server.interrupt?.()
      return
    }
    running = true
    const stop = () => {
      running = false
      if (interrupting) clearInterval(interrupting)
      interrupting = null
    }
    const settle = (answer: { ok: true; value: unknown } | { ok: false; failure: unknown }) => {
      stop()
      process.send?.(answer)
      reset = afterwards(server.reset?.('failure' in answer ? answer.failure : null))
      pause.refresh()
    }
    reset
      .then(() => {
        const outcome = server.run(message.job)
        process.send?.({ taken: true }) // while the first step of the job runs in another thread
        return outcome
      })
      .then(
        value => settle({ ok: true, value }),
        cause => settle({ ok: false, failure: server.describe(cause) }),
      )
  })
  // Without the parent no answer is needed. SIGKILL, because DuckDB's threads may not react to anything else.
  process.on('disconnect', endNow)
  // Ctrl-C signals the whole process group, unless this process is one of its own: the parent gets the signal
  // too, and decides whether a job may finish.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  restsHere()
  watchMemory()
  process.send?.({ ready: true })
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
