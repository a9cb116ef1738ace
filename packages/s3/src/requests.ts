import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import { waitForWork } from 'foldgate/internal'

/** A request to the store. */
export interface Sent {
  /** Its name in S3, for messages. */
  request: string
  /** The object that it is about, or the beginning of the keys that it lists. */
  key: string
  /** Whether it may take longer, since it sends a part of a file or waits for all of them. */
  isLong?: boolean
}

/** Sends a request with a client. */
export type Send<Answer> = (client: S3Client, options: { abortSignal: AbortSignal }) => Promise<Answer>

const LONG_TIMES = 6
/**
 * How long a request is repeated that the store throttles, or whose connection breaks, and how long the first wait and
 * the longest one are, in timeouts: with 10 s, half a minute, half a second and eight seconds. The waits double.
 */
const PATIENCE = 3
const FIRST_WAIT = 1 / 20
const LONGEST_WAIT = 16 * FIRST_WAIT
const THROTTLED = new Set(['SlowDown', 'Throttling', 'ThrottlingException', 'RequestLimitExceeded'])
const BROKEN = new Set(['ECONNRESET', 'EPIPE'])

/** Requests to a store, each of which ends in time. */
export class Requests {
  readonly #client: S3Client
  readonly #timeoutMs: number

  constructor(client: S3Client, timeoutMs: number) {
    this.#client = client
    this.#timeoutMs = timeoutMs
  }

  /**
   * Sends a request, and abandons it when the signal fires or the time is over; a long one has six times as
   * long. Requests that the store throttles, or whose connection breaks, are repeated for half a minute at most; the
   * signal of a call ends that sooner. The message of a failure names the request and its key.
   */
  async send<Answer>(signal: AbortSignal, sent: Sent, send: Send<Answer>): Promise<Answer> {
    setMaxListeners(0, signal) // each request of a call listens, and each body that is read
    const startedAt = performance.now()
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      // Spread, so that what was throttled together does not come back together.
      const waitMs = this.#timeoutMs * wait * (0.5 + Math.random() / 2)
      try {
        return await this.#sendOnce(signal, sent, send)
      } catch (cause) {
        if (signal.aborted) throw cause
        const triedMs = performance.now() - startedAt
        const isPassing = isThrottled(cause) || BROKEN.has((cause as NodeJS.ErrnoException).code ?? '')
        if (!isPassing || triedMs + waitMs > this.#timeoutMs * PATIENCE) throw named(cause, sent, triedMs)
      }
      await setTimeout(waitMs, undefined, { signal }).catch(() => {}) // the next attempt throws the reason
    }
  }

  async #sendOnce<Answer>(signal: AbortSignal, { isLong }: Sent, send: Send<Answer>): Promise<Answer> {
    signal.throwIfAborted()
    const over = new AbortController()
    const sending = send(this.#client, { abortSignal: over.signal })
    const ms = this.#timeoutMs * (isLong ? LONG_TIMES : 1)
    try {
      return await waitForWork({ signal, ms }, sending)
    } catch (cause) {
      over.abort() // the client retries no more, and closes the connection
      const status = statusOf(cause)
      if (status !== undefined && cause instanceof Error && /^(UnknownError)?$/.test(cause.message))
        cause.message = `the store answered ${status}` // without a message of its own
      throw cause
    }
  }
}

/** The status of an answer of the store; undefined when there was none. */
export function statusOf(cause: unknown): number | undefined {
  return (cause as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode
}

/** Whether the store asks for fewer requests. */
export function isThrottled(cause: unknown): boolean {
  const status = statusOf(cause)
  return status === 429 || status === 503 || (cause instanceof Error && THROTTLED.has(cause.name))
}

/** The same failure, with the request in its message, and how long the store has throttled it. */
function named(cause: unknown, { request, key }: Sent, triedMs: number): unknown {
  if (!(cause instanceof Error)) return cause
  const throttled = isThrottled(cause) ? `throttled by the store for ${(triedMs / 1000).toFixed(0)} s: ` : ''
  cause.message = `${request} of ${key}: ${throttled}${cause.message}`
  return cause
}
