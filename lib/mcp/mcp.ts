import { createMcpHandler } from '@modelcontextprotocol/server'
import type { AnalyticsApi } from '../api.js'
import type { HttpAnswer, HttpRequest } from '../http/exchange.js'
import { respondError } from '../http/respond.js'
import { fromRequest, toResponse } from '../http/web.js'
import { serverFor } from './tools.js'

/** Headers that the protocol reads. */
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

/**
 * The same API, with a server of the Model Context Protocol at `/public/v1/mcp` (Streamable HTTP, no sessions): the four
 * methods as tools, the catalogue and its worked queries as resources. Every request carries a key, every tool call counts
 * in its quota as any call does, and a failure is a tool result with `isError`. Mount what comes back in place of the API,
 * and close it in its place.
 *
 * @example
 * ```ts
 * const api = withMcp(createAnalyticsApi(options))
 * createServer(toNodeHandler(api)).listen(8080)
 * ```
 */
export function withMcp(api: AnalyticsApi): AnalyticsApi {
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const authorization = requestInfo?.headers.get('authorization') ?? null
      return serverFor(api, { authorization, ...(requestInfo ? { signal: requestInfo.signal } : {}) })
    },
    { maxRequestBodySize: api.limits.bodyBytes },
  )

  async function answerMcp(request: HttpRequest): Promise<HttpAnswer> {
    try {
      await api.authenticate({ authorization: request.header('authorization'), signal: request.signal })
      const response = await handler.fetch(await toRequest(request, api.limits.bodyBytes))
      const headers = Object.fromEntries(response.headers)
      return { status: response.status, headers, body: response.body as ReadableStream<Uint8Array> | null }
    } catch (cause) {
      return respondError(api.toError(cause))
    }
  }

  const answer = (request: HttpRequest) => (request.path === api.mcpPath ? answerMcp(request) : api.answer(request))
  const close = async () => {
    await handler.close()
    await api.close()
  }
  return {
    ...api,
    answer,
    fetch: async request => toResponse(await answer(fromRequest(request))),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function toRequest(request: HttpRequest, maxBytes: number): Promise<Request> {
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = request.header(name)
    if (value !== null) headers.set(name, value)
  }
  const { method, path, signal } = request
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Buffer.from(await request.readBody(maxBytes)) } : {}
  return new Request(new URL(path, 'http://localhost'), { method, headers, signal, ...body })
}
