import { buffer } from 'node:stream/consumers'
import { toNodeHandler } from 'foldgate/node'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocketServer } from 'ws'
import type { Mount } from '../../service/mount.js'

/** A message as a library sent it, and the coding of its answer if it was compressed. */
export interface Sent {
  message: Record<string, unknown>
  coding?: string | undefined
}

/** Serves JSON-RPC over HTTP and WebSocket, and records the messages that arrive. */
export function recordingMount(sent: Sent[]): Mount {
  return {
    prefix: '',
    host: api => {
      const handle = toNodeHandler(api)
      const sockets = new WebSocketServer({ noServer: true })
      const served = serveWebSocket(api, {
        options: sockets.options,
        handleUpgrade: (request, stream, head, opened) =>
          sockets.handleUpgrade(request, stream, head, socket => {
            socket.on('message', data => sent.push({ message: JSON.parse(String(data)) }))
            opened(socket)
          }),
      })
      return {
        request: async (request, response) => {
          const rawBody = await buffer(request)
          const record: Sent = { message: rawBody.byteLength > 0 ? JSON.parse(rawBody.toString()) : {} }
          sent.push(record)
          const { writeHead } = response
          response.writeHead = (...head: unknown[]) => {
            record.coding = (head[1] as Record<string, string>)['content-encoding']
            return writeHead.apply(response, head as never)
          }
          handle(Object.assign(request, { rawBody }), response)
        },
        upgrade: (request, socket, head) => void served.upgrade(request, socket, head),
        close: () => served.close(0),
      }
    },
  }
}
