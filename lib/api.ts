import { Calls } from './call.js'
import type { Catalogue } from './catalogue/catalogue.js'
import { guardPorts } from './dependencies.js'
import { describeApi } from './description/describe.js'
import { openEngine } from './engine/engine.js'
import type { PoolStats } from './engine/pool.js'
import { AnalyticsError } from './errors.js'
import { answerPath, type Routes } from './http/answer.js'
import { parseBody } from './http/body.js'
import { allowOrigins } from './http/cors.js'
import type { HttpAnswer, HttpRequest } from './http/exchange.js'
import { fromRequest, toResponse } from './http/web.js'
import { decodeJson, jsonParts } from './json.js'
import type { Core } from './methods/method.js'
import type { CallAnswer } from './model.js'
import { type AnalyticsOptions, type Limits, resolveLimits, resolveListener } from './options.js'
import { PATHS } from './paths.js'
import type { Caller } from './ports.js'
import { memoryQuota } from './quota.js'
import { checkRequired } from './required.js'
import { Results } from './results/results.js'
import { createReceive } from './rpc/receive.js'
import { createSeal } from './seal.js'
import { SnapshotReader } from './snapshots/reader.js'
import { UnsentBytes } from './unsent.js'

/** Who calls, in process. */
export interface CallOptions {
  /** An `Authorization` header: `Bearer <key>`. */
  authorization?: string | null
  /** Fires when the answer is no longer wanted. */
  signal?: AbortSignal
}

/** How a message of a connection is received. */
export interface MessageOptions {
  /** The connection has all the calls that it may: this one is answered UNAVAILABLE. */
  full?: boolean
  /** Given what is to be called once the answer has left: until then it counts against what its owner may leave unread. */
  onHeld?: (release: () => void) => void
}

/** How busy the service is at this moment. */
export interface ServiceStats extends PoolStats {
  /** What built relations take on disk, bytes. */
  cacheBytes: number
  /** What stored rows of results take on disk, bytes. */
  resultBytes: number
}

/** The four methods, ready to be mounted. */
export interface AnalyticsApi {
  /** Answers a request for a path that {@link AnalyticsApi.handles | handles}. */
  fetch(request: Request): Promise<Response>
  /** The same for adapters of servers that have no `Request`. */
  answer(request: HttpRequest): Promise<HttpAnswer>
  /** Whether a path is one of ours; pass on what is not. */
  handles(pathname: string): boolean
  /**
   * A call within the process, with a key and for a unit of its quota like any other. A failure is thrown as an
   * `AnalyticsError`.
   */
  call(method: string, params?: unknown, options?: CallOptions): Promise<CallAnswer>
  /** Who is behind a key, for the handshake of a connection; one that does not hold throws UNAUTHENTICATED. */
  authenticate(options: CallOptions): Promise<Caller>
  /** Holds bytes of an answer against what its owner may leave unread, until what it returns is called; or UNAVAILABLE. */
  hold(ownerId: string, bytes: number): () => void
  /**
   * What a caller is told of a failure, for adapters. What is no `AnalyticsError` is a fault: `onEvent` gets it, and the
   * caller an INTERNAL whose `data.reference` finds it.
   */
  toError(cause: unknown): AnalyticsError
  /** Answers one JSON-RPC message with the text of its answer; null stands for a message that is no text. */
  receive(message: string | null, options?: CallOptions & MessageOptions): Promise<string>
  /** The limits in force. */
  readonly limits: Limits
  /** Path of the WebSocket entry point. */
  readonly socketPath: string
  /** Path of the server for agents, where there is one (see `foldgate/mcp`). */
  readonly mcpPath: string
  /** What queries may read, as the host has set it. */
  readonly catalogue: Catalogue
  /**
   * Fulfilled once the first engine process takes jobs or could not start, with the others on their way: `stats()` tells
   * how many do. A call before that waits.
   */
  ready(): Promise<void>
  /** How busy the service is, for whoever watches it. */
  stats(): ServiceStats
  /**
   * How many engine processes are there: those at work, whose time is limited, and those that say so within `withinMs`
   * (1 s unless told otherwise). With none a service should be sent no calls.
   */
  answering(withinMs?: number): Promise<number>
  /** Whether the process that reads statements says within `withinMs` (1 s unless told otherwise) that it is there. */
  guardAnswers(withinMs?: number): Promise<boolean>
  /** Ids of the engine processes, for whoever watches memory. */
  pids(): number[]
  /** Ends the engine processes; calls in flight fail. */
  close(): Promise<void>
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

const ANSWER_WITHIN_MS = 1000
const DEFAULT_QUOTA = { calls: 600, windowMs: 60_000 }

/**
 * The API over the ports of a host. It starts its engine processes at once and is ready for calls before they are; end
 * it with `close()`. A wrong option throws a TypeError that names it.
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
 *   engine: { folder: 'data/engine' },
 * })
 * const { result } = await api.call('projects/list', {}, { authorization: `Bearer ${key}` })
 * await api.close()
 * ```
 */
export function createAnalyticsApi(options: AnalyticsOptions): AnalyticsApi {
  const { clock = Date } = options
  const onEvent = resolveListener(options)
  const limits = resolveLimits(options.limits)
  const baseUrl = checkBaseUrl(options.baseUrl)
  const seal = createSeal(options.secrets)
  const allow = allowOrigins(options.cors)
  checkRequired(options)
  const { keys, projects, snapshots, exports, quota = memoryQuota({ ...DEFAULT_QUOTA, clock }) } = options
  const ports = guardPorts({ keys, projects, snapshots, exports, quota }, limits, onEvent)
  const engine = openEngine(options.catalogue, options.engine, limits, onEvent)
  const results = new Results(engine, limits)
  const core: Core = {
    baseUrl: baseUrl.href.replace(/\/$/, ''),
    catalogue: options.catalogue,
    clock,
    engine,
    limits,
    ports,
    results,
    seal,
    snapshots: new SnapshotReader(ports.snapshots, onEvent),
    unsent: new UnsentBytes(limits),
  }
  const calls = new Calls(core, { usage: options.usage, onEvent, sqlInEvents: options.sqlInEvents ?? false })
  const documents = describeApi(core.baseUrl, limits)
  const receive = createReceive(calls, documents.get('openrpc.json'))
  const rpc: Routes['rpc'] = (read, request) => receive(async caller => parseBody(await read(caller)), request)
  const routes: Routes = { core, calls, rpc, documents }
  const mount = baseUrl.pathname.replace(/\/$/, '')
  const answer = allow(request => answerPath(routes, request, request.path.slice(mount.length)))
  const close = async () => {
    await engine.close() // first, so that no call stores rows any more
    await results.close()
  }

  return {
    handles: pathname => pathname.startsWith(mount + PATHS.documents),
    fetch: async request => toResponse(await answer(fromRequest(request)), limits.stallTimeoutMs),
    answer,
    async call(method, params = {}, given = {}) {
      const session = await calls.admit(callerOf(given))
      const outcome = session.refused ? calls.fail(session, session.refused) : await calls.run(session, method, params)
      if (!outcome.ok) throw outcome.error
      try {
        const result = decodeJson(outcome.result)
        return outcome.warnings.length > 0 ? { result, warnings: outcome.warnings } : { result }
      } catch (cause) {
        throw calls.toError(cause)
      }
    },
    authenticate: given => calls.authenticate(callerOf(given)),
    hold: (ownerId, bytes) => core.unsent.hold(ownerId, bytes),
    toError: cause => calls.toError(cause),
    async receive(message, { full = false, onHeld, ...given } = {}) {
      const caller = { ...callerOf(given), ...(onHeld ? { onHeld } : {}) }
      const { response } = await receive(async () => parseBody(textOf(message)), { ...caller, full })
      return Buffer.concat(jsonParts(response)).toString()
    },
    limits,
    socketPath: mount + PATHS.socket,
    mcpPath: mount + PATHS.mcp,
    catalogue: options.catalogue,
    ready: () => engine.ready(),
    stats: () => ({ ...engine.stats(), resultBytes: results.bytes }),
    answering: (withinMs = ANSWER_WITHIN_MS) => engine.answering(withinMs),
    guardAnswers: (withinMs = ANSWER_WITHIN_MS) => engine.guardAnswers(withinMs),
    pids: () => engine.pids(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function textOf(message: string | null): Buffer {
  if (message !== null) return Buffer.from(message)
  throw new AnalyticsError('INVALID_REQUEST', 'Send calls as text: binary messages are not accepted.')
}

function callerOf({ authorization = null, signal = new AbortController().signal }: CallOptions) {
  return { authorization, signal }
}

function checkBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url
  throw new TypeError('baseUrl must be an http or https URL without query, for instance https://data.example')
}
