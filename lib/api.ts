import { Admission } from './call/admission.js'
import { jsonParts } from './call/json-parts.js'
import { type Limits, resolveLimits } from './call/limits.js'
import { memoryQuota } from './call/memory-quota.js'
import type { NamedExportParams, NamedQueryParams, QueryMethod } from './call/named-query-params.js'
import type { MethodTypes } from './call/params.js'
import { PATHS } from './call/paths-and-headers.js'
import { timedPorts } from './call/port-calls.js'
import { type CallFilter, cancelledCall, checkFilter, type RunningCall } from './call/running.js'
import { createSigner } from './call/signer.js'
import { UnsentBytes } from './call/unsent.js'
import type { CatalogueProblem } from './catalogue/catalogue-problem.js'
import { describeApi, describeQueries } from './description/describe-api.js'
import { protectedResource } from './description/protected-resource.js'
import { Engines } from './engine/engines.js'
import type { EngineHealth, PoolStats } from './engine/port.js'
import type { AnalyticsError } from './errors.js'
import { ExportQuota } from './exports/quota.js'
import { answerAs, answerPath, challengeWith, type Routes } from './http/answer.js'
import { parseMessage } from './http/body.js'
import { compressAnswers } from './http/compress.js'
import { allowOrigins } from './http/cors.js'
import { openEndpoint } from './http/endpoint.js'
import type { HttpAnswer, HttpRequest } from './http/exchange.js'
import { type KeyedDocument, StaticDocuments } from './http/static-documents.js'
import { fromRequest, toResponse } from './http/web.js'
import { Calls, type Runnable, type Service } from './methods/calls.js'
import type { Core } from './methods/method.js'
import { catalogueDocument } from './methods/readable-catalogue.js'
import type { CallAnswer, MethodName, ProjectExport, RowPage } from './model.js'
import {
  type AnalyticsOptions,
  checkKnown,
  checkRequired,
  checkRetention,
  resolveListener,
} from './options.js'
import type { Caller } from './ports.js'
import { createReceive, type OpenRpc } from './rpc/receive.js'
import { NewerSnapshots } from './snapshots/newer.js'
import { SnapshotReader } from './snapshots/reader.js'
import { wordsFor } from './words.js'

/** How busy the service is at this moment, with all its engines, and what it has on disk, in bytes. */
export interface ServiceStats extends PoolStats {
  /** Built relations. */
  cacheBytes: number
  /** Stored rows of results. */
  resultBytes: number
}

/** How much of the default engine responds, and the mistakes in the catalogue. */
export interface ServiceHealth extends Required<EngineHealth> {
  /**
   * Mistakes in the catalogue, at most 100; null until it has been checked in the background, and if the engine does
   * not check it.
   */
  catalogue: readonly CatalogueProblem[] | null
}

/** Options of one call. */
export interface CallOptions {
  /**
   * Value of an `Authorization` header: `Bearer <key>`. Without a valid key, the call fails with
   * UNAUTHENTICATED.
   */
  authorization?: string | null
  /** Cancels the call when it is aborted. Default: the call is not cancelled. */
  signal?: AbortSignal
}

/**
 * The four methods, ready to be mounted. Serve them over HTTP with {@link AnalyticsApi.fetch} or an adapter
 * (`foldgate/node`, `foldgate/koa`, `foldgate/ws`), or call them in the process with {@link
 * AnalyticsApi.call}.
 */
export interface AnalyticsApi {
  /**
   * Calls a method in the process. Like a call over HTTP, it needs a key and takes one unit of the key's
   * quota. Returns the result, with warnings if there are any. Throws an `AnalyticsError` when the call
   * fails.
   */
  call<Name extends MethodName>(
    method: Name,
    params: MethodTypes[Name]['params'],
    options?: CallOptions,
  ): Promise<CallAnswer<MethodTypes[Name]['result']>>
  /** Runs a query of the catalogue by its name, and writes its rows to a file. Throws as other calls do. */
  call(
    method: QueryMethod,
    params: NamedExportParams,
    options?: CallOptions,
  ): Promise<CallAnswer<ProjectExport>>
  /** Runs a query of the catalogue by its name, and returns a page of its rows. Throws as other calls do. */
  call(method: QueryMethod, params: NamedQueryParams, options?: CallOptions): Promise<CallAnswer<RowPage>>
  /**
   * Answers a request. Pass only requests whose path {@link AnalyticsApi.handles} accepts. Failures are responses; it
   * does not reject.
   */
  fetch(request: Request): Promise<Response>
  /** Whether a path belongs to the API. */
  handles(pathname: string): boolean
  /** The limits in force. */
  readonly limits: Limits
  /**
   * Resolves when the first engine process and the process that checks statements accept jobs or have failed to start,
   * and never rejects. More engine processes start afterwards (see `stats()`). Calls made earlier wait.
   */
  ready(): Promise<void>
  /** How busy the service is. */
  stats(): ServiceStats
  /** The calls that run in this process at this moment, the one that has run longest first. */
  running(): RunningCall[]
  /**
   * Ends the running calls of this process that match each member of the filter, and returns how many there were: with
   * `revoked` they fail with UNAUTHENTICATED, as calls of a key that is no longer valid, else with UNAVAILABLE. Throws a
   * TypeError when the filter has no member, or one that does not exist.
   */
  cancel(calls: CallFilter, options?: { revoked?: boolean }): number
  /**
   * Checks which processes of the default engine are busy, or respond within `withinMs` milliseconds (default: 1000):
   * how many `workers`, at most `connections`, and whether the process that checks statements does (`guard`); and which
   * walls they run behind (`sandbox`, null until it is known). When there are no `workers`, send the service no calls.
   * `catalogue` has the mistakes in the catalogue. Rejects only when an engine of the host does.
   */
  health(withinMs?: number): Promise<ServiceHealth>
  /** Process ids of the engine processes, for memory monitoring. */
  pids(): number[]
  /** Ends all processes of the service. Calls in flight fail. Rejects only when an engine of the host does. */
  close(): Promise<void>
  /** Same as `close()`, for `await using`. Rejects as it does. */
  [Symbol.asyncDispose](): Promise<void>
  /** What adapters are built on. Hosts that mount a supplied adapter do not need it. */
  readonly adapter: AdapterApi
}

/** What an adapter of a server or a transport is built on. */
export interface AdapterApi {
  /**
   * Answers a request of a server that has no `Request`. Call `sent` of the answer once it has been sent. Failures are
   * answers; it does not reject.
   */
  answer(request: HttpRequest): Promise<HttpAnswer>
  /**
   * Answers a request for a path of the host like a call: checks the key, takes a unit of its quota, and
   * reports the call as `name` to `onEvent` and `usage`. `work` returns the body, sent as JSON, and headers
   * by lower-case name besides those that every answer has; what it throws is answered like a failed method.
   */
  answerAs(
    request: HttpRequest,
    name: string,
    work: (caller: Caller) => Promise<{ body: unknown; headers?: Record<string, string> }>,
  ): Promise<HttpAnswer>
  /**
   * Answers one JSON-RPC message with its response as JSON. Pass null for a message that is not text. With `full`, the
   * connection already has its maximum of calls in flight, and the call fails with UNAVAILABLE. `onUnsent` receives a
   * function to call once the answer has been sent: until then, the answer counts as unsent bytes. Failures are
   * responses; it does not reject.
   */
  receive(
    message: string | null,
    options?: CallOptions & { full?: boolean; onUnsent?: (release: () => void) => void },
  ): Promise<string>
  /**
   * Returns the caller behind a key, for the handshake of a connection. Throws UNAUTHENTICATED without a
   * valid key.
   */
  authenticate(options: CallOptions): Promise<Caller>
  /**
   * Converts a failure to the error that the caller receives. Anything but an `AnalyticsError` is a fault:
   * `onEvent` receives the cause, and the caller an INTERNAL error with a reference to it in
   * `data.reference`.
   */
  toError(cause: unknown): AnalyticsError
  /** Path of the WebSocket endpoint. */
  readonly socketPath: string
  /** Value of `WWW-Authenticate` for a handshake that is refused as UNAUTHENTICATED. */
  readonly challenge: string
}

const SLOW_MS = 5_000
const DEFAULT_QUOTA = { calls: 600, windowMs: 60_000 }

/**
 * Creates the API over the ports of a host, and starts its processes. Calls may be made at once: they wait until a
 * process is ready.
 *
 * @param options - The catalogue, the ports, the engine, and what differs from the defaults.
 * @returns The API. `close()`, or `await using`, ends its processes.
 * @throws TypeError that names the option when one is unknown, missing or invalid. What fails later, such as an engine that does
 * not start, is told by calls, by `ready()` and by `onEvent`.
 *
 * @example
 * ```ts
 * const api = createAnalyticsApi({
 *   baseUrl: 'https://data.example/analytics',
 *   secrets: [process.env.FOLDGATE_SECRET ?? ''],
 *   catalogue,
 *   keys,
 *   projects,
 *   snapshots: directorySnapshots('data/snapshots'),
 *   exports: directoryExports('data/exports', { retentionMs: 86_400_000 }),
 *   engine: duckdbEngine({ folder: 'data/engine' }),
 * })
 * const { result } = await api.call('projects/list', {}, { authorization: `Bearer ${key}` })
 * await api.close()
 * ```
 *
 * @example
 * With a limit other than its default, and events in the log of the host.
 * ```ts
 * const api = createAnalyticsApi({ ...options, limits: { queryTimeoutMs: 10_000 }, onEvent: console.log })
 * ```
 */
export function createAnalyticsApi(options: AnalyticsOptions): AnalyticsApi {
  checkKnown(options)
  const { catalogue, clock = Date } = options
  const onEvent = resolveListener(options)
  const limits = resolveLimits(options.limits)
  const url = checkBaseUrl(options.baseUrl)
  const baseUrl = url.href.replace(/\/$/, '')
  const { challenges, documents: metadata } = protectedResource(baseUrl, options)
  const signer = createSigner(options.secrets)
  const allow = allowOrigins(options.cors)
  checkRequired(options)
  checkRetention(options.exports, limits)
  const { keys, projects, snapshots, exports, quota = memoryQuota({ ...DEFAULT_QUOTA, clock }) } = options
  const { budget } = options
  const ports = timedPorts({ keys, projects, snapshots, exports, quota, budget }, catalogue, limits, onEvent)
  const engines = new Engines(options, { catalogue, limits, onEvent })
  const core: Core = {
    baseUrl,
    catalogue,
    clock,
    engines,
    exportQuota: new ExportQuota(limits, clock, exports.retentionMs ?? limits.linkValidityMs),
    limits,
    newer: new NewerSnapshots(onEvent),
    onEvent,
    ports,
    signer,
    snapshots: new SnapshotReader(ports.snapshots, onEvent, catalogue.hierarchy !== null),
    unsent: new UnsentBytes(limits),
    words: wordsFor(catalogue),
  }
  const { usage, sqlInEvents = false, slowMs = SLOW_MS, tracing } = options
  const admission = new Admission(core, { usage, onEvent, sqlInEvents, slowMs, tracing })
  const calls = new Calls(core, admission)
  const stated = { limits, contact: options.contact, challenge: challenges.others }
  const documents = describeApi(baseUrl, core.words, stated)
  const receive = createReceive(admission, calls, documents.get('openrpc.json') as OpenRpc)
  const service: Service = { core, admission, calls }
  const keyed = new Map<string, KeyedDocument>([['catalogue.json', catalogueDocument(core)]])
  if (calls.queries.all.length > 0)
    keyed.set('queries.json', describeQueries(baseUrl, core.words, stated, calls.queries))
  const wellKnown = new StaticDocuments(metadata)
  const routes: Routes = {
    ...service,
    rpc: receive,
    documents: new StaticDocuments(documents, keyed),
    wellKnown,
  }
  const mount = url.pathname.replace(/\/$/, '')
  const belowMount = (path: string) => (path.startsWith(`${mount}/`) ? path.slice(mount.length) : '')
  const answerOwn = (request: HttpRequest) => answerPath(routes, request, belowMount(request.path))
  const compress = options.compression === false ? (each: typeof answerOwn) => each : compressAnswers
  const challenge = challengeWith(challenges.others)
  const answerMost = allow(compress(challenge(answerOwn)))
  const agents = options.mcp && openEndpoint(options.mcp, service)
  const explore = options.explore && openEndpoint(options.explore, service)
  const answerAgents = agents && compress(challengeWith(challenges.agents)(agents.answer))
  const answerExplore = explore && compress(challenge(explore.answer))
  const isExplore = (path: string) =>
    explore !== undefined && (path === mount + PATHS.explore || path.startsWith(mount + PATHS.exploreAssets))
  const answer = (request: HttpRequest) => {
    if (answerAgents && request.path === mount + PATHS.mcp) return answerAgents(request)
    return answerExplore && isExplore(request.path) ? answerExplore(request) : answerMost(request)
  }
  const close = async () => {
    await agents?.close()
    await engines.close()
  }

  const adapter: AdapterApi = {
    answer,
    answerAs: (request, name, work) => challenge(each => answerAs(routes, each, name, work))(request),
    async receive(message, { full = false, onUnsent, ...given } = {}) {
      const caller = { ...callerOf(given), ...(onUnsent ? { onUnsent } : {}) }
      const { response } = await receive(async () => parseMessage(message), { ...caller, full })
      return Buffer.concat(jsonParts(response)).toString()
    },
    authenticate: given => admission.authenticate(callerOf(given)),
    toError: cause => admission.toError(cause),
    socketPath: mount + PATHS.socket,
    challenge: challenges.others,
  }
  return {
    fetch: async request => toResponse(await answer(fromRequest(request)), limits.stallTimeoutMs),
    handles: path => path.startsWith(mount + PATHS.documents) || isExplore(path) || wellKnown.has(path),
    call: ((method: MethodName, params: unknown, given: CallOptions = {}) =>
      calls.call(callerOf(given), calls.methodOf(method) as Runnable, params ?? {})) as AnalyticsApi['call'],
    limits,
    ready: () => engines.ready(),
    stats: () => engines.stats(),
    running: () => admission.running(),
    cancel(filter, { revoked = false } = {}) {
      checkFilter(filter)
      return admission.cancel(filter, cancelledCall(revoked))
    },
    health: async (withinMs = 1000) => ({
      ...(await engines.answering(withinMs)),
      catalogue: engines.mistakes,
    }),
    pids: () => engines.pids(),
    close,
    [Symbol.asyncDispose]: close,
    adapter,
  }
}

function callerOf({ authorization = null, signal = new AbortController().signal }: CallOptions) {
  return { authorization, signal }
}

function checkBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url
  throw new TypeError('baseUrl must be an http or https URL without query, for instance https://data.example')
}
