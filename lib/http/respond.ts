import { hash } from 'node:crypto'
import { JsonList, jsonParts } from '../call/json-parts.js'
import {
  COLUMNS_HEADER,
  LIBRARY_VERSION,
  NEXT_CURSOR_HEADER,
  SEALED_AT_HEADER,
  SNAPSHOT_HEADER,
  WARNINGS_HEADER,
} from '../call/paths-and-headers.js'
import type { Signer } from '../call/signer.js'
import type { Engine } from '../engine/port.js'
import type { AnalyticsError } from '../errors.js'
import type { Phases } from '../flow/work.js'
import type { CallOutcome, CallSuccess } from '../methods/calls.js'
import type { EntryPoint, MethodOutcome, PageIdentity } from '../methods/method.js'
import type { Page } from '../model.js'
import type { QuotaState } from '../ports.js'
import type { RpcOutcome } from '../rpc/receive.js'
import type { Snapshot } from '../snapshots/manifest.js'
import { rowsAsCsv } from '../values/rows-as-csv.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'

const MOST_HEADER_BYTES = 4096
/** What sealing writes; a manifest of another origin must not break a header. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** `Retry-After` of an UNAVAILABLE that lasts for an unknown time. */
const RETRY_AFTER_SECONDS = 5

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

type HeaderMap = Record<string, string>

/** An answer with a JSON body. */
type JsonAnswer = HttpAnswer & { body: readonly Uint8Array[] }

/** The REST answer to a call, with the time of each phase in `Server-Timing`. */
export function respond(
  outcome: CallOutcome,
  page: RestPage,
  phases: Phases,
  headers: HeaderMap,
): HttpAnswer {
  const startedAt = performance.now()
  const answer = outcome.ok ? respondResult(outcome, page) : respondError(outcome.error)
  if (outcome.quota) Object.assign(answer.headers, quotaHeaders(outcome.quota))
  phases.add('encode', performance.now() - startedAt)
  Object.assign(answer.headers, { 'server-timing': timing(phases) }, headers)
  return answer
}

/** The answer to a JSON-RPC message, with the same headers as that of REST. */
export function respondRpc(
  { response, quota, phases, snapshot }: RpcOutcome,
  status: number,
  headers: HeaderMap = {},
): JsonAnswer {
  const startedAt = performance.now()
  const { class: errorClass, detail } = failureOf(response)
  const answer = json(status, response, retryHeaders(errorClass, detail))
  phases.add('encode', performance.now() - startedAt)
  if (quota) Object.assign(answer.headers, quotaHeaders(quota))
  Object.assign(answer.headers, { 'server-timing': timing(phases) }, snapshotHeaders(snapshot), headers)
  return answer
}

/** The class of a failure in a JSON-RPC response, and its details. */
function failureOf(response: unknown): { class?: unknown; detail?: Readonly<Record<string, unknown>> } {
  return (response as { error?: { data?: object } }).error?.data ?? {}
}

function respondResult(outcome: CallSuccess, { etag, isKnown, csv }: RestPage): HttpAnswer {
  const { result, columns, warnings } = outcome
  const tagged = etag === undefined ? {} : { etag, 'cache-control': 'private, no-cache' }
  if (isKnown) return { status: 304, headers: { ...tagged, vary: 'Accept' }, body: null }
  if (csv) return respondCsv(csv, outcome, tagged)
  const told = columns ? shortJson(COLUMNS_HEADER, columns) : {}
  return json(200, warnings.length > 0 ? { result, warnings } : { result }, { ...tagged, ...told })
}

/** The rows of a page as CSV; headers carry what JSON has beside the rows. */
function respondCsv(csv: Uint8Array, { result, warnings }: CallSuccess, tagged: HeaderMap): HttpAnswer {
  const { nextCursor } = result as Partial<Page<unknown>>
  const type = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-length': String(csv.byteLength),
  }
  const next = nextCursor === undefined ? {} : { [NEXT_CURSOR_HEADER]: nextCursor }
  const warned = warnings.length > 0 ? shortJson(WARNINGS_HEADER, warnings, warnings.length) : {}
  return {
    status: 200,
    headers: { ...JSON_HEADERS, ...type, ...tagged, ...next, ...warned, vary: 'Accept' },
    body: [csv],
  }
}

/**
 * A header with a value as JSON in ASCII. Clients limit the size of headers: `otherwise` replaces a long
 * value.
 */
function shortJson(name: string, value: unknown, otherwise?: unknown): HeaderMap {
  const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  const text = JSON.stringify(value).replace(/[^\x20-\x7e]/g, escaped)
  if (text.length <= MOST_HEADER_BYTES) return { [name]: text }
  return otherwise === undefined ? {} : { [name]: JSON.stringify(otherwise) }
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
export function retryHeaders(
  errorClass: unknown,
  data?: Readonly<Record<string, unknown>>,
): Record<string, string> {
  if (errorClass === 'RATE_LIMITED') return { 'retry-after': String(data?.retryAfterSeconds ?? 1) }
  if (errorClass === 'UNAVAILABLE')
    return { 'retry-after': String(data?.retryAfterSeconds ?? RETRY_AFTER_SECONDS) }
  return {}
}

/** The quota of a key as header fields, see the IETF draft "RateLimit header fields for HTTP". */
export function quotaHeaders(quota: QuotaState): Record<string, string> {
  return {
    'ratelimit-policy': `"calls";q=${quota.limit};w=${Math.ceil(quota.windowMs / 1000)}`,
    ratelimit: `"calls";r=${quota.remaining};t=${Math.ceil(quota.resetMs / 1000)}`,
  }
}

/** The snapshot that a call has read as header fields. */
export function snapshotHeaders(snapshot: Snapshot | undefined): Record<string, string> {
  if (!snapshot) return {}
  const { snapshotId, manifest } = snapshot
  const { sealedAt } = manifest
  // Encoded, because the host chooses the id; an id of letters, digits, dots, hyphens and underscores stays as it is.
  const headers = { [SNAPSHOT_HEADER]: encodeURIComponent(snapshotId) }
  return RFC_3339.test(sealedAt) ? { ...headers, [SEALED_AT_HEADER]: sealedAt } : headers
}

/**
 * The weights of a header such as `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2), by name in lower case.
 */
export function weightsOf(header: string | null): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const each of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...params] = each.split(';').map(part => part.trim())
    const weight = params.find(param => param.startsWith('q=')) ?? 'q=1'
    weights.set(name, Number(weight.slice(2)) || 0)
  }
  return weights
}

/**
 * Whether an `Accept` header prefers CSV to JSON. Generated clients accept every type of a method, which is
 * JSON then.
 */
function prefersCsv(accepted: string | null): boolean {
  const weights = weightsOf(accepted)
  const csv = weights.get('text/csv') ?? 0
  const json = weights.get('application/json')
  if (json !== undefined) return csv > json
  return csv > 0 && csv >= (weights.get('application/*') ?? weights.get('*/*') ?? 0)
}

/** Whether an `If-None-Match` header names an ETag, which RFC 9110 (13.1.2) has compared weakly. */
export function names(known: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return known.split(',').some(tag => opaque(tag) === opaque(etag))
}

const TAG_LENGTH = 24

/** What REST makes of a page of rows: an ETag, no body for a caller who has the page, and CSV on request. */
export class RestPage implements EntryPoint {
  /** The ETag of the page; undefined for a result that has none. */
  etag: string | undefined
  /** Whether the caller has the page already. */
  isKnown = false
  /** The rows as CSV, if the request prefers it. */
  csv: Uint8Array | undefined
  readonly #signer: Signer
  readonly #asksFor: string
  readonly #prefersCsv: boolean

  constructor(signer: Signer, request: HttpRequest) {
    this.#signer = signer
    this.#asksFor = request.header('if-none-match') ?? ''
    this.#prefersCsv = prefersCsv(request.header('accept'))
  }

  has(page: PageIdentity): boolean {
    this.etag = `W/"${this.#tagOf(page)}"` // weak, since the bytes differ by content coding
    this.isKnown = names(this.#asksFor, this.etag)
    return this.isKnown
  }

  encode({ result, columns }: MethodOutcome): Uint8Array | undefined {
    const { items } = result as { items?: unknown }
    if (this.#prefersCsv && items instanceof JsonList) this.csv = rowsAsCsv(items.members, columns)
    return this.csv
  }

  /**
   * Digest of everything that the body depends on: the rows of the snapshot, the code that writes them, the
   * range, and the format. No caller can forge one: a digest that only this service can compute goes into it.
   */
  #tagOf({ snapshot, engine, query, offset, limit, pageBytes }: PageIdentity): string {
    const content = contentOf(this.#signer, engine, snapshot)
    const tag = [content, engine.version, query, offset, limit, pageBytes, this.#prefersCsv].join(' ')
    return hash('sha256', tag, 'base64url').slice(0, TAG_LENGTH)
  }
}

/**
 * By engine and snapshot, each of which belongs to one service. Without it, a page would take a third longer.
 */
const contents = new WeakMap<Engine, WeakMap<Snapshot, string>>()

/**
 * Signed digest of a snapshot: of its id, its files, the relations that the catalogue makes of them, and this
 * code.
 */
function contentOf(signer: Signer, engine: Engine, snapshot: Snapshot): string {
  const ofEngine = contents.get(engine) ?? new WeakMap<Snapshot, string>()
  contents.set(engine, ofEngine)
  const known = ofEngine.get(snapshot)
  if (known !== undefined) return known
  const content = signer.digest('page', [LIBRARY_VERSION, snapshot.snapshotId, engine.digests(snapshot)])
  ofEngine.set(snapshot, content)
  return content
}
