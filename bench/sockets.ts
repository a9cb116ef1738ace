import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { AUTHORIZATION, largestProject, median, timed } from './assessed.js'
import type { Figure } from './run.js'

const SOCKETS = 1000
const CALLS = 200

/** Measures the memory of a thousand idle sockets, and the time of a call while they are open. */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open()
  const server = createServer()
  const handler = serveWebSocket(api, new WebSocketServer({ noServer: true, perMessageDeflate: false }))
  server.on('upgrade', (request, socket, head) => handler.upgrade(request, socket, head))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/public/v1/ws`
  const open = async () => {
    const socket = new WebSocket(url, { headers: { authorization: AUTHORIZATION }, perMessageDeflate: false })
    await once(socket, 'open')
    return socket
  }
  const sockets: WebSocket[] = []
  try {
    const caller = await open()
    let id = 0
    const call = async () => {
      caller.send(JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'projects/list' }))
      await once(caller, 'message')
    }
    const callsMs = async () => {
      const times: number[] = []
      for (let count = 0; count < CALLS; count++) times.push(await timed(call))
      return median(times)
    }
    const aloneMs = await callsMs()
    const before = process.memoryUsage().rss
    for (let count = 0; count < SOCKETS; count += 50)
      sockets.push(...(await Promise.all(Array.from({ length: 50 }, open))))
    const crowdedMs = await callsMs()
    // Both ends of each socket are in this process, so a server alone needs about half.
    const cost = (process.memoryUsage().rss - before) / 1024 ** 2
    return [
      {
        what: `${SOCKETS} idle sockets, both ends`,
        measured: `${cost.toFixed(1)} MB`,
        baseline: '',
        bar: '50 MB (one end)',
      },
      {
        what: 'projects/list over one socket, median',
        measured: `${crowdedMs.toFixed(2)} ms`,
        baseline: `${aloneMs.toFixed(2)} ms alone`,
        bar: '',
      },
    ]
  } finally {
    for (const socket of sockets) socket.terminate()
    await handler.close(0)
    server.closeAllConnections()
    server.close()
    await api.close()
    await project.remove()
  }
}
