import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { SocketHandler } from 'foldgate/ws'

/** How often idle connections are closed while draining. */
const IDLE_CHECK_MS = 50
/** How long the peer of a WebSocket may take for the closing handshake. */
const GOODBYE_MS = 1000

/** The calls in flight and the connections of an HTTP server. */
export class InHand {
  readonly #server: Server
  readonly #connections = new Set<Socket>()
  #calls = 0

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#connections.add(socket)
      socket.once('close', () => this.#connections.delete(socket))
    })
    server.on('request', (_request, response) => {
      this.#calls += 1
      response.once('close', () => {
        this.#calls -= 1
      })
    })
  }

  /** Counts a call that is not an HTTP request, such as one on a WebSocket. */
  async call<Answer>(call: Promise<Answer>): Promise<Answer> {
    this.#calls += 1
    try {
      return await call
    } finally {
      this.#calls -= 1
    }
  }

  /**
   * Accepts no new connections and waits for the calls in flight; those that continue after `capMs` are cut off.
   * Resolves with their number.
   */
  async drain(sockets: SocketHandler | undefined, capMs: number): Promise<number> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    let cut = 0
    let goodbyesUntil = Number.POSITIVE_INFINITY
    const idle = setInterval(() => {
      this.#server.closeIdleConnections()
      if (this.#calls === 0 && performance.now() > goodbyesUntil) this.#cut()
    }, IDLE_CHECK_MS)
    const cap = setTimeout(() => {
      cut = this.#calls
      this.#cut()
    }, capMs)
    await sockets?.close(capMs)
    goodbyesUntil = performance.now() + GOODBYE_MS
    await closed
    clearInterval(idle)
    clearTimeout(cap)
    return cut
  }

  #cut(): void {
    for (const socket of this.#connections) socket.destroy()
  }
}
