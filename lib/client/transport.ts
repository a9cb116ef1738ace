import { SEALED_AT_HEADER, SNAPSHOT_HEADER } from '../call/paths-and-headers.js'
import type { CallAnswer } from '../model.js'
import { AnalyticsClientError, AnalyticsConnectionError } from './errors.js'

type JsonMembers = Record<string, unknown>

/**
 * Makes calls and throws their failures. The reason of the signal is an {@link AnalyticsConnectionError} when
 * the call has timed out, and anything else when the caller has cancelled it.
 */
export interface Transport {
  call(method: string, params: unknown, signal: AbortSignal): Promise<CallAnswer & Headed>
  close(): void
}

/** What an answer says outside its result. */
interface Headed {
  columns?: string[] | null
  snapshot?: { snapshotId: string; sealedAt: string } | undefined
  spentMs?: Record<string, number> | undefined
}

/** The service and the key to call it with. */
export interface CallTarget {
  /** Origin and mount point, without a trailing slash. */
  base: string
  key: ClientKey
  fetch: typeof globalThis.fetch
}

/** A key, or what is asked for the key of each request and of each handshake. */
export type ClientKey = string | (() => string | Promise<string>)

/** Reads the key to send now; rejects with the reason of the signal. Throws a TypeError for what is no key. */
export async function readKey(key: ClientKey, signal: AbortSignal): Promise<string> {
  return checkedKey(typeof key === 'function' ? await Promise.race([key(), aborted(signal)]) : key)
}

/** Throws a TypeError for what is no key. */
export function checkedKey(key: unknown): string {
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return key
  throw new TypeError('key must be an API key or a token: letters, digits and signs, no spaces')
}

/** Rejects with the reason of a signal when it aborts, or if it has. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Sends a request. Throws an {@link AnalyticsConnectionError} when the service cannot be reached. */
export async function ask(
  { base, key, fetch }: CallTarget,
  path: string,
  init: RequestInit & { signal: AbortSignal },
): Promise<Response> {
  const headers = {
    authorization: `Bearer ${await readKey(key, init.signal)}`,
    ...(init.body ? { 'content-type': 'application/json' } : {}),
  }
  try {
    return await fetch(base + path, { ...init, headers })
  } catch (cause) {
    throw init.signal.aborted ? init.signal.reason : unreachable(base, cause)
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

/** The message of a connection error, otherwise its code. */
export function textOf(reason: unknown): string {
  const { message, code } = reason as { message?: string; code?: string }
  return message || code || String(reason)
}

/** Reads a JSON body. Throws an {@link AnalyticsConnectionError} when it breaks off or is not JSON. */
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

/** Parses a string as JSON; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The failure in a REST body; null if the body is not a failure. */
export function readFailure(body: unknown, method: string, headers?: Headers): AnalyticsClientError | null {
  if (!isObject(body) || !isObject(body.data ?? {})) return null
  const { class: errorClass, code, message, data } = body
  if (typeof errorClass !== 'string' || typeof code !== 'number' || typeof message !== 'string') return null
  const detail = data as JsonMembers | undefined
  const retryAfterMs = msOf(detail?.retryAfterSeconds ?? headers?.get('retry-after'))
  return new AnalyticsClientError({ class: errorClass, code, message, data: detail, method, retryAfterMs })
}

function msOf(seconds: unknown): number | undefined {
  const value = Number(seconds ?? Number.NaN)
  return value >= 0 ? value * 1000 : undefined
}

/** The answer in a JSON-RPC response. Throws if it is a failure. */
export function readRpc(response: unknown, method: string, answered?: Response): CallAnswer {
  if (isAnswer(response)) return response
  const { code, message, data } = isObject(response) && isObject(response.error) ? response.error : {}
  const { class: errorClass, detail } = isObject(data) ? data : {}
  throw (
    readFailure({ code, message, class: errorClass, data: detail }, method) ?? strange(method, answered ?? {})
  )
}

/** Whether a value is an answer with a result. */
export function isAnswer(value: unknown): value is CallAnswer {
  return isObject(value) && 'result' in value
}

/** The error for a response that is not from the service. */
export function strange(
  method: string,
  { status, headers }: { status?: number | undefined; headers?: Headers },
) {
  const what = [status && `HTTP ${status}`, headers?.get('content-type')].filter(Boolean).join(', ')
  const message = `What answered ${method}${what && ` (${what})`} is not the service. Check the address, and any proxy in between.`
  const retryAfterMs = msOf(headers?.get('retry-after'))
  return new AnalyticsConnectionError(message, status ? { status, retryAfterMs } : {})
}

function isObject(value: unknown): value is JsonMembers {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The snapshot that a response names, if a proxy has passed it on and pages of the origin may read it. */
export function snapshotIn(headers: Headers): Headed['snapshot'] {
  const snapshotId = headers.get(SNAPSHOT_HEADER)
  const sealedAt = headers.get(SEALED_AT_HEADER)
  return snapshotId && sealedAt ? { snapshotId, sealedAt } : undefined
}

/** Loaded on demand: it is not an ES module, and pages whose calls use HTTP need no bundler without it. */
export async function loadJsonRpc(): Promise<typeof import('json-rpc-2.0')> {
  const loaded: { default?: typeof import('json-rpc-2.0') } = await import('json-rpc-2.0')
  return loaded.default ?? (loaded as typeof import('json-rpc-2.0')) // esbuild may give the default only
}
