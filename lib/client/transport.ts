import type { CallAnswer } from '../model.js'
import { AnalyticsClientError, AnalyticsConnectionError } from './errors.js'

type Members = Record<string, unknown>

/**
 * How a transport makes a call; what is no result is thrown. The signal fires with an {@link AnalyticsConnectionError} when
 * the time of the call is over, with anything else when its caller no longer wants it.
 */
export interface Transport {
  call(method: string, params: unknown, signal: AbortSignal): Promise<CallAnswer>
  close(): void
}

/** Where the service is and who calls. */
export interface Target {
  /** What paths are put behind: origin and mount point, without a slash at the end. */
  base: string
  key: string
  fetch: typeof globalThis.fetch
}

/** The answer of a fetch; a service that is not reached is an {@link AnalyticsConnectionError}. */
export async function ask({ base, key, fetch }: Target, path: string, init: RequestInit): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, ...(init.body ? { 'content-type': 'application/json' } : {}) }
  try {
    return await fetch(base + path, { ...init, headers })
  } catch (cause) {
    throw init.signal?.aborted ? init.signal.reason : unreachable(base, cause)
  }
}

function unreachable(base: string, cause: unknown): AnalyticsConnectionError {
  const { cause: reason = cause } = cause as { cause?: unknown }
  const page = (globalThis as { location?: { origin: string } }).location
  const hint =
    page && page.origin !== new URL(base).origin
      ? `Check the address, and that the service allows pages of ${page.origin} (its CORS option).`
      : 'Check the address and the network.'
  return new AnalyticsConnectionError(`${base} cannot be reached: ${textOf(reason)}. ${hint}`, { cause })
}

/** What a broken connection says of itself. */
export function textOf(reason: unknown): string {
  const { message, code } = reason as { message?: string; code?: string }
  return message || code || String(reason)
}

/** The JSON in an answer; a body that is none is an {@link AnalyticsConnectionError}. */
export async function readJson(response: Response, method: string, signal: AbortSignal): Promise<unknown> {
  const text = await response.text().catch(cause => {
    throw signal.aborted
      ? signal.reason
      : new AnalyticsConnectionError(`The answer to ${method} broke off: ${textOf(cause)}.`, { cause })
  })
  const value = parseJson(text)
  if (value === undefined) throw strange(method, response)
  return value
}

/** The value of a text of JSON; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a failure on REST says; null for anything that is none. */
export function readFailure(body: unknown, method: string, headers?: Headers): AnalyticsClientError | null {
  if (!isObject(body) || !isObject(body.data ?? {})) return null
  const { class: errorClass, code, message, data } = body
  if (typeof errorClass !== 'string' || typeof code !== 'number' || typeof message !== 'string') return null
  const detail = data as Members | undefined
  const seconds = Number(detail?.retryAfterSeconds ?? headers?.get('retry-after') ?? Number.NaN)
  const retryAfterMs = seconds >= 0 ? seconds * 1000 : undefined
  return new AnalyticsClientError({ class: errorClass, code, message, data: detail, method, retryAfterMs })
}

/** The answer in a JSON-RPC response; a failure is thrown. */
export function readRpc(response: unknown, method: string, status?: number): CallAnswer {
  if (isAnswer(response)) return response
  const { code, message, data } = isObject(response) && isObject(response.error) ? response.error : {}
  const { class: errorClass, detail } = isObject(data) ? data : {}
  throw readFailure({ code, message, class: errorClass, data: detail }, method) ?? strange(method, { status })
}

/** Whether a value is an answer with a result. */
export function isAnswer(value: unknown): value is CallAnswer {
  return isObject(value) && 'result' in value
}

/** For what was answered by something else than the service. */
export function strange(method: string, { status, headers }: { status?: number | undefined; headers?: Headers }) {
  const what = [status && `HTTP ${status}`, headers?.get('content-type')].filter(Boolean).join(', ')
  const message = `What answered ${method}${what && ` (${what})`} is not the service. Check the address, and any proxy in between.`
  return new AnalyticsConnectionError(message, status ? { status } : {})
}

function isObject(value: unknown): value is Members {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
