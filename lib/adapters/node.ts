import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AnalyticsApi } from '../api.js'
import type { ParsedBody } from '../http/parsed.js'
import { answerTo, pathOf } from './node-exchange.js'

/** A request as Node has it, with what a host's router and body parser may have added to it. */
export type NodeRequest = IncomingMessage &
  ParsedBody & {
    /** The URL as it was sent, where a router has taken a prefix off `url`. */
    originalUrl?: string
  }

/** A handler for `node:http`, Express and Fastify's raw requests; `next` gets what is not ours. */
export type NodeHandler = (request: NodeRequest, response: ServerResponse, next?: () => void) => void

/**
 * Answers requests for the paths of the API; without `next` anything else is 404. A path counts as it was sent, whatever
 * a router has taken off it. Of a body that was read before, what its parser left on the request is taken. It throws
 * nothing: every failure is an answer.
 *
 * @example
 * ```ts
 * const analytics = toNodeHandler(api)
 * createServer((request, response) => {
 *   analytics(request, response, () => response.writeHead(404).end())
 * }).listen(8080)
 * ```
 */
export function toNodeHandler(api: AnalyticsApi): NodeHandler {
  return (request, response, next) => {
    const path = pathOf(request.originalUrl ?? request.url)
    if (api.handles(path)) void send(api, path, request, response)
    else if (next) next()
    else response.writeHead(404).end()
  }
}

async function send(api: AnalyticsApi, path: string, request: NodeRequest, response: ServerResponse): Promise<void> {
  try {
    const { status, headers, body } = await answerTo(api, path, request, response, request)
    response.writeHead(status, headers)
    if (body instanceof ReadableStream) return await pipeline(Readable.fromWeb(body as never), response)
    response.cork() // one write for the head and all parts
    for (const part of body ?? []) response.write(part)
    response.end()
  } catch {
    response.destroy() // after the status there is no other way to say that the rest will not come
  }
}
