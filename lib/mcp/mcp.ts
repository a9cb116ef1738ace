/**
 * Adds a server of the Model Context Protocol.
 *
 * @module foldgate/mcp
 */

import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { AnalyticsApi } from '../api.js'
import { rateLimited } from '../call.js'
import { AnalyticsError } from '../errors.js'
import type { HttpAnswer, HttpRequest } from '../http/exchange.js'
import { respondError } from '../http/respond.js'
import { fromRequest, toResponse } from '../http/web.js'
import { memoryQuota } from '../memory-quota.js'
import { serverFor, TOOL_NAMES } from './tools.js'

/** Most messages per key, and per owner, in a minute besides tool calls; the protocol needs three to start. */
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

/** Options of {@link withMcp}. */
export interface McpOptions {
  /**
   * Origins at which callers reach the server, such as `https://data.example`. Against DNS rebinding, a request with
   * another `Host` or `Origin` is answered FORBIDDEN (403) before anything else. Ports are not compared. Default: any.
   */
  origins?: readonly string[]
}

/**
 * Returns the API with a server of the Model Context Protocol at `/public/v1/mcp` (Streamable HTTP, no sessions): the
 * four methods as tools, the catalogue and its worked queries as resources. Every request needs a key. A tool call
 * takes a unit of the key's quota, and its failure is a tool result with `isError`. Mount and close the returned API in
 * place of `api`. Throws a TypeError when `origins` has something else than origins.
 *
 * @example
 * ```ts
 * const api = withMcp(createAnalyticsApi(options), { origins: ['https://data.example'] })
 * createServer(toNodeHandler(api)).listen(8080)
 * ```
 */
export function withMcp(api: AnalyticsApi, { origins }: McpOptions = {}): AnalyticsApi {
  const { adapter } = api
  const checkHost = hostCheck(origins)
  const otherMessages = memoryQuota(OTHER_MESSAGES)
  const serve = ({ requestInfo }: Pick<McpRequestContext, 'requestInfo'>) => {
    const authorization = requestInfo?.headers.get('authorization') ?? null
    return serverFor(api, { authorization, ...(requestInfo ? { signal: requestInfo.signal } : {}) })
  }
  const bounds = { maxRequestBodySize: api.limits.bodyBytes }
  // No subscriptions: nothing that agents read changes, and their streams would never end.
  const handler = createMcpHandler(serve, { ...bounds, maxSubscriptions: 0 })

  /** Answers in JSON, which clients read at any length; of an event stream, they limit the size of an event. */
  async function respond(request: Request): Promise<Response> {
    if (request.method !== 'POST' || !(await isLegacyRequest(request, undefined, bounds))) return handler.fetch(request)
    const server = serve({ requestInfo: request })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, ...bounds })
    try {
      await server.connect(transport)
      // The transport waits for an answer to each request; when the client has left, none comes.
      return await Promise.race([transport.handleRequest(request), leaving(request.signal)])
    } finally {
      await server.close()
    }
  }

  async function answerMcp(request: HttpRequest): Promise<HttpAnswer> {
    try {
      checkHost(request)
      const { signal } = request
      const authorization = request.header('authorization')
      const caller = await adapter.authenticate({ authorization, signal })
      const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
      const message = hasBody ? Buffer.from(await request.readBody(api.limits.bodyBytes)) : null
      const release = adapter.countUnsent(caller.ownerId, message?.byteLength ?? 0)
      try {
        for (let others = countOthers(message); others > 0; others--) {
          const left = await otherMessages.take(caller, signal)
          if (!left.allowed) throw rateLimited(left)
        }
        const response = await respond(toRequest(request, message))
        const headers = { ...Object.fromEntries(response.headers), 'cache-control': 'no-store' }
        const body = [new Uint8Array(await response.arrayBuffer())]
        return {
          status: response.status,
          headers,
          body,
          sent: adapter.countUnsent(caller.ownerId, body[0]?.byteLength ?? 0),
        }
      } finally {
        release()
      }
    } catch (cause) {
      return respondError(adapter.toError(cause))
    }
  }

  const answer = (request: HttpRequest) =>
    request.path === adapter.mcpPath ? answerMcp(request) : adapter.answer(request)
  const close = async () => {
    await handler.close()
    await api.close()
  }
  return {
    ...api,
    adapter: { ...adapter, answer },
    fetch: async request => toResponse(await answer(fromRequest(request)), api.limits.stallTimeoutMs),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Checks that a request names a host of these origins. Throws FORBIDDEN. */
function hostCheck(origins: readonly string[] | undefined): (request: HttpRequest) => void {
  if (origins === undefined) return () => {}
  const hosts = origins.map(origin => {
    if (URL.canParse(origin) && new URL(origin).origin === origin) return new URL(origin).hostname
    throw new TypeError(`origins must be a list of origins such as https://data.example, not ${JSON.stringify(origin)}`)
  })
  return ({ header }) => {
    const host = validateHostHeader(header('host'), hosts)
    if (host.ok && validateOriginHeader(header('origin'), hosts).ok) return
    const name = host.ok ? 'Origin' : 'Host'
    throw new AnalyticsError('FORBIDDEN', `The ${name} header names a host that is not this server.`)
  }
}

/** Most messages per request: each may be a call, and all answers are sent together. */
const MOST_MESSAGES = 16

/** Counts the messages of a request that call no tool. The call of a tool takes its unit of quota itself. */
function countOthers(message: Buffer | null): number {
  const messages = message ? messagesIn(message) : [null]
  if (messages.length > MOST_MESSAGES)
    throw new AnalyticsError('INVALID_REQUEST', `Send at most ${MOST_MESSAGES} messages in a request.`)
  // A request that is cancelled has no answer, and the transport would wait for it.
  if (messages.length > 1 && messages.some(each => each?.method === 'notifications/cancelled'))
    throw new AnalyticsError('INVALID_REQUEST', 'Cancel a request in a message of its own, or close its connection.')
  return messages.filter(each => each?.method !== 'tools/call' || !TOOL_NAMES.has(each.params?.name)).length
}

/** What is read of a message before it is handled. */
type Peeked = { method?: unknown; params?: { name?: unknown } } | null

function messagesIn(message: Buffer): readonly Peeked[] {
  try {
    return [JSON.parse(message.toString())].flat()
  } catch {
    return [null]
  }
}

/** Rejects once the signal has aborted. */
function leaving(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(new AnalyticsError('UNAVAILABLE', 'The client has left.'))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}

function toRequest(request: HttpRequest, message: Buffer | null): Request {
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = request.header(name)
    if (value !== null) headers.set(name, value)
  }
  const { method, path, signal } = request
  const body = message ? { body: new Uint8Array(message) } : {}
  return new Request(new URL(path, 'http://localhost'), { method, headers, signal, ...body })
}
