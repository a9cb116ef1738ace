// biome-ignore lint/suspicious/noTsIgnore: with the package installed there is no error to expect
/** @ts-ignore `any` when apache-arrow, an optional peer, is not installed. */
import type { Table } from 'apache-arrow'
import type { QueryMethod } from '../call/named-query-params.js'
import type { DescribeParams, ExportParams, ListParams, MethodTypes, QueryParams } from '../call/params.js'
import { PATHS } from '../call/paths-and-headers.js'
import type { DescribedCatalogue } from '../catalogue-document.js'
import type {
  MethodName,
  Page,
  ProjectDescription,
  ProjectExport,
  ProjectSummary,
  Row,
  Warning,
} from '../model.js'
import { checkOptions } from '../values/known-options.js'
import type { Answered, Described, DryRun, RowsAnswer } from './answered.js'
import type { CallOptions, Ownership, ParamsFor, RowsOptions, WithColumns } from './call-options.js'
import { beginDownload, type Download, type DownloadOptions, type ExportLink } from './download.js'
import { type AnalyticsClientError, AnalyticsConnectionError } from './errors.js'
import { overJsonRpc, overRest } from './http.js'
import { eachItem, eachRow } from './iterate.js'
import { type NamedQueries, namedQueries } from './named-queries.js'
import { type RetryOptions, retrying } from './retry.js'
import { overSocket, type WebSocketTransport } from './socket.js'
import { readTable } from './table.js'
import {
  ask,
  type CallTarget,
  type ClientKey,
  checkedKey,
  readFailure,
  readJson,
  strange,
} from './transport.js'

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** URL of the service: its origin and the path of its mount, if any. The key is sent nowhere else. */
  url: string
  /**
   * An API key or a token, or a function that returns one, or a promise of one. The function is asked for each request and
   * for each handshake of a WebSocket, so it keeps a token itself until that expires. What it throws, the call throws.
   */
  key: string | (() => string | Promise<string>)
  /**
   * Entry point: `rest`, `json-rpc` over HTTP, or a WebSocket. Default: `json-rpc` in browsers, and `rest` elsewhere. Downloads
   * and `catalogue()` always use HTTP.
   */
  transport?: 'rest' | 'json-rpc' | WebSocketTransport | undefined
  /** Sends the HTTP requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** How failed calls are retried; `false` makes one attempt. Default: up to four attempts. */
  retry?: RetryOptions | false | undefined
  /**
   * Time limit for an attempt until its answer arrives, milliseconds. Default: 360 000, longer than any call
   * takes.
   */
  timeoutMs?: number | undefined
  /** Called for each field of the params that a method did not read. */
  onWarning?: ((warning: Warning, method: string) => void) | undefined
}

/**
 * A client of the API, see {@link createClient}. Calls throw an {@link AnalyticsClientError} when the service
 * answers with a failure, an {@link AnalyticsConnectionError} when no answer arrives, and the signal's reason
 * when it aborts. A `Client<'treeless'>` takes no `entityId` and no `ownershipView`.
 */
export interface Client<Tree extends Ownership = 'tree'> extends NamedQueries<Tree> {
  /** Returns a page of the projects that the key can read. */
  list(params?: ListParams, options?: CallOptions): Promise<Answered<Page<ProjectSummary>>>
  /** Returns what queries over a project may read. */
  describe(params: DescribeParams, options?: CallOptions): Promise<Answered<ProjectDescription>>
  /** Returns what the catalogue says about relations and their columns, which is the same for every project. */
  catalogue(options?: CallOptions): Promise<DescribedCatalogue>
  /** Checks and binds a query without running it: returns its columns and the relations that it reads. */
  query(
    params: ParamsFor<Tree, QueryParams> & { dryRun: true },
    options?: CallOptions,
  ): Promise<Answered<DryRun>>
  /** Runs a query and returns a page of its rows, with the names and types of its columns. */
  query<R = Row>(
    params: ParamsFor<Tree, QueryParams> & WithColumns,
    options?: CallOptions,
  ): Promise<Answered<Described<RowsAnswer<R>>>>
  /** Runs a query and returns a page of its rows, with the names of its columns and its total if asked for. */
  query<R = Row>(
    params: ParamsFor<Tree, QueryParams>,
    options?: CallOptions,
  ): Promise<Answered<RowsAnswer<R>>>
  /** Exports all rows of a query to a file, and returns its link with the names and types of its columns. */
  export(
    params: ParamsFor<Tree, ExportParams> & WithColumns,
    options?: CallOptions,
  ): Promise<Answered<Described<ProjectExport>>>
  /** Exports all rows of a query to a file, by default Parquet, and returns its link. */
  export(params: ParamsFor<Tree, ExportParams>, options?: CallOptions): Promise<Answered<ProjectExport>>
  /** Iterates over all projects that the key can read. */
  projects(params?: ListParams, options?: CallOptions): AsyncGenerator<ProjectSummary, void, undefined>
  /**
   * Iterates over all rows of a query, in pages of 500 unless `page.limit` is set. Throws a
   * `SnapshotReplacedError` when a newer snapshot replaces it between two pages, unless `snapshot` names the one to
   * read.
   */
  rows<R = Row>(
    params: ParamsFor<Tree, Omit<QueryParams, 'include' | 'dryRun'>>,
    options?: RowsOptions,
  ): AsyncGenerator<R, void, undefined>
  /** Downloads an exported file. */
  download(link: ExportLink, options?: DownloadOptions): Promise<Download>
  /**
   * Reads an exported file of the format `parquet` or `arrow` into an Apache Arrow table. Needs the packages
   * parquet-wasm and apache-arrow. As in pages, a DECIMAL is a number, or a string of digits if it has more
   * than 15 of them, and a DATE is `YYYY-MM-DD`. Other columns have Arrow's own values: a BIGINT is a
   * `bigint`, and a TIMESTAMP a number of milliseconds. After an export with `include: ['columns']`, the metadata
   * of each field has its SQL type as `foldgate.type`.
   */
  readTable(link: ExportLink, options?: DownloadOptions): Promise<Table>
  /** Closes the WebSocket, if one is open. Its calls in flight fail. */
  close(): void
}

const OPTIONS = {
  url: true,
  key: true,
  transport: true,
  fetch: true,
  retry: true,
  timeoutMs: true,
  onWarning: true,
}
const TRANSPORT_OPTIONS = { WebSocket: true, maxInFlight: true }
const RETRY_OPTIONS = { attempts: true, maxWaitMs: true, wait: true, random: true }

/**
 * Longer than a call may take by the contract: 5 s for a connection, 60 s to build, 120 s to run, 120 s to
 * store.
 */
const TIMEOUT_MS = 360_000

/**
 * Creates a client of the API. It connects at its first call.
 *
 * @param options - The URL of the service, a key, and how to call. Times are in milliseconds.
 * @returns The client. {@link Client} says what its calls throw.
 * @throws TypeError that names the option which is missing or wrong.
 *
 * @example
 * ```ts
 * import { createClient } from 'foldgate/client'
 *
 * const client = createClient({ url: 'https://data.example', key: process.env.FOLDGATE_KEY ?? '' })
 * for await (const { projectId, name } of client.projects()) {
 *   const { items } = await client.query({ projectId, sql: 'SELECT count(*) AS sites FROM sites' })
 *   console.log(name, items[0]?.sites)
 * }
 * ```
 *
 * @example
 * Over one WebSocket, which is closed at the end.
 * ```ts
 * import { createClient } from 'foldgate/client'
 * import { WebSocket } from 'ws'
 *
 * const client = createClient({ url: 'https://data.example', key, transport: { WebSocket } })
 * const { items } = await client.list()
 * client.close()
 * ```
 *
 * @example
 * Of a service whose catalogue has no tree of ownership: the compiler refuses `entityId` and `ownershipView`.
 * ```ts
 * import { createClient } from 'foldgate/client'
 *
 * const client = createClient<'treeless'>({ url: 'https://shop.example', key: process.env.FOLDGATE_KEY ?? '' })
 * const { relations } = await client.catalogue()
 * ```
 */
export function createClient<Tree extends Ownership = 'tree'>(options: ClientOptions): Client<Tree> {
  checkOptions('createClient', options, OPTIONS)
  if (options?.retry) checkOptions('retry', options.retry, RETRY_OPTIONS)
  const { timeoutMs = TIMEOUT_MS, onWarning } = options
  const target = targetOf(options)
  const transport = transportOf(target, options.transport ?? (isBrowser() ? 'json-rpc' : 'rest'))
  const retry = retrying(options.retry ?? {})

  /** Runs an attempt within its time limit. */
  const inTime = async <Value>(
    method: string,
    signal: AbortSignal | undefined,
    attempt: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> => {
    signal?.throwIfAborted()
    // Not AbortSignal.any: Node 20 keeps its signals in memory as long as the caller's signal lives.
    const ends = new AbortController()
    const leave = () => ends.abort(signal?.reason)
    signal?.addEventListener('abort', leave)
    const timer = setTimeout(() => {
      const message = `${method} had no answer in ${timeoutMs / 1000} seconds. Check the network, or raise timeoutMs.`
      ends.abort(new AnalyticsConnectionError(message))
    }, timeoutMs)
    try {
      return await attempt(ends.signal)
    } catch (error) {
      throw ends.signal.aborted ? ends.signal.reason : error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
  }
  const call = async <Name extends MethodName>(
    method: Name | QueryMethod,
    params: MethodTypes[Name]['params'] | object,
    { signal }: CallOptions = {},
  ) => {
    checkValues(method, params)
    const attempt = () => inTime(method, signal, ends => transport.call(method, params, ends))
    const { result, warnings = [], columns, snapshot, spentMs } = await retry(attempt, signal)
    for (const warning of warnings) onWarning?.(warning, method)
    const told = { ...(snapshot ? { snapshot } : {}), ...(spentMs ? { spentMs } : {}) }
    return { answer: { ...(result as MethodTypes[Name]['result']), warnings, ...told }, columns }
  }
  const download = (link: ExportLink, given: DownloadOptions = {}) => {
    const attempt = () => inTime('download', given.signal, ends => beginDownload(target, link, given, ends))
    return retry(attempt, given.signal)
  }
  const answered = async <Name extends MethodName>(
    method: Name | QueryMethod,
    params: MethodTypes[Name]['params'] | object,
    given?: CallOptions,
  ) => (await call<Name>(method, params, given)).answer
  const page = async <R>(
    method: 'projects/query' | QueryMethod,
    params: object,
    given?: CallOptions,
  ): Promise<Answered<RowsAnswer<R>>> => {
    const { answer, columns = null } = await call<'projects/query'>(method, params, given)
    const [first] = answer.items
    const columnNames =
      answer.columns?.map(({ name }) => name) ?? columns ?? (first ? Object.keys(first) : null)
    return { ...answer, items: answer.items as R[], columnNames }
  }
  const query = <R = Row>(params: QueryParams, given?: CallOptions) =>
    page<R>('projects/query', params, given)
  const list = (params: ListParams = {}, given?: CallOptions) => answered('projects/list', params, given)

  const client: Client = {
    list,
    describe: (params, given) => answered('projects/describe', params, given),
    catalogue: ({ signal } = {}) =>
      retry(() => inTime('catalogue', signal, ends => readCatalogue(target, ends)), signal),
    query: query as Client['query'],
    export: ((params, given) => answered('projects/export', params, given)) as Client['export'],
    projects: (params = {}, given) =>
      eachItem(page => list({ ...params, page }, given), params.page, given?.signal),
    rows: <R = Row>(params: QueryParams, given: RowsOptions = {}) =>
      eachRow(page => query<R>({ ...params, page }, { signal: given.signal }), params.page, given),
    download,
    ...namedQueries({ page, answered }),
    readTable: (link, given) => readTable(() => download(link, given), link),
    close: () => transport.close(),
  }
  return client as Client<Tree>
}

/**
 * Browsers send a call again, and without a word, whose answer is 408 on a connection that they have used before. By JSON-RPC,
 * a statement that takes too long is answered 200.
 */
const isBrowser = () => 'document' in globalThis || 'WorkerGlobalScope' in globalThis

function transportOf(target: CallTarget, transport: 'rest' | 'json-rpc' | WebSocketTransport) {
  if (transport === 'rest') return overRest(target)
  if (transport === 'json-rpc') return overJsonRpc(target)
  if (typeof transport?.WebSocket === 'function') {
    checkOptions('transport', transport, TRANSPORT_OPTIONS)
    return overSocket(target, transport)
  }
  throw new TypeError("transport must be 'rest', 'json-rpc' or { WebSocket }")
}

/**
 * Throws a TypeError for values of `parameters` that JSON has no form for, or another one: NaN would be sent as null,
 * and a Date as a string, which the engine would cast to the type of what it is compared with.
 */
function checkValues(method: string, params: object): void {
  const { parameters } = params as { parameters?: unknown }
  if (typeof parameters !== 'object' || parameters === null) return
  for (const [name, value] of Object.entries(parameters)) {
    const hint = hintFor(value)
    if (hint !== null) throw new TypeError(`${method}: the parameter "${name}" has no form in JSON: ${hint}.`)
  }
}

/** What to send in place of a value, or of a part of it; null if it can be sent. */
function hintFor(value: unknown): string | null {
  if (typeof value === 'number' && !Number.isFinite(value))
    return `send { type: 'DOUBLE', value: '${value}' }`
  if (typeof value === 'bigint') return `send { type: 'BIGINT', value: '${value}' }`
  if (value instanceof Date)
    return "send { type: 'TIMESTAMP WITH TIME ZONE', value: date.toISOString() }, or a DATE as 'YYYY-MM-DD'"
  if (typeof value !== 'object' || value === null) return null
  for (const part of Object.values(value)) {
    const hint = hintFor(part)
    if (hint !== null) return hint
  }
  return null
}

const NAME = 'catalogue'

/** Reads the catalogue of a service, over HTTP whatever the transport of the calls. */
async function readCatalogue(target: CallTarget, signal: AbortSignal): Promise<DescribedCatalogue> {
  const response = await ask(target, PATHS.catalogue, { signal })
  const value = await readJson(response, NAME, signal)
  const { relations, examples } = (value ?? {}) as Partial<DescribedCatalogue>
  if (response.ok && Array.isArray(relations) && Array.isArray(examples)) return { relations, examples }
  throw readFailure(value, NAME, response.headers) ?? strange(NAME, response)
}

/** What a client needs to know of its service. */
interface TargetOptions {
  url: string
  key: ClientKey
  fetch?: typeof globalThis.fetch | undefined
}

/** Reads where to send requests, and with which key. Throws a TypeError that names a wrong option. */
function targetOf({
  url,
  key,
  fetch = (...request) => globalThis.fetch(...request),
}: TargetOptions): CallTarget {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.search || parsed.hash)
    throw new TypeError(
      'url must be the http or https address of the service, for instance https://data.example',
    )
  if (typeof key !== 'function') checkedKey(key)
  return { base: parsed.href.replace(/\/$/, ''), key, fetch }
}
