import { Refusal } from '../store/refusal.js'

/**
 * Runs work that Ctrl-C or SIGTERM ends: the first signal aborts it, so that it cleans up; a second one ends the
 * process. Work that was aborted is a refusal.
 */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(1)
    controller.abort()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    return await work(controller.signal)
  } catch (cause) {
    if (!controller.signal.aborted) throw cause
    throw new Refusal('Interrupted: what was finished stays, run the command again for the rest', { cause })
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}
