import { AnalyticsClientError, AnalyticsConnectionError } from './errors.js'

/** How calls are retried when the service asks to make them later. */
export interface RetryOptions {
  /** Most attempts per call, including the first. Default: 4. */
  attempts?: number
  /**
   * Longest wait that the service may ask for, milliseconds; beyond it, the failure is thrown. Default: 60
   * 000.
   */
  maxWaitMs?: number
  /** Resolves after `ms` milliseconds; rejects when the signal aborts first. Default: a timer. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /**
   * Returns a number from 0 to 1, to spread the retries of callers that failed together. Default:
   * `Math.random`.
   */
  random?: () => number
}

/** Longest first wait when the service asks for none; it doubles with each further attempt. */
const FIRST_WAIT_MS = 1000

/**
 * Retries calls that fail as UNAVAILABLE, RATE_LIMITED, or NOT_READY while a snapshot is prepared, and
 * those that a proxy answers 503 because it reaches no server; no others.
 */
export function retrying(options: RetryOptions | false) {
  const { attempts = 4, maxWaitMs = 60_000, wait = waitMs, random = Math.random } = options || { attempts: 1 }
  return async <Value>(call: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> => {
    for (let made = 1; ; made++) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof AnalyticsClientError || error instanceof AnalyticsConnectionError)) throw error
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
function isPassing(error: AnalyticsClientError | AnalyticsConnectionError): boolean {
  if (error instanceof AnalyticsConnectionError) return error.status === 503
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
