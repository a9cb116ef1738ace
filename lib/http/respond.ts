import type { CallOutcome } from '../call.js'
import type { AnalyticsError } from '../errors.js'
import { jsonParts } from '../json.js'
import { COLUMNS_HEADER } from '../paths.js'
import type { QuotaState } from '../ports.js'
import type { Phases } from '../work.js'
import type { HttpAnswer } from './exchange.js'

const MOST_HEADER_BYTES = 4096
/** `Retry-After` of UNAVAILABLE. */
const RETRY_AFTER_SECONDS = 5

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** An answer with a JSON body. */
type JsonAnswer = HttpAnswer & { body: readonly Uint8Array[] }

/** The REST answer to a call, with the time of each phase in `Server-Timing`. */
export function respond(outcome: CallOutcome, phases: Phases, headers: Record<string, string> = {}): JsonAnswer {
  const startedAt = performance.now()
  const answer = outcome.ok ? respondResult(outcome) : respondError(outcome.error)
  if (outcome.quota) Object.assign(answer.headers, quotaHeaders(outcome.quota))
  phases.add('encode', performance.now() - startedAt)
  Object.assign(answer.headers, { 'server-timing': timing(phases) }, headers)
  return answer
}

function respondResult({ result, columns, warnings }: CallOutcome & { ok: true }): JsonAnswer {
  return json(200, warnings.length > 0 ? { result, warnings } : { result }, columns ? columnHeaders(columns) : {})
}

/** The columns of a page without rows, as JSON in ASCII. Clients limit the size of headers, so many columns are not sent. */
function columnHeaders(columns: readonly string[]): Record<string, string> {
  const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  const text = JSON.stringify(columns).replace(/[^\x20-\x7e]/g, escaped)
  return text.length <= MOST_HEADER_BYTES ? { [COLUMNS_HEADER]: text } : {}
}

function timing({ spentMs }: Phases): string {
  return Object.entries(spentMs)
    .map(([phase, ms]) => `${phase};dur=${ms.toFixed(2)}`)
    .join(', ')
}

/** The REST answer to a failure; its class determines the status. */
export function respondError(error: AnalyticsError, headers: Record<string, string> = {}): JsonAnswer {
  return json(error.status, errorBody(error), { ...statusHeaders(error), ...headers })
}

/** The JSON body of a failure. */
export function errorBody({ code, class: errorClass, message, data }: AnalyticsError) {
  return { code, class: errorClass, message, ...(data ? { data } : {}) }
}

/** Any value as a JSON answer. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): JsonAnswer {
  const body = jsonParts(value)
  const length = body.reduce((sum, part) => sum + part.byteLength, 0)
  return { status, headers: { ...JSON_HEADERS, 'content-length': String(length), ...headers }, body }
}

function statusHeaders(error: AnalyticsError): Record<string, string> {
  if (error.class === 'UNAUTHENTICATED') return { 'www-authenticate': 'Bearer' }
  return retryHeaders(error.class, error.data)
}

/** When to call again after a failure of this class and data. */
export function retryHeaders(errorClass: unknown, data?: Readonly<Record<string, unknown>>): Record<string, string> {
  if (errorClass === 'RATE_LIMITED') return { 'retry-after': String(data?.retryAfterSeconds ?? 1) }
  if (errorClass === 'UNAVAILABLE') return { 'retry-after': String(RETRY_AFTER_SECONDS) }
  return {}
}

/** The quota of a key as header fields, see the IETF draft "RateLimit header fields for HTTP". */
export function quotaHeaders(quota: QuotaState): Record<string, string> {
  return {
    'ratelimit-policy': `"calls";q=${quota.limit};w=${Math.ceil(quota.windowMs / 1000)}`,
    ratelimit: `"calls";r=${quota.remaining};t=${Math.ceil(quota.resetMs / 1000)}`,
  }
}
