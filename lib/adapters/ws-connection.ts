import type { AdapterApi } from '../api.js'

/** As much of a socket of the `ws` package as is needed. */
export interface Socket {
  /** Bytes that wait for the peer. */
  readonly bufferedAmount: number
  /** 1 while it is open. */
  readonly readyState: number
  /** Sends a text; `done` is called when it has left, or cannot. */
  send(data: string, done?: (failure?: Error) => void): void
  /** Asks the peer whether it is there. */
  ping(): void
  /** Reads no more. */
  pause(): void
  /** Reads on. */
  resume(): void
  /** Says goodbye. */
  close(code?: number, reason?: string): void
  /** Ends it at once. */
  terminate(): void
  /** A message has come. */
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown
  /** The peer is there; the socket is closed. */
  on(event: 'pong' | 'close', listener: () => void): unknown
  /** The socket broke; it is closed next. */
  on(event: 'error', listener: (cause: Error) => void): unknown
}

/** What a connection goes by; see `SocketOptions`. */
export interface ConnectionSettings {
  maxInFlight: number
  pingEveryMs: number
  maxBufferedBytes: number
}

const OPEN = 1
const GOING_AWAY = 1001

/** One socket: its calls in flight, its heartbeat, and the brakes in both directions. */
export class Connection {
  readonly #api: AdapterApi
  readonly #socket: Socket
  readonly #authorization: string | null
  readonly #settings: ConnectionSettings
  /** Calls in flight, each with what cancels it. */
  readonly #inFlight = new Map<Promise<void>, AbortController>()
  readonly #heartbeat: NodeJS.Timeout
  /** Ends the waits for answers to leave. */
  readonly #leaving = new Set<() => void>()
  #alive = true
  /** The peer is not read from until it takes what waits for it. */
  #isPaused = false
  /** From `draining` on nothing more is read; once it is `over`, no call is taken and no answer waits for its peer. */
  #state: 'open' | 'draining' | 'over' = 'open'

  constructor(api: AdapterApi, socket: Socket, authorization: string | null, settings: ConnectionSettings) {
    this.#api = api
    this.#socket = socket
    this.#authorization = authorization
    this.#settings = settings
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('error', () => {}) // what broke the socket also closes it
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
    // What had been read of the socket by then are calls too.
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight.keys())
    clearTimeout(timer)
    this.#state = 'over'
    this.#socket.resume() // or the peer's goodbye would not be read
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
      .catch(() => this.#socket.terminate()) // a call without an answer would leave its caller waiting
      .finally(() => {
        release()
        this.#inFlight.delete(call)
      })
    this.#inFlight.set(call, left)
  }

  #cancel(): void {
    for (const left of this.#inFlight.values()) left.abort()
  }

  /** A call is over when its answer has left; a peer that does not read is not read from. */
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
    // Nothing says that a peer is there while it is not read from: once it drains, or until it takes its answers.
    if (!this.#alive && this.#state === 'open' && !this.#isPaused) this.#socket.terminate()
    else this.#socket.ping()
    this.#alive = false
  }
}
