import { AnalyticsClientError, AnalyticsConnectionError } from 'foldgate/client'
import { counted } from './dom.js'
import type { TextPlace } from './sql.js'

/** A call that the API refused, or that it did not answer. */
export type ClientFailure = AnalyticsClientError | AnalyticsConnectionError

/** Whether an error is a failure of a call; any other is an abort, or a bug of this page. */
export function isFailure(error: unknown): error is ClientFailure {
  return error instanceof AnalyticsClientError || error instanceof AnalyticsConnectionError
}

/** Whether an error is an abort. */
export function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** The class of a failure; null when the API did not answer. */
export function classOf(failure: ClientFailure): AnalyticsClientError['class'] | null {
  return failure instanceof AnalyticsClientError ? failure.class : null
}

/** What the API says of a failure beside its message; empty when it did not answer. */
export function dataOf(failure: ClientFailure): Readonly<Record<string, unknown>> {
  return failure instanceof AnalyticsClientError ? { ...failure.data } : {}
}

/** The place of the error in the statement; null if it is not known. */
export function placeOf(failure: ClientFailure): TextPlace | null {
  const { line, column } = dataOf(failure)
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : null
}

/**
 * What is wrong, in words for the user of a page: the messages
 * of the client for programs name addresses and options.
 */
export function messageOf(failure: ClientFailure): string {
  if (!(failure instanceof AnalyticsConnectionError)) return failure.message
  return failure.status === undefined
    ? 'The service cannot be reached: check your connection, then try again.'
    : `The service did not answer as it should (HTTP ${failure.status}).`
}

/** The message without the place and the hint at its end, which the page shows apart. */
export function complaintOf(failure: ClientFailure): string {
  const message = messageOf(failure)
  const { hint } = dataOf(failure)
  const place = placeOf(failure)
  const bare = typeof hint === 'string' && message.endsWith(hint) ? message.slice(0, -hint.length) : message
  return place ? bare.replace(` (line ${place.line}, column ${place.column})`, '').trim() : bare.trim()
}

/** Whether the same call may succeed later. */
export function mayWork(failure: ClientFailure): boolean {
  if (failure instanceof AnalyticsConnectionError) return true
  return ['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL'].includes(failure.class) || dataOf(failure).retry === true
}

/** When to try again, in words; null if the service gave no time or the class of the failure has none. */
export function whenToRetry(failure: ClientFailure, now: Date): string | null {
  const hasTime =
    failure instanceof AnalyticsConnectionError || ['RATE_LIMITED', 'UNAVAILABLE'].includes(failure.class)
  if (failure.retryAfterMs === undefined || !hasTime) return null
  const at = new Date(now.getTime() + failure.retryAfterMs)
  const clock = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  return `Try again in ${counted(failure.retryAfterMs / 1000, 'second')}, at ${clock}.`
}
