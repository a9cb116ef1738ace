import { IncomingMessage, type Server } from 'node:http'
import type { AnalyticsApi } from 'foldgate'
import { type SocketHandler, serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { currentTag, tagged, tagOf } from '../operation/requests.js'
import type { InHand } from './drain.js'

/** A socket whose messages have request ids of their own: `x.1` is the first after the handshake `x`. */
class TaggedSocket extends WebSocket {
  readonly #tag = currentTag()
  #messages = 0

  override emit(event: string | symbol, ...given: unknown[]): boolean {
    if (event !== 'message' || !this.#tag) return super.emit(event, ...given)
    const requestId = `${this.#tag.requestId}.${++this.#messages}`
    return tagged({ ...this.#tag, requestId }, () => super.emit(event, ...given))
  }
}

/**
 * A request that counts as an upgrade only when it asks for a WebSocket. Some clients offer HTTP/2 with every
 * call, and a server may ignore that offer; but once a server listens for `upgrade`, Node treats every offer
 * as an upgrade.
 */
export class Request extends IncomingMessage {
  declare offer: boolean | null

  get upgrade(): boolean {
    return (
      this.offer === true && (this.method === 'CONNECT' || /^websocket$/i.test(this.headers.upgrade ?? ''))
    )
  }

  set upgrade(offer: boolean | null) {
    this.offer = offer
  }
}

/** The WebSockets of a server. */
export interface ServedSockets extends SocketHandler {
  /** Number of open sockets. */
  readonly size: number
}

/** Serves JSON-RPC over WebSocket on an HTTP server; answers 404 to an upgrade of any other path. */
export function serveSockets(
  server: Server,
  api: AnalyticsApi,
  { inHand, proxies }: { inHand: InHand; proxies: number },
): ServedSockets {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, WebSocket: TaggedSocket })
  sockets.on('headers', headers => void headers.push(`X-Request-Id: ${currentTag()?.requestId}`))
  const { adapter } = api
  const receive: typeof adapter.receive = (...message) => inHand.call(adapter.receive(...message))
  const counting: AnalyticsApi = { ...api, adapter: { ...adapter, receive } }
  const handler = serveWebSocket(counting, sockets)
  server.on('upgrade', (request, socket, head) => {
    const tag = tagOf(request, proxies)
    if (tagged(tag, () => handler.upgrade(request, socket, head))) return
    socket.on('error', () => socket.destroy()) // Node no longer handles its errors, and the client may hang up
    socket.once('finish', () => socket.destroy())
    socket.end(`HTTP/1.1 404 Not Found\r\nConnection: close\r\nX-Request-Id: ${tag.requestId}\r\n\r\n`)
  })
  return {
    ...handler,
    get size() {
      return sockets.clients.size
    },
  }
}
