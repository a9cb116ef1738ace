/** How long a caller waits. */
export interface Patience {
  /** Fires when the caller has left; a caller without one stays. */
  signal?: AbortSignal
  /** Milliseconds; no limit when absent. */
  ms?: number
}

/** The wait took longer than its `ms`. */
export class TimeIsOver extends Error {}

/**
 * Runs `begin` and settles when it calls `take` or `fail`, when the time is over ({@link TimeIsOver}) or when
 * the signal fires (its reason), whichever is first. `leave` runs just before. When the signal has fired
 * already, neither `begin` nor `leave` runs.
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
        signal?.removeEventListener('abort', abort)
        leave()
        settle(outcome)
      }
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    const fail = ending(reject)
    const abort = () => fail(signal?.reason)
    if (signal?.aborted) return reject(signal.reason)
    signal?.addEventListener('abort', abort)
    if (ms !== undefined) timer = setTimeout(() => fail(new TimeIsOver(`no answer within ${ms} ms`)), ms)
    begin(ending(resolve), fail)
  })
}

/**
 * Waits for work that goes on whether or not anybody waits for it. A failure that comes after the wait is
 * over is ignored, also when the signal had fired before.
 */
export function waitForWork<Value>(patience: Patience, work: Promise<Value>): Promise<Value> {
  work.catch(() => {}) // without a handler, a failure that nobody waits for would end the host
  return waitFor<Value>(patience, (take, fail) => void work.then(take, fail))
}
