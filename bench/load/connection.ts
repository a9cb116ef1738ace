import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEADERS_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)
const READ_BYTES = 256 * 1024

/** A keep-alive connection that parses as little of an answer as possible, to keep the client's own cost low. */
export class LoadConnection {
  /** Status and headers of the last answer. */
  head = ''
  readonly #socket: Socket
  /** Missing bytes of the body; infinite for a chunked body, which ends with the same bytes as headers. */
  #missing = 0
  #tail = NOTHING
  #status = 0
  #answered: { resolve: (status: number) => void; reject: (cause: Error) => void } | null = null

  private constructor(port: number) {
    // One buffer for all answers: that of a stream would be allocated for each chunk.
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback: (length: number, bytes: Uint8Array) => this.#read(bytes as Buffer, length),
    }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.#socket.on('error', cause => this.#answered?.reject(cause))
    this.#socket.on('close', () => this.#answered?.reject(new Error('the server closed the connection')))
  }

  static async open(port: number): Promise<LoadConnection> {
    const connection = new LoadConnection(port)
    await once(connection.#socket, 'connect')
    return connection
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

  #read(buffer: Buffer, length: number): true {
    let body = buffer.subarray(0, length)
    if (this.#missing === 0) {
      const headers = body.indexOf(HEADERS_END)
      const text = body.toString('latin1', 0, Math.max(headers, 0))
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      const isChunked = /transfer-encoding: chunked/i.test(text)
      if (headers < 0 || (length === undefined && !isChunked)) {
        this.#answered?.reject(new Error('the headers came in parts'))
        return true
      }
      this.head = text
      this.#status = Number(text.slice('HTTP/1.1 '.length, 12))
      this.#missing = isChunked ? Number.POSITIVE_INFINITY : Number(length)
      this.#tail = NOTHING
      body = body.subarray(headers + HEADERS_END.length)
    }
    this.#missing -= body.length
    if (this.#missing === Number.POSITIVE_INFINITY) {
      this.#tail = Buffer.concat([this.#tail, body.subarray(-HEADERS_END.length)]).subarray(-HEADERS_END.length)
      if (!this.#tail.equals(HEADERS_END)) return true
    } else if (this.#missing > 0) return true
    this.#missing = 0
    this.#answered?.resolve(this.#status)
    return true
  }
}
