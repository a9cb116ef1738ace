/**
 * Serves agents over the Model Context Protocol.
 *
 * @module foldgate/mcp
 */

import { setMaxListeners } from 'node:events'
import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { CallerRequest } from '../call/admission.js'
import { memoryQuota } from '../call/memory-quota.js'
import { rateLimited } from '../call/quota-levels.js'
import { AnalyticsError } from '../errors.js'
import { LONG_LIST, MOST_MESSAGES, parseBody } from '../http/body.js'
import type { Endpoint, OpenEndpoint } from '../http/endpoint.js'
import type { HttpAnswer, HttpRequest } from '../http/exchange.js'
import { respondError, weightsOf } from '../http/respond.js'
import type { Service } from '../methods/calls.js'
import { checkOptions } from '../values/known-options.js'
import { type Agent, agentOf, serverFor } from './tools.js'

/**
 * Most messages per key, and per owner, in a minute besides tool calls; the protocol needs three to start.
 */
const OTHER_MESSAGES = { calls: 600, callsPerOwner: 6_000, windowMs: 60_000 }

/** Request headers that the MCP handler reads. */
const HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'host',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'origin',
]

/** Options of {@link mcpEndpoint}. */
interface McpOptions {
  /**
   * Origins at which callers reach the server, such as `https://data.example`. Against DNS rebinding, a
   * request with another `Host` or `Origin` is answered FORBIDDEN (403) before anything else. Ports are not
   * compared. Default: any.
   */
  origins?: readonly string[]
}

/**
 * Makes the option `mcp` of `createAnalyticsApi`: a server of the Model Context Protocol at `/public/v1/mcp`
 * (Streamable HTTP, no sessions) with the four methods and the named queries of the catalogue as tools, and the
 * catalogue, its relations and its worked queries as resources. Every request needs a key. A tool call takes a unit of
 * the key's quota, and its failure is a tool result with `isError`.
 *
 * @param options - Origins at which callers reach the server.
 * @returns The value of the option `mcp`.
 * @throws TypeError when an option does not exist, or `origins` contains anything but origins.
 *
 * @example
 * ```ts
 * const api = createAnalyticsApi({ ...options, mcp: mcpEndpoint({ origins: ['https://data.example'] }) })
 * createServer(toNodeHandler(api)).listen(8080)
 * ```
 *
 * @example
 * The service is reached by names that it does not know, so any `Host` is accepted.
 * ```ts
 * const api = createAnalyticsApi({ ...options, mcp: mcpEndpoint() })
 * ```
 */
export function mcpEndpoint(options: McpOptions = {}): Endpoint {
  checkOptions('mcpEndpoint', options, { origins: true })
  const checkHost = hostCheck(options.origins)
  return { open: service => openAgents(service, checkHost) }
}

function openAgents(service: Service, checkHost: (request: HttpRequest) => void): OpenEndpoint {
  const { admission, core } = service
  const { limits, unsent } = core
  const otherMessages = memoryQuota(OTHER_MESSAGES)
  const serve = ({ authInfo }: Pick<McpRequestContext, 'authInfo'>) =>
    serverFor(service, authInfo?.extra as unknown as Agent)
  const bounds = { maxRequestBodySize: limits.bodyBytes }
  // No subscriptions: nothing that agents read changes, and their streams would never end.
  const handler = createMcpHandler(serve, { ...bounds, maxSubscriptions: 0 })

  /**
   * Answers in JSON, which clients read at any length; of an event stream, they limit the size of an event.
   * `body` is what was sent, as a value: nothing reads its text again. It is undefined when it was not JSON.
   */
  async function respond(request: Request, body: unknown, agent: Agent): Promise<Response> {
    const parsed = body === undefined ? {} : { parsedBody: body }
    const authInfo = { token: '', clientId: agent.caller.keyId, scopes: [], extra: { ...agent } }
    if (request.method !== 'POST' || !(await isLegacyRequest(request, body, bounds)))
      return handler.fetch(request, { ...parsed, authInfo })
    const server = serve({ authInfo })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, ...bounds })
    try {
      await server.connect(transport)
      // The transport waits for an answer to each request; when the client has left, none comes.
      return await Promise.race([transport.handleRequest(request, parsed), leaving(request.signal)])
    } finally {
      await server.close()
    }
  }

  async function answer(request: HttpRequest): Promise<HttpAnswer> {
    try {
      checkHost(request)
      const { signal } = request
      const header = (name: string) => request.header(name)
      const given: CallerRequest = { authorization: header('authorization'), signal, header }
      const caller = await admission.authenticate(given)
      const bytes = request.method === 'POST' ? await request.readBody(limits.bodyBytes) : new Uint8Array()
      const release = unsent.add(caller.ownerId, bytes.byteLength)
      try {
        const message = parse(bytes, request.header('content-encoding'))
        const agent = await agentOf(service, { authorization: header('authorization'), signal }, caller)
        const tools = new Set<unknown>(agent.tools.map(({ name }) => name))
        for (let others = countOthers(message, tools); others > 0; others--) {
          // The quota of the caller is for calls: an agent with a small one could not even start.
          const left = await otherMessages.take({ ...caller, quota: OTHER_MESSAGES.calls }, signal)
          if (!left.allowed) throw rateLimited(left)
        }
        const response = await respond(toRequest(request), message, agent)
        const body = new Uint8Array(await response.arrayBuffer())
        const headers = {
          ...Object.fromEntries(response.headers),
          'cache-control': 'no-store',
          'content-length': String(body.byteLength),
        }
        const sent = unsent.add(caller.ownerId, body.byteLength)
        return { status: response.status, headers, body: [body], sent }
      } finally {
        release()
      }
    } catch (cause) {
      return respondError(admission.toError(cause))
    }
  }

  return { answer, close: () => handler.close() }
}

/** Checks that a request names a host of these origins. Throws FORBIDDEN. */
function hostCheck(origins: readonly string[] | undefined): (request: HttpRequest) => void {
  if (origins === undefined) return () => {}
  const hosts = origins.map(origin => {
    if (URL.canParse(origin) && new URL(origin).origin === origin) return new URL(origin).hostname
    throw new TypeError(
      `origins must be a list of origins such as https://data.example, not ${JSON.stringify(origin)}`,
    )
  })
  return ({ header }) => {
    const host = validateHostHeader(header('host'), hosts)
    if (host.ok && validateOriginHeader(header('origin'), hosts).ok) return
    const name = host.ok ? 'Origin' : 'Host'
    throw new AnalyticsError('FORBIDDEN', `The ${name} header names a host that is not this server.`)
  }
}

/**
 * Most values per request: the handler copies and checks each of them, which takes far longer than to parse
 * it.
 */
const MOST_VALUES = 10_000

/** Parses a body; undefined when it is not JSON, for the handler to answer. Throws INVALID_REQUEST. */
function parse(bytes: Uint8Array, encoding: string | null): unknown {
  try {
    return parseBody(bytes, encoding, MOST_VALUES)
  } catch (cause) {
    if (cause instanceof AnalyticsError && cause.class === 'PARSE_ERROR') return undefined
    throw cause
  }
}

/**
 * Counts the messages of a request that call none of these tools. The call of a tool takes its unit of quota itself.
 */
function countOthers(body: unknown, tools: ReadonlySet<unknown>): number {
  const messages = (Array.isArray(body) ? body : [body]) as Peeked[]
  if (body === LONG_LIST || messages.length > MOST_MESSAGES)
    throw new AnalyticsError('INVALID_REQUEST', `Send at most ${MOST_MESSAGES} messages in a request.`)
  // A request that is cancelled has no answer, and the transport would wait for it.
  if (messages.length > 1 && messages.some(each => each?.method === 'notifications/cancelled'))
    throw new AnalyticsError(
      'INVALID_REQUEST',
      'Cancel a request in a message of its own, or close its connection.',
    )
  // Of two answers to one id, the transport would send the first, and leave the other call running.
  const ids = messages.map(each => each?.id).filter(id => id !== undefined)
  if (new Set(ids).size < ids.length)
    throw new AnalyticsError('INVALID_REQUEST', 'Give each message of a request an "id" of its own.')
  return messages.filter(each => !callsTool(each, tools)).length
}

/** The members of a message that are read before it is handled. */
type Peeked =
  | { id?: unknown; method?: unknown; params?: { name?: unknown; arguments?: unknown } }
  | null
  | undefined

/**
 * Whether a message calls a tool, which takes a unit of the key's quota, unless the handler refuses the
 * message.
 */
function callsTool(message: Peeked, tools: ReadonlySet<unknown>): boolean {
  const { id, method, params } = message ?? {}
  if (id === undefined || method !== 'tools/call' || !tools.has(params?.name)) return false
  return (
    params?.arguments === undefined || (params.arguments !== null && typeof params.arguments === 'object')
  )
}

/** Rejects once the signal has aborted. */
function leaving(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(new AnalyticsError('UNAVAILABLE', 'The client has left.'))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}

/** Upper bound of the listeners that a call adds at a time. */
const LISTENERS_PER_MESSAGE = 8

/** Whether an `Accept` header lets the answer be JSON (RFC 9110, 12.5.1); without the header, any type is accepted. */
function acceptsJson(accepted: string | null): boolean {
  const weights = weightsOf(accepted ?? '*/*')
  const weight = ['application/json', 'application/*', '*/*']
    .map(type => weights.get(type))
    .find(each => each !== undefined)
  return (weight ?? 0) > 0
}

/** The request without its body, which has been parsed. */
function toRequest(request: HttpRequest): Request {
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = request.header(name)
    if (value !== null) headers.set(name, value)
  }
  // Answers are JSON. Clients that accept it need not accept event streams too, as the transport wants.
  if (request.method === 'POST' && acceptsJson(headers.get('accept')))
    headers.set('accept', 'application/json, text/event-stream')
  const { method, path, signal } = request
  const made = new Request(new URL(path, 'http://localhost'), { method, headers, signal })
  // Each call of a request adds a listener, and Node takes more than ten for a leak.
  setMaxListeners(LISTENERS_PER_MESSAGE * MOST_MESSAGES, signal, made.signal)
  return made
}
