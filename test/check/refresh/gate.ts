import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { postgresUrl } from '../../server/stores.js'

/** A port in front of PostgreSQL, which can be closed as when the database is down. */
export class Gate {
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer(client => {
    if (!this.#isOpen) return client.destroy()
    const { hostname, port } = new URL(postgresUrl ?? '')
    const server = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from)
      from.on('error', () => {}).on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  #isOpen = true

  static async open(): Promise<Gate> {
    const gate = new Gate()
    await once(gate.#server.listen(0, '127.0.0.1'), 'listening')
    return gate
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Drops every connection, and those that come until it is opened again. */
  shut(): void {
    this.#isOpen = false
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  reopen(): void {
    this.#isOpen = true
  }

  close(): void {
    this.shut()
    this.#server.close()
  }
}
