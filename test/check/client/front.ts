import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AnalyticsApi } from 'foldgate'
import type { ClientOptions } from 'foldgate/client'
import { toNodeHandler } from 'foldgate/node'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { KEYS } from '../../service/service.js'

/** Every entry point, as the transport option of a client. */
export const TRANSPORTS: Record<string, NonNullable<ClientOptions['transport']>> = {
  rest: 'rest',
  'json-rpc': 'json-rpc',
  websocket: { WebSocket },
}

/** A server with all entry points at one address. */
export interface Front {
  url: string
  options: ClientOptions
  close(): void
}

/** Serves an API, sockets included. */
export async function startFront(api: AnalyticsApi): Promise<Front> {
  const server = createServer(toNodeHandler(api))
  const sockets = serveWebSocket(api, new WebSocketServer({ noServer: true }))
  server.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head))
  const url = await listen(server)
  const close = () => {
    void sockets.close(0)
    server.closeAllConnections()
    server.close()
  }
  return { url, options: { url, key: KEYS.north }, close }
}

/** Listens on a free port; returns the address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
