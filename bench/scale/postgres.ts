import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const HEAD_BYTES = 5

/** A proxy in front of PostgreSQL that counts the statements of its clients. */
export class CountedPostgres {
  /** Statements by the beginning of their text. */
  readonly statements = new Map<string, number>()
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer(client => this.#pass(client))
  readonly #target: URL

  private constructor(target: string) {
    this.#target = new URL(target)
  }

  static async before(target: string): Promise<CountedPostgres> {
    const proxy = new CountedPostgres(target)
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening')
    return proxy
  }

  /** The URL of the same store through the proxy. */
  get url(): string {
    const url = new URL(this.#target)
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return url.href
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #pass(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname)
    const reader = new MessageReader(text => {
      const kind = text.replace(/\s+/g, ' ').trim().slice(0, 60).toLowerCase()
      this.statements.set(kind, (this.statements.get(kind) ?? 0) + 1)
    })
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from.setNoDelay())
      from.on('error', () => to.destroy())
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
      from.on('data', chunk => {
        if (from === client) reader.read(chunk)
        to.write(chunk)
      })
    }
  }
}

/** Reads the messages of a client of PostgreSQL, and tells each statement that it runs. */
class MessageReader {
  readonly #onStatement: (text: string) => void
  readonly #parsed = new Map<string, string>()
  #bound = ''
  #rest: Buffer = Buffer.alloc(0)
  #isStarted = false

  constructor(onStatement: (text: string) => void) {
    this.#onStatement = onStatement
  }

  read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    // The first message has no type.
    if (!this.#isStarted && this.#rest.length >= 4) {
      const length = this.#rest.readUInt32BE(0)
      if (this.#rest.length < length) return
      this.#isStarted = true
      this.#rest = this.#rest.subarray(length)
    }
    while (this.#rest.length >= HEAD_BYTES) {
      const end = 1 + this.#rest.readUInt32BE(1)
      if (this.#rest.length < end) return
      this.#take(String.fromCharCode(this.#rest[0] ?? 0), this.#rest.toString('utf8', HEAD_BYTES, end).split('\0'))
      this.#rest = this.#rest.subarray(end)
    }
  }

  #take(type: string, [first = '', second = '']: string[]): void {
    if (type === 'Q') this.#onStatement(first)
    else if (type === 'P') this.#parsed.set(first, second)
    else if (type === 'B') this.#bound = this.#parsed.get(second) ?? ''
    else if (type === 'E') this.#onStatement(this.#bound)
  }
}
