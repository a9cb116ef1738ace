import type { AdapterApi } from '../api.js'

/** The members used of a socket of the `ws` package. */
export interface Socket {
  /** Unsent bytes. */
  readonly bufferedAmount: number
  /** 1 while the socket is open. */
  readonly readyState: number
  /** Sends a text message. Calls `done` when it is sent, or with the reason why it cannot be. */
  send(data: string, done?: (failure?: Error) => void): void
  /** Sends a ping. */
  ping(): void
  /** Stops reading. */
  pause(): void
  /** Resumes reading. */
  resume(): void
  /** Starts the closing handshake. */
  close(code?: number, reason?: string): void
  /** Destroys the connection at once. */
  terminate(): void
  /** Calls `listener` for each message. */
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown
  /** `pong`: the peer has answered a ping. `close`: the socket is closed. */
  on(event: 'pong' | 'close', listener: () => void): unknown
  /** The socket failed; `close` follows. */
  on(event: 'error', listener: (cause: Error) => void): unknown
}

/** Settings of a connection, see `SocketOptions`. */
export interface ConnectionSettings {
  maxInFlight: number
  pingEveryMs: number
  maxBufferedBytes: number
}

const OPEN = 1
const GOING_AWAY = 1001

/** One socket: its calls in flight, its heartbeat, and backpressure in both directions. */
export class SocketConnection {
  readonly #api: AdapterApi
  readonly #socket: Socket
  readonly #authorization: string | null
  readonly #settings: ConnectionSettings
  /** Calls in flight, each with the controller that cancels it. */
  readonly #inFlight = new Map<Promise<void>, AbortController>()
  readonly #heartbeat: NodeJS.Timeout
  /** For each unsent answer, a function that ends the wait for it. */
  readonly #leaving = new Set<() => void>()
  #alive = true
  /** Reading is paused until the peer has taken its unsent bytes. */
  #isPaused = false
  /** `draining`: nothing more is read. `over`: calls are ignored, and answers do not wait for the peer. */
  #state: 'open' | 'draining' | 'over' = 'open'

  constructor(api: AdapterApi, socket: Socket, authorization: string | null, settings: ConnectionSettings) {
    this.#api = api
    this.#socket = socket
    this.#authorization = authorization
    this.#settings = settings
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('error', () => {}) // 'close' follows
    socket.on('pong', () => {
      this.#alive = true
    })
    socket.on('close', () => {
      clearInterval(this.#heartbeat)
      this.#cancel()
    })
    this.#heartbeat = setInterval(() => this.#beat(), settings.pingEveryMs)
    this.#heartbeat.unref()
  }

  async drain(graceMs: number): Promise<void> {
    this.#state = 'draining'
    this.#socket.pause()
    const timer = setTimeout(() => {
      this.#state = 'over'
      this.#cancel()
      for (const left of [...this.#leaving]) left()
    }, graceMs)
    // Messages that were read before the pause can still add calls.
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight.keys())
    clearTimeout(timer)
    this.#state = 'over'
    this.#socket.resume() // a paused socket would not read the peer's close frame
    this.#socket.close(GOING_AWAY, 'the service is shutting down')
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#state === 'over') return
    const full = this.#inFlight.size >= this.#settings.maxInFlight
    const left = new AbortController()
    let release = () => {}
    const onUnsent = (given: () => void) => {
      release = given
    }
    const call = this.#api
      .receive(isBinary ? null : data.toString(), {
        authorization: this.#authorization,
        signal: left.signal,
        full,
        onUnsent,
      })
      .then(answer => this.#send(answer))
      .catch(() => this.#socket.terminate()) // otherwise the caller would wait for an answer that never comes
      .finally(() => {
        release()
        this.#inFlight.delete(call)
      })
    this.#inFlight.set(call, left)
  }

  #cancel(): void {
    for (const left of this.#inFlight.values()) left.abort()
  }

  /**
   * Resolves when the answer is sent. While too many bytes are unsent, nothing more is read from the peer.
   */
  #send(answer: string): Promise<void> {
    return new Promise(resolve => {
      if (this.#socket.readyState !== OPEN) return resolve()
      const { maxBufferedBytes } = this.#settings
      const left = () => {
        this.#leaving.delete(left)
        resolve()
      }
      this.#leaving.add(left)
      this.#socket.send(answer, () => {
        left()
        if (this.#state === 'open' && this.#socket.bufferedAmount <= maxBufferedBytes) {
          this.#isPaused = false
          this.#socket.resume()
        }
      })
      if (this.#state === 'over') left()
      if (this.#socket.bufferedAmount <= maxBufferedBytes) return
      this.#isPaused = true
      this.#socket.pause()
    })
  }

  #beat(): void {
    // While reading is paused (draining, or too many unsent bytes), pongs go unread, so a missing one proves
    // nothing.
    if (!this.#alive && this.#state === 'open' && !this.#isPaused) this.#socket.terminate()
    else this.#socket.ping()
    this.#alive = false
  }
}
