import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEADERS_END = Buffer.from('\r\n\r\n')

/** A keep-alive connection that parses as little of an answer as possible, to keep the client's own cost low. */
export class LoadConnection {
  /** Status and headers of the last answer. */
  head = ''
  readonly #socket: Socket
  /** Missing bytes of the body; infinite for a chunked body, which ends with the same bytes as headers. */
  #missing = 0
  #tail = Buffer.alloc(0)
  #status = 0
  #answered: { resolve: (status: number) => void; reject: (cause: Error) => void } | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', chunk => this.#read(chunk))
    socket.on('error', cause => this.#answered?.reject(cause))
    socket.on('close', () => this.#answered?.reject(new Error('the server closed the connection')))
  }

  static async open(port: number): Promise<LoadConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    return new LoadConnection(socket)
  }

  /** Sends a request; resolves with the status once the answer is complete. */
  ask(request: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answered = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    let at = 0
    if (this.#missing === 0) {
      const headers = chunk.indexOf(HEADERS_END)
      const text = chunk.toString('latin1', 0, headers)
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      const isChunked = /transfer-encoding: chunked/i.test(text)
      if (headers < 0 || (length === undefined && !isChunked)) {
        this.#answered?.reject(new Error('the headers came in parts'))
        return
      }
      this.head = text
      this.#status = Number(text.slice('HTTP/1.1 '.length, 12))
      this.#missing = isChunked ? Number.POSITIVE_INFINITY : Number(length)
      this.#tail = Buffer.alloc(0)
      at = headers + HEADERS_END.length
    }
    this.#missing -= chunk.length - at
    if (this.#missing === Number.POSITIVE_INFINITY) {
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(at)]).subarray(-HEADERS_END.length)
      if (!this.#tail.equals(HEADERS_END)) return
    } else if (this.#missing > 0) return
    this.#missing = 0
    this.#answered?.resolve(this.#status)
  }
}
