import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

const NOTIFICATION = 'A'

/** A proxy in front of PostgreSQL that sees what connections ask, and can keep back what the one that listens gets. */
export class Pooler {
  /** Statements of all connections. */
  asked = 0
  /** Whether the connection that listens gets notifications, or nothing at all. */
  state: 'open' | 'without notifications' | 'stalled' | 'late' = 'open'
  /** While it is late, hands over the first answer that was kept back; null when there is none. */
  deliver: (() => void) | null = null
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #listening = new Set<Socket>()

  constructor(target: URL) {
    this.#server = createServer(near => {
      const far = connect(Number(target.port), target.hostname)
      for (const socket of [near, far]) {
        this.#sockets.add(socket.on('error', () => {}))
        socket.on('close', () => [near, far].forEach(each => void each.destroy()))
      }
      near.on('data', chunk => {
        // A statement is a simple query, or the execution of a portal.
        this.asked += [...messagesIn(chunk)].filter(({ type }) => type === 'Q' || type === 'E').length
        if (chunk.includes('listen "')) this.#listening.add(near)
        far.write(chunk)
      })
      far.on('data', chunk => {
        if (!this.#listening.has(near) || this.state === 'open') return void near.write(chunk)
        const isAnswer = [...messagesIn(chunk)].some(({ type }) => type !== NOTIFICATION)
        if (this.state === 'late' && isAnswer) this.deliver ??= () => near.write(chunk)
        if (this.state === 'stalled' || this.state === 'late') return
        for (const { type, bytes } of messagesIn(chunk)) if (type !== NOTIFICATION) near.write(bytes)
      })
    })
  }

  async open(url: string): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    const through = new URL(url)
    through.port = String((this.#server.address() as AddressInfo).port)
    return through.href
  }

  /** Ends the connections that listen. */
  disconnect(): void {
    for (const socket of this.#listening) socket.destroy()
    this.#listening.clear()
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}

/** The messages of the PostgreSQL protocol in a chunk; on loopback, each is whole. */
function* messagesIn(chunk: Buffer): Generator<{ type: string; bytes: Buffer }> {
  for (let at = 0; at + 5 <= chunk.length; ) {
    const end = at + 1 + chunk.readInt32BE(at + 1)
    if (end <= at) return // what opens a connection has no type
    yield { type: String.fromCharCode(chunk[at] ?? 0), bytes: chunk.subarray(at, end) }
    at = end
  }
}
