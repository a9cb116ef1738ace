import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { SocketHandler } from 'foldgate/ws'

/** How often idle connections are closed while draining. */
const IDLE_CHECK_MS = 50
/** How long to wait until no connection is waiting to be accepted. */
const ACCEPT_MS = 100
/** How long the peer of a WebSocket may take to complete the closing handshake. */
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
   * Stops accepting connections and waits for the calls in flight; those still running after `capMs` are cut
   * off. Resolves with their number.
   */
  async drain(sockets: SocketHandler | undefined, capMs: number): Promise<number> {
    await this.#acceptWaiting()
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

  /**
   * Accepts the connections that wait in the queue of the operating system. It would reset them when the
   * server closes, and a proxy does not repeat a call that it has sent.
   */
  async #acceptWaiting(): Promise<void> {
    let isQuiet = false
    const accepted = () => {
      isQuiet = false
    }
    this.#server.on('connection', accepted)
    // Immediates run after the event loop has accepted connections; it may accept only one each time.
    for (const end = performance.now() + ACCEPT_MS; !isQuiet && performance.now() < end; ) {
      isQuiet = true
      await setImmediate()
    }
    this.#server.off('connection', accepted)
  }

  #cut(): void {
    for (const socket of this.#connections) socket.destroy()
  }
}
