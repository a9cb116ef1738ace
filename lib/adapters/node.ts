/**
 * Mounts the API on `node:http`, Express and Fastify.
 *
 * @module foldgate/node
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AnalyticsApi } from '../api.js'
import { answerTo, pathOf } from './node-exchange.js'

/** Node's request, with the members that the host's router and body parser may have added. */
type NodeRequest = IncomingMessage & {
  /** URL as sent, set by a router that has removed a prefix from `url`. */
  originalUrl?: string
  /** The parsed body, or the body as bytes or string if the parser only read it. */
  body?: unknown
  /** The body as sent, bytes or string, if the parser keeps it. */
  rawBody?: unknown
}

/** A handler for `node:http`, Express and Fastify's raw requests. Calls `next` for paths outside the API. */
type NodeHandler = (request: NodeRequest, response: ServerResponse, next?: () => void) => void

/**
 * Creates a handler that answers the paths of the API. For other paths it calls `next`, or responds 404 without one.
 * The path as sent counts, even if a router has removed a prefix from `url`. If a body parser has already read the
 * body, the handler takes `rawBody` or `body` from the request.
 *
 * @param api - The API, whose `baseUrl` has the path under which the handler is reached.
 * @returns The handler. It never throws: failures become HTTP responses.
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

async function send(
  api: AnalyticsApi,
  path: string,
  request: NodeRequest,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, headers, body } = await answerTo(api, path, request, response, request)
    response.writeHead(status, headers)
    if (body instanceof ReadableStream) return await pipeline(Readable.fromWeb(body as never), response)
    response.cork() // one write for the head and all parts
    for (const part of body ?? []) response.write(part)
    response.end()
  } catch {
    response.destroy() // the status is sent: only a broken connection still signals failure
  }
}
