import { STATUS_CODES } from 'node:http'
import { ERROR_CLASSES, type ErrorClass } from '../errors.js'
import type { JsonSchema } from '../json-schema.js'
import { restFailure, restFailures } from './bodies.js'
import type { Components } from './components.js'
import type { Failures } from './failures.js'

/** A part of an OpenAPI document. */
export type DocPart = Readonly<Record<string, unknown>>

const seconds = { type: 'integer', minimum: 1 }
const rateLimit = {
  description: 'Calls left in the window (r) and seconds until it ends (t).',
  schema: { type: 'string', pattern: '^"calls";r=\\d+;t=\\d+$' },
}
const rateLimitPolicy = {
  description: 'Calls per window (q) and length of the window in seconds (w).',
  schema: { type: 'string', pattern: '^"calls";q=\\d+;w=\\d+$' },
}

const snapshot = {
  description: 'Id of the snapshot that was read.',
  schema: { type: 'string', pattern: '^[!-~]+$' },
}
const sealedAt = {
  description: 'When the snapshot was sealed, in UTC.',
  schema: { type: 'string', format: 'date-time' },
}

/** Headers that responses reference. */
const HEADERS = {
  RateLimit: { required: true, ...rateLimit },
  RateLimitPolicy: { required: true, ...rateLimitPolicy },
  RateLimitIfCounted: {
    ...rateLimit,
    description: `${rateLimit.description} Absent when the call was not counted.`,
  },
  RateLimitPolicyIfCounted: {
    ...rateLimitPolicy,
    description: `${rateLimitPolicy.description} Absent when the call was not counted.`,
  },
  ETag: {
    description:
      'Identifies the page; absent when its rows differ from run to run, and beside warnings. A call that has it in ' +
      '`If-None-Match` is answered 304 without a body, and without a query, if the page is the same.',
    schema: { type: 'string', pattern: '^W/"[\\w-]+"$' },
  },
  FoldgateNextCursor: {
    description: 'The cursor of the next page, on a page as CSV; absent on the last page.',
    schema: { type: 'string', minLength: 1 },
  },
  FoldgateWarnings: {
    description: 'Warnings on a page as CSV, as JSON; their number if they are many.',
    schema: { type: 'string', minLength: 1 },
  },
  FoldgateSnapshot: { required: true, ...snapshot },
  FoldgateSealedAt: { required: true, ...sealedAt },
  FoldgateSnapshotIfRead: { ...snapshot, description: `${snapshot.description} Absent when none was read.` },
  FoldgateSealedAtIfRead: { ...sealedAt, description: `${sealedAt.description} Absent when none was read.` },
  RetryAfter: { required: true, description: 'Seconds to wait before trying again.', schema: seconds },
  WwwAuthenticate: { required: true, description: 'The authentication scheme.' },
} as const satisfies Record<string, DocPart>

type HeaderName = keyof typeof HEADERS

/** The headers that responses reference; `challenge` is the value of `WWW-Authenticate`. */
export function headersOf(challenge: string): DocPart {
  const schema = { type: 'string', const: challenge }
  return { ...HEADERS, WwwAuthenticate: { ...HEADERS.WwwAuthenticate, schema } }
}

/** Whether an answer has the headers of the quota: always, only if the call was counted, or never. */
export type QuotaHeaders = 'always' | 'perhaps' | 'never'

/** References to the headers of the quota. */
export function quotaFields(counted: QuotaHeaders): DocPart {
  if (counted === 'never') return {}
  const suffix = counted === 'always' ? '' : 'IfCounted'
  return { RateLimit: header(`RateLimit${suffix}`), 'RateLimit-Policy': header(`RateLimitPolicy${suffix}`) }
}

/** References to the headers that name the snapshot: of calls that read one, or of an answer to any call. */
export function snapshotFields(read: 'always' | 'perhaps'): DocPart {
  const suffix = read === 'always' ? '' : 'IfRead'
  return {
    'Foldgate-Snapshot': header(`FoldgateSnapshot${suffix}`),
    'Foldgate-Sealed-At': header(`FoldgateSealedAt${suffix}`),
  }
}

/** References to the headers of a page of rows. */
export const pageFields = {
  ETag: header('ETag'),
  'Foldgate-Next-Cursor': header('FoldgateNextCursor'),
  'Foldgate-Warnings': header('FoldgateWarnings'),
}

/** Responses for failures, by status; classes that share a status are alternatives. */
export function failureResponses(
  failures: Failures,
  components: Components,
  classes: readonly ErrorClass[],
  counts: boolean,
): Record<string, DocPart> {
  const responses: Record<string, DocPart> = {}
  for (const status of new Set(classes.map(errorClass => ERROR_CLASSES[errorClass].status))) {
    const sharing = classes.filter(errorClass => ERROR_CLASSES[errorClass].status === status)
    const headers = { ...statusFields(status), ...(counts ? quotaFields(countedAt(status)) : {}) }
    responses[status] = {
      description: describe(failures, sharing),
      headers,
      content: json(bodyOf(failures, components, status, sharing)),
    }
  }
  return responses
}

/** The response for refused requests to paths whose failures have no class of their own. */
export function anyRefusal(failures: Failures, components: Components): DocPart {
  const every = Object.keys(ERROR_CLASSES) as ErrorClass[]
  const body = restFailures(failures, 'ErrorBody', 'The body of any failure; `class` identifies it.', every)
  return {
    description: 'The request is refused, for example because of its verb.',
    content: json(components.use(body)),
  }
}

/** JSON content of a request or response. */
export function json(schema: JsonSchema, examples?: DocPart): DocPart {
  return { 'application/json': { schema, ...examples } }
}

/** The same responses for HEAD. */
export function withoutBodies(responses: Record<string, DocPart>): Record<string, DocPart> {
  const bodiless = Object.entries(responses).map(([status, { content: _, ...rest }]) => [status, rest])
  return Object.fromEntries(bodiless)
}

function header(name: HeaderName): DocPart {
  return { $ref: `#/components/headers/${name}` }
}

function bodyOf(
  failures: Failures,
  components: Components,
  status: number,
  classes: readonly ErrorClass[],
): JsonSchema {
  if (classes.length === 1) return components.use(restFailure(failures, classes[0] as ErrorClass))
  const title = `${STATUS_CODES[status]?.replaceAll(' ', '')}Error`
  return components.inline(
    restFailures(failures, title, 'The body of the failure; `class` identifies it.', classes),
  )
}

function describe(failures: Failures, classes: readonly ErrorClass[]): string {
  return classes.map(errorClass => `${errorClass}: ${failures[errorClass].meaning}`).join('\n\n')
}

function statusFields(status: number): DocPart {
  if (status === ERROR_CLASSES.UNAUTHENTICATED.status)
    return { 'WWW-Authenticate': header('WwwAuthenticate') }
  const waits = status === ERROR_CLASSES.RATE_LIMITED.status || status === ERROR_CLASSES.UNAVAILABLE.status
  return waits ? { 'Retry-After': header('RetryAfter') } : {}
}

/** A call is counted after its key is found valid; a 5xx can come before that. */
function countedAt(status: number): QuotaHeaders {
  if (status === ERROR_CLASSES.UNAUTHENTICATED.status) return 'never'
  return status >= 500 ? 'perhaps' : 'always'
}
