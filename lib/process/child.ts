import { heldBytes } from './memory.js'
import { MEMORY_EXIT_STATUS } from './parent.js'

const INTERRUPT_EVERY_MS = 100
const WATCH_EVERY_MS = 200

/** The work of a process: what it does with a job, how it stops one, and what it reports of a failure. */
export interface JobServer {
  run(job: unknown): Promise<unknown>
  /** Called again and again from the moment an interrupt arrives until the job ends. */
  interrupt?(): void
  /** A plain object, for the parent. */
  describe(cause: unknown): unknown
  /** Asked after each job: a process that has seen too much ends, and its successor takes the next one. */
  mustRecycle?(failure: unknown): boolean
  /** Runs when a job is answered, and before the next one. */
  reset?(): Promise<void>
}

/** The settings that the parent started this process with. */
export function processSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? 'null') as Settings
}

/** Answer the parent's jobs, one at a time, until it goes away. */
export function serveJobs(server: JobServer): void {
  let interrupting: NodeJS.Timeout | null = null
  let running = false
  let reset = Promise.resolve()
  process.on('message', (message: { job?: unknown; interrupt?: boolean; ask?: boolean }) => {
    if (message.ask) {
      process.send?.({ here: true })
      return
    }
    if (message.interrupt) {
      if (!running) return
      // One interrupt sent before execution starts is lost, so it is repeated until the job ends.
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
      process.send?.(answer, undefined, undefined, () => {
        if (server.mustRecycle?.('failure' in answer ? answer.failure : null)) process.exit(0)
      })
      reset = server.reset?.() ?? reset
    }
    reset
      .then(() => {
        const outcome = server.run(message.job)
        process.send?.({ taken: true }) // while its first step runs in another thread
        return outcome
      })
      .then(
        value => settle({ ok: true, value }),
        cause => settle({ ok: false, failure: server.describe(cause) }),
      )
  })
  // Without its parent nobody wants the answer; threads of the engine may be deaf, so nothing is waited for.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  // A signal to stop may reach the whole group, as Ctrl-C does: the parent is told too, and may let a job finish.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  watchMemory()
  process.send?.({ ready: true })
}

function watchMemory(): void {
  const limitBytes = Number(process.env.FOLDGATE_WATCH_BYTES ?? 0)
  if (!limitBytes) return
  setInterval(() => {
    if (heldBytes() > limitBytes) process.exit(MEMORY_EXIT_STATUS)
  }, WATCH_EVERY_MS).unref()
}
