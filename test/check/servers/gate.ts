import { connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP proxy that a test can close or block. It does not change the data. */
export class Gate {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #host: string
  readonly #port: number
  #own = 0
  #isBlocked = false

  private constructor(target: URL) {
    this.#host = target.hostname
    this.#port = Number(target.port || 5432)
    this.#server = createServer(near => {
      if (this.#isBlocked) this.#sockets.add(near)
      if (this.#isBlocked) return
      const far = connect(this.#port, this.#host)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from)
        from.on('data', chunk => to.write(chunk))
        from
          .on('error', () => {})
          .on('close', () => {
            this.#sockets.delete(from)
            to.destroy()
          })
      }
    })
  }

  /** Opens a gate in front of the server of a URL. */
  static async before(url: string): Promise<Gate> {
    const gate = new Gate(new URL(url))
    await gate.open()
    return gate
  }

  /** The URL that leads through the gate. */
  through(url: string): string {
    const changed = new URL(url)
    changed.hostname = '127.0.0.1'
    changed.port = String(this.#own)
    return changed.href
  }

  /** Lets new connections through. */
  async open(): Promise<void> {
    this.#isBlocked = false
    await new Promise<void>(resolve => this.#server.listen(this.#own, '127.0.0.1', resolve))
    const address = this.#server.address()
    this.#own = typeof address === 'object' && address ? address.port : 0
  }

  /** Ends every connection and refuses new ones. */
  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /** Stops forwarding data, but keeps the connections and accepts new ones. */
  block(): void {
    this.#isBlocked = true
    for (const socket of this.#sockets) socket.pause()
  }
}
