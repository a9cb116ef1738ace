import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnalyticsApi } from '../api.js'
import { AnalyticsError } from '../errors.js'
import { respondError } from '../http/respond.js'

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

/** As much of a `WebSocketServer` made with `noServer: true` as is needed. */
export interface SocketServer {
  /** `maxPayload` is set to the limit of bodies. */
  options: { maxPayload?: number | undefined }
  /** Ends a handshake; `done` gets its socket. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, done: (socket: Socket) => void): void
}

/** How sockets are served. */
export interface SocketOptions {
  /** Calls in flight on one socket; one more is answered UNAVAILABLE. Default 16. */
  maxInFlight?: number
  /** How often a peer is asked whether it is there, milliseconds; one that does not say so in time is cut. Default 30 s. */
  pingEveryMs?: number
  /** Bytes waiting for a peer that reads slowly, beyond which it is not read from either. Default 1 MiB. */
  maxBufferedBytes?: number
}

/** The WebSocket entry point of an API. */
export interface SocketHandler {
  /** Takes over an upgrade to our path; false for any other, which is the host's. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Takes no new call, lets those in flight end within `graceMs` (default 10 s), and closes every socket (1001). */
  close(graceMs?: number): Promise<void>
}

const OPEN = 1
const GOING_AWAY = 1001
const DEFAULTS = { maxInFlight: 16, pingEveryMs: 30_000, maxBufferedBytes: 1024 * 1024 }

/**
 * Serves the API on the sockets of a `ws` server that the host made with `noServer: true`, beside its own sockets. The
 * handshake needs a key; what is refused is answered as over HTTP.
 *
 * @example
 * ```ts
 * const analytics = serveWebSocket(api, new WebSocketServer({ noServer: true }))
 * server.on('upgrade', (request, socket, head) => {
 *   if (!analytics.upgrade(request, socket, head)) socket.destroy()
 * })
 * ```
 */
export function serveWebSocket(api: AnalyticsApi, server: SocketServer, options: SocketOptions = {}): SocketHandler {
  const settings = { ...DEFAULTS, ...options }
  server.options.maxPayload = api.limits.bodyBytes // a larger frame closes its socket with 1009
  const connections = new Set<Connection>()
  let closing = false

  const accept = async (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const authorization = request.headers.authorization ?? null
    await api.authenticate({ authorization })
    if (closing) throw new AnalyticsError('UNAVAILABLE', 'The service is shutting down. Try again later.')
    server.handleUpgrade(request, stream, head, socket => {
      const connection = new Connection(api, socket, authorization, settings)
      connections.add(connection)
      socket.on('close', () => connections.delete(connection))
    })
  }

  return {
    upgrade(request, stream, head) {
      if ((request.url ?? '').split('?')[0] !== api.socketPath) return false
      stream.on('error', () => stream.destroy())
      accept(request, stream, head).catch(cause => refuse(stream, api.toError(cause)))
      return true
    },
    async close(graceMs = 10_000) {
      closing = true
      await Promise.all([...connections].map(connection => connection.drain(graceMs)))
    },
  }
}

/** A handshake that is refused is answered as REST would be. */
function refuse(stream: Duplex, error: AnalyticsError): void {
  const { headers, body } = respondError(error, { connection: 'close' })
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  // Half open it would stay for as long as the client likes: nobody reads it, and no time of the HTTP server counts here.
  stream.once('finish', () => stream.destroy())
  stream.end(`HTTP/1.1 ${error.status} ${error.class}\r\n${fields.join('\r\n')}\r\n\r\n${Buffer.concat(body)}`)
}

/** One socket: its calls in flight, its heartbeat, and the brakes in both directions. */
class Connection {
  readonly #api: AnalyticsApi
  readonly #socket: Socket
  readonly #authorization: string | null
  readonly #settings: Required<SocketOptions>
  /** Calls in flight, each with what cancels it. */
  readonly #inFlight = new Map<Promise<void>, AbortController>()
  readonly #heartbeat: NodeJS.Timeout
  /** Ends the waits for answers to leave. */
  readonly #leaving = new Set<() => void>()
  #alive = true
  /** From `draining` on nothing more is read; once it is `over`, no call is taken and no answer waits for its peer. */
  #state: 'open' | 'draining' | 'over' = 'open'

  constructor(api: AnalyticsApi, socket: Socket, authorization: string | null, settings: Required<SocketOptions>) {
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
    const call = this.#api
      .receive(isBinary ? null : data.toString(), {
        authorization: this.#authorization,
        signal: left.signal,
        full,
      })
      .then(answer => this.#send(answer))
      .catch(() => this.#socket.terminate()) // a call without an answer would leave its caller waiting
      .finally(() => this.#inFlight.delete(call))
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
        if (this.#state === 'open' && this.#socket.bufferedAmount <= maxBufferedBytes) this.#socket.resume()
      })
      if (this.#state === 'over') left()
      if (this.#socket.bufferedAmount > maxBufferedBytes) this.#socket.pause()
    })
  }

  #beat(): void {
    // Once it drains, what the peer says is not read any more.
    if (!this.#alive && this.#state === 'open') this.#socket.terminate()
    else this.#socket.ping()
    this.#alive = false
  }
}
