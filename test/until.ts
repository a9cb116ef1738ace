import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'

const GIVE_UP_AFTER_MS = 10_000

/** Polls until `look` returns a value other than undefined and false, and returns it; fails after ten seconds. */
export async function until<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  what: string,
): Promise<Value> {
  for (const end = performance.now() + GIVE_UP_AFTER_MS; performance.now() < end; ) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await setImmediate()
  }
  return assert.fail(`timed out after ${GIVE_UP_AFTER_MS} ms: ${what}`)
}
