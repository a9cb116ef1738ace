import { Refusal } from '../input/refusal.js'

/** Exit status for bad input and for failures. */
export const FAILED = 1
/** Exit status for bad usage. */
export const BAD_USAGE = 2

/**
 * Runs work that Ctrl-C or SIGTERM interrupts: the first aborts the `AbortSignal`, so that the
 * work can clean up; the second ends the process. Throws a Refusal, which tells the `outcome`,
 * when the work fails after the first.
 */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  outcome = 'what is finished stays; run the command again for the rest',
): Promise<Result> {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(FAILED)
    controller.abort()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    return await work(controller.signal)
  } catch (cause) {
    if (!controller.signal.aborted) throw cause
    throw new Refusal(`Interrupted: ${outcome}`, { cause })
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once with status 1. */
export function untilStopped(): Promise<void> {
  return new Promise(resolve => {
    let told = false
    const stop = () => {
      if (told) process.exit(FAILED)
      told = true
      resolve()
    }
    process.on('SIGTERM', stop).on('SIGINT', stop)
  })
}
