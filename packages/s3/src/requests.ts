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
 * How often a throttled request is repeated. The first wait is a twentieth of the timeout, and each further
 * one is twice as long: with 10 s, half a minute in all.
 */
const REPEATS = 6
const FIRST_WAIT = 1 / 20
const THROTTLED = new Set(['SlowDown', 'Throttling', 'ThrottlingException', 'RequestLimitExceeded'])

/** Requests to a store, each of which ends in time. */
export class Requests {
  readonly #client: S3Client
  readonly #timeoutMs: number
  readonly #isPatient: boolean

  /**
   * Patient requests are for work that no call waits for: requests that the store throttles are repeated, and the
   * message of one that fails names it and its key.
   */
  constructor(client: S3Client, timeoutMs: number, isPatient: boolean) {
    this.#client = client
    this.#timeoutMs = timeoutMs
    this.#isPatient = isPatient
  }

  /**
   * Sends a request, and abandons it when the signal fires or the time is over; a long one has six times as
   * long.
   */
  async send<Answer>(signal: AbortSignal, sent: Sent, send: Send<Answer>): Promise<Answer> {
    setMaxListeners(0, signal) // each request of a call listens, and each body that is read
    for (let repeats = 0; ; repeats++) {
      try {
        return await this.#sendOnce(signal, sent, send)
      } catch (cause) {
        if (!this.#isPatient || signal.aborted) throw cause
        if (!isThrottled(cause) || repeats === REPEATS) throw named(cause, sent)
      }
      // Spread, so that what was throttled together does not come back together.
      const waitMs = this.#timeoutMs * FIRST_WAIT * 2 ** repeats * (0.5 + Math.random() / 2)
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
function isThrottled(cause: unknown): boolean {
  const status = statusOf(cause)
  return status === 429 || status === 503 || (cause instanceof Error && THROTTLED.has(cause.name))
}

/** The same failure, with the request in its message. */
function named(cause: unknown, { request, key }: Sent): unknown {
  if (cause instanceof Error) cause.message = `${request} of ${key}: ${cause.message}`
  return cause
}
