import type { Server } from 'node:http'
import { type AnalyticsApi, type SocketHandler, serveWebSocket } from 'foldgate'
import { WebSocketServer } from 'ws'

/** Serves JSON-RPC over WebSocket on an HTTP server; an upgrade to any other path is refused. */
export function serveSockets(server: Server, api: AnalyticsApi): SocketHandler {
  const handler = serveWebSocket(api, new WebSocketServer({ noServer: true, perMessageDeflate: false }))
  server.on('upgrade', (request, socket, head) => {
    if (!handler.upgrade(request, socket, head)) socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
  })
  return handler
}
