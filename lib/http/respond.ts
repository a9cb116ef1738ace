import type { CallOutcome } from '../call.js'
import type { AnalyticsError } from '../errors.js'
import { encodeJson } from '../json.js'
import type { QuotaState } from '../ports.js'

/** Seconds after which a caller may try an unavailable service again. */
const RETRY_AFTER_SECONDS = 5

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** The answer of a call on REST. */
export function respond(outcome: CallOutcome, headers: Record<string, string> = {}): Response {
  const quota = outcome.quota ? quotaHeaders(outcome.quota) : {}
  if (!outcome.ok) return respondError(outcome.error, { ...quota, ...headers })
  const { result, warnings } = outcome
  return json(200, warnings.length > 0 ? { result, warnings } : { result }, { ...quota, ...headers })
}

/** A failure on REST: its class decides the status. */
export function respondError(error: AnalyticsError, headers: Record<string, string> = {}): Response {
  return json(error.status, errorBody(error), { ...statusHeaders(error), ...headers })
}

/** What a failure says. */
export function errorBody({ code, class: errorClass, message, data }: AnalyticsError) {
  return { code, class: errorClass, message, ...(data ? { data } : {}) }
}

/** Any value as a JSON response. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Response {
  const body = encodeJson(value)
  return new Response(body, {
    status,
    headers: { ...JSON_HEADERS, 'content-length': String(body.byteLength), ...headers },
  })
}

function statusHeaders(error: AnalyticsError): Record<string, string> {
  if (error.class === 'UNAUTHENTICATED') return { 'www-authenticate': 'Bearer' }
  if (error.class === 'RATE_LIMITED') return { 'retry-after': String(error.data?.retryAfterSeconds ?? 1) }
  if (error.class === 'UNAVAILABLE') return { 'retry-after': String(RETRY_AFTER_SECONDS) }
  return {}
}

/** What a key has left, in the fields of the IETF draft. */
export function quotaHeaders(quota: QuotaState): Record<string, string> {
  return {
    'ratelimit-policy': `"calls";q=${quota.limit};w=${Math.ceil(quota.windowMs / 1000)}`,
    ratelimit: `"calls";r=${quota.remaining};t=${Math.ceil(quota.resetMs / 1000)}`,
  }
}
