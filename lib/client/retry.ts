import { AnalyticsClientError } from './errors.js'

/** How calls are made again that the service asks to make later. */
export interface RetryOptions {
  /** Times that a call is made, the first included. Default 4. */
  attempts?: number
  /** A service that asks to wait longer is not waited for, milliseconds. Default 60 s. */
  maxWaitMs?: number
  /** Fulfilled after that time, rejected when the signal fires before. Default: a timer. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 to 1, spreads the waits of callers that failed together. Default: `Math.random`. */
  random?: () => number
}

/** The longest first wait when the service names none; each further one is twice as long. */
const FIRST_WAIT_MS = 1000

/** Makes calls: UNAVAILABLE, RATE_LIMITED and NOT_READY while an assessment runs are made again, nothing else is. */
export function retrying(options: RetryOptions | false) {
  const { attempts = 4, maxWaitMs = 60_000, wait = waitMs, random = Math.random } = options || { attempts: 1 }
  return async <Value>(call: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> => {
    for (let made = 1; ; made++) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof AnalyticsClientError)) throw error
        error.attempts = made
        const askedMs = error.retryAfterMs ?? 0
        if (made >= attempts || !isPassing(error) || askedMs > maxWaitMs) throw error
        const spreadMs = Math.min(FIRST_WAIT_MS * 2 ** (made - 1), maxWaitMs) / 2
        await wait((askedMs || spreadMs) + random() * spreadMs, signal)
      }
    }
  }
}

/** Whether the service says that the same call may succeed later. */
function isPassing(error: AnalyticsClientError): boolean {
  if (error.class === 'NOT_READY') return error.data.retry === true
  return error.class === 'UNAVAILABLE' || error.class === 'RATE_LIMITED'
}

function waitMs(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
