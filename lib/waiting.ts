/** How long something is waited for, and by whom: whose signal fires has left. */
export interface Patience {
  signal: AbortSignal
  /** For as long as it takes, without it. */
  ms?: number
}

/** The time was over before the answer came. */
export class TimeIsOver extends Error {}

/**
 * Waits for what `begin` takes or fails with, for the time to be over ({@link TimeIsOver}) or for the signal to fire (its
 * reason), whichever is first; `leave` then runs at once, whatever it was.
 */
export function waitFor<Value>(
  { signal, ms }: Patience,
  begin: (take: (value: Value) => void, fail: (cause: unknown) => void) => void,
  leave: () => void = () => {},
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const ending =
      <Outcome>(settle: (outcome: Outcome) => void) =>
      (outcome: Outcome) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        leave()
        settle(outcome)
      }
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    const fail = ending(reject)
    const abort = () => fail(signal.reason)
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', abort)
    if (ms !== undefined) timer = setTimeout(() => fail(new TimeIsOver(`no answer within ${ms} ms`)), ms)
    begin(ending(resolve), fail)
  })
}
