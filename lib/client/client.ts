// biome-ignore lint/suspicious/noTsIgnore: where the package is installed there is nothing to expect
/** @ts-ignore Any where apache-arrow, an optional peer, is not installed. */
import type { Table } from 'apache-arrow'
import type { Page, ProjectDescription, ProjectExport, ProjectSummary, Row, Warning } from '../model.js'
import type { DescribeParams, ExportParams, ListParams, MethodName, MethodTypes, QueryParams } from '../params.js'
import { beginDownload, type Download, type DownloadOptions } from './download.js'
import { type AnalyticsClientError, AnalyticsConnectionError } from './errors.js'
import { eachItem, eachRow } from './iterate.js'
import { overRest } from './rest.js'
import { type RetryOptions, retrying } from './retry.js'
import { overHttp } from './rpc.js'
import { overSocket, type WebSocketTransport } from './socket.js'
import { readTable } from './table.js'
import type { Target } from './transport.js'

/** What {@link createClient} takes. */
export interface ClientOptions {
  /** Where the service is: its origin, and the path that it is mounted at, if any. The key goes nowhere else. */
  url: string
  /** An API key of the service. */
  key: string
  /** Entry point: `rest` (the default), `json-rpc` over HTTP, or a WebSocket. Downloads are HTTP with each. */
  transport?: 'rest' | 'json-rpc' | WebSocketTransport | undefined
  /** Makes the requests. Default: the global one. */
  fetch?: typeof globalThis.fetch | undefined
  /** Default: four attempts. False: one. */
  retry?: RetryOptions | false | undefined
  /** How long an attempt may take until its answer is there, milliseconds. Default 6 min: no call is answered later. */
  timeoutMs?: number | undefined
  /** Called for every field of params that a method did not read. */
  onWarning?: ((warning: Warning, method: string) => void) | undefined
}

/** How a call is made. */
export interface CallOptions {
  /** Ends the call, the waits between its attempts included. */
  signal?: AbortSignal | undefined
}

/** How rows are read. */
export interface RowsOptions extends CallOptions {
  /** Where a `page.cursor` that the caller brought no longer holds: start from the first page instead of failing. */
  restart?: boolean | undefined
}

/** A result with what the method had to say of the params. */
export type Answered<Result> = Result & {
  /** Fields of the params that the method did not read. */
  warnings: Warning[]
}

/** What a download is of: the result of `export()`, or its `url`. */
export type ExportLink = string | Pick<ProjectExport, 'url' | 'bytes'>

/**
 * The API as a caller sees it. What the service refuses is thrown as an {@link AnalyticsClientError}, no answer of it as an
 * {@link AnalyticsConnectionError}, and what ends a call by its signal as the reason of that.
 */
export interface Client {
  /** A page of the projects that the key reads. */
  list(params?: ListParams, options?: CallOptions): Promise<Answered<Page<ProjectSummary>>>
  /** What the queries of a project may read. */
  describe(params: DescribeParams, options?: CallOptions): Promise<Answered<ProjectDescription>>
  /** A page of the rows of a query. */
  query<R = Row>(params: QueryParams, options?: CallOptions): Promise<Answered<Page<R>>>
  /** A Parquet file with all rows of a query. */
  export(params: ExportParams, options?: CallOptions): Promise<Answered<ProjectExport>>
  /** All projects that the key reads. */
  projects(params?: ListParams, options?: CallOptions): AsyncGenerator<ProjectSummary, void, undefined>
  /**
   * All rows of a query, a page of 500 at a time unless `page.limit` says otherwise. When a new assessment replaces the
   * snapshot between two pages it throws a `SnapshotReplacedError`.
   */
  rows<R = Row>(params: QueryParams, options?: RowsOptions): AsyncGenerator<R, void, undefined>
  /** The bytes of an exported file. */
  download(link: ExportLink, options?: DownloadOptions): Promise<Download>
  /** An exported file as a table of Apache Arrow; needs the packages parquet-wasm and apache-arrow. */
  readTable(link: ExportLink, options?: DownloadOptions): Promise<Table>
  /** Closes the WebSocket, if there is one; calls in flight fail. */
  close(): void
}

/** Longer than any call may take by the contract: 5 s for a connection, 60 s to build, 120 s to run, 120 s to store. */
const TIMEOUT_MS = 360_000

/**
 * A client of the API. It opens nothing before its first call. A wrong option throws a TypeError that names it; what calls
 * throw is in the documentation of {@link Client}.
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
 */
export function createClient(options: ClientOptions): Client {
  const { timeoutMs = TIMEOUT_MS, onWarning } = options
  const target = targetOf(options)
  const transport = transportOf(target, options.transport ?? 'rest')
  const retry = retrying(options.retry ?? {})

  /** An attempt with an end of its own. */
  const inTime = async <Value>(
    method: string,
    signal: AbortSignal | undefined,
    attempt: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> => {
    signal?.throwIfAborted()
    // A signal of our own: Node 20 keeps those of AbortSignal.any for as long as the one of the caller lives.
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
    method: Name,
    params: MethodTypes[Name]['params'],
    { signal }: CallOptions = {},
  ) => {
    const attempt = () => inTime(method, signal, ends => transport.call(method, params, ends))
    const { result, warnings = [] } = await retry(attempt, signal)
    for (const warning of warnings) onWarning?.(warning, method)
    return { ...(result as MethodTypes[Name]['result']), warnings }
  }
  const download = (link: ExportLink, given: DownloadOptions = {}) => {
    const attempt = () => inTime('download', given.signal, ends => beginDownload(target, link, given, ends))
    return retry(attempt, given.signal)
  }
  const query = <R = Row>(params: QueryParams, given?: CallOptions) =>
    call('projects/query', params, given) as Promise<Answered<Page<R>>>
  const list = (params: ListParams = {}, given?: CallOptions) => call('projects/list', params, given)

  return {
    list,
    describe: (params, given) => call('projects/describe', params, given),
    query,
    export: (params, given) => call('projects/export', params, given),
    projects: (params = {}, given) => eachItem(page => list({ ...params, page }, given), params.page, given?.signal),
    rows: <R = Row>(params: QueryParams, given: RowsOptions = {}) =>
      eachRow(page => query<R>({ ...params, page }, { signal: given.signal }), params.page, given),
    download,
    readTable: (link, given) => readTable(() => download(link, given)),
    close: () => transport.close(),
  }
}

function targetOf({ url, key, fetch = (...request) => globalThis.fetch(...request) }: ClientOptions): Target {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.search || parsed.hash)
    throw new TypeError('url must be the http or https address of the service, for instance https://data.example')
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('key must be an API key: letters, digits and signs, no spaces')
  return { base: parsed.href.replace(/\/$/, ''), key, fetch }
}

function transportOf(target: Target, transport: 'rest' | 'json-rpc' | WebSocketTransport) {
  if (transport === 'rest') return overRest(target)
  if (transport === 'json-rpc') return overHttp(target)
  if (typeof transport?.WebSocket === 'function') return overSocket(target, transport)
  throw new TypeError("transport must be 'rest', 'json-rpc' or { WebSocket }")
}
