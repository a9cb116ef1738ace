import {
  COLUMNS_HEADER,
  NEXT_CURSOR_HEADER,
  SEALED_AT_HEADER,
  SNAPSHOT_HEADER,
  WARNINGS_HEADER,
} from '../call/paths-and-headers.js'
import { checkOptions } from '../values/known-options.js'
import type { Answerer, HttpAnswer, HttpRequest } from './exchange.js'

/** Cross-origin access for browsers. */
export interface CorsOptions {
  /** Allowed origins, such as `https://app.example`, or `*` for any origin. */
  origins: readonly string[] | '*'
  /**
   * How long a browser may cache the answer to a preflight request, in seconds. Default: 7200, Chromium's
   * maximum.
   */
  maxAgeSeconds?: number
}

/** Response headers that a page may read. */
const EXPOSED = 'RateLimit, RateLimit-Policy, Retry-After, Server-Timing, Content-Disposition, Content-Length'
/** Response headers that a page may read when an answer has them. */
const EXPOSED_IF_SENT = [SNAPSHOT_HEADER, SEALED_AT_HEADER, 'etag', NEXT_CURSOR_HEADER, WARNINGS_HEADER]
const METHODS = 'GET, HEAD, POST'
/** Request headers that a page may send, besides `If-None-Match` when its preflight asks for it. */
const SENT = 'Authorization, Content-Type'
const MAX_AGE_SECONDS = 7200

/**
 * Lets pages of these origins read answers, and answers their preflights, which carry no key. The key
 * identifies the caller, so credentials such as cookies are never allowed. Throws a TypeError that names a
 * wrong option.
 */
export function allowOrigins(options: CorsOptions | undefined): (answer: Answerer) => Answerer {
  if (options === undefined) return answer => answer
  checkOptions('cors', options, { origins: true, maxAgeSeconds: true })
  const { origins, maxAgeSeconds = MAX_AGE_SECONDS } = options
  const allowed = originsOf(origins)
  if (!Number.isSafeInteger(maxAgeSeconds) || maxAgeSeconds < 0)
    throw new TypeError(`cors.maxAgeSeconds must be a whole number of seconds, not ${maxAgeSeconds}`)
  const vary: Record<string, string> = allowed === '*' ? {} : { vary: 'Origin' }

  return answer => async request => {
    const origin = request.header('origin')
    const isAllowed = origin !== null && (allowed === '*' || allowed.has(origin))
    if (!isAllowed) return withHeaders(await answer(request), vary)
    const headers = { ...vary, 'access-control-allow-origin': allowed === '*' ? '*' : origin }
    if (request.method !== 'OPTIONS' || request.header('access-control-request-method') === null) {
      const answered = await answer(request)
      const exposed = [EXPOSED, ...readable(answered.headers)].join(', ')
      return withHeaders(answered, { ...headers, 'access-control-expose-headers': exposed })
    }
    const preflight = {
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': asksFor(request, 'if-none-match') ? `${SENT}, If-None-Match` : SENT,
      'access-control-max-age': String(maxAgeSeconds),
    }
    return { status: 204, headers: { ...headers, ...preflight }, body: null }
  }
}

function asksFor(preflight: HttpRequest, name: string): boolean {
  const asked = preflight.header('access-control-request-headers') ?? ''
  return asked.split(',').some(each => each.trim().toLowerCase() === name)
}

/**
 * A page without rows exposes its columns only: earlier versions did, and clients may compare the whole list.
 */
function readable(headers: HttpAnswer['headers']): string[] {
  if (COLUMNS_HEADER in headers) return [COLUMNS_HEADER]
  if (headers['www-authenticate']?.includes('resource_metadata')) return ['WWW-Authenticate']
  return SNAPSHOT_HEADER in headers ? EXPOSED_IF_SENT.filter(name => name in headers) : []
}

function originsOf(origins: CorsOptions['origins']): ReadonlySet<string> | '*' {
  if (origins === '*') return '*'
  for (const origin of Array.isArray(origins) ? origins : [origins]) {
    const isOrigin =
      Array.isArray(origins) &&
      URL.canParse(origin) &&
      /^https?:/.test(origin) &&
      new URL(origin).origin === origin
    if (!isOrigin)
      throw new TypeError(
        `cors.origins must be "*" or a list of origins such as https://app.example, without a path, not ${JSON.stringify(origin)}`,
      )
  }
  return new Set(origins)
}

function withHeaders(answer: HttpAnswer, headers: Record<string, string>): HttpAnswer {
  const vary = [headers.vary, answer.headers.vary].filter(Boolean).join(', ')
  return { ...answer, headers: { ...answer.headers, ...headers, ...(vary ? { vary } : {}) } }
}
