import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEADERS_END = Buffer.from('\r\n\r\n')

/** A keep-alive connection that reads as little of an answer as it can, so that it is not what is measured. */
export class LoadConnection {
  /** Status and headers of the last answer. */
  head = ''
  readonly #socket: Socket
  #missing = 0
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

  /** Sends a request and gives the status of its answer once that is whole. */
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
      if (headers < 0 || length === undefined) {
        this.#answered?.reject(new Error('the headers came in parts'))
        return
      }
      this.head = text
      this.#status = Number(text.slice('HTTP/1.1 '.length, 12))
      this.#missing = Number(length)
      at = headers + HEADERS_END.length
    }
    this.#missing -= chunk.length - at
    if (this.#missing > 0) return
    this.#missing = 0
    this.#answered?.resolve(this.#status)
  }
}
