import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnalyticsApi } from '../api.js'
import { AnalyticsError } from '../errors.js'
import { respondError } from '../http/respond.js'
import { Connection, type Socket } from './ws-connection.js'

export type { Socket } from './ws-connection.js'

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
  /** Sockets that one owner of keys may have open; one more is refused with UNAVAILABLE. Default 64. */
  maxSocketsPerOwner?: number
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

const DEFAULTS = { maxInFlight: 16, maxSocketsPerOwner: 64, pingEveryMs: 30_000, maxBufferedBytes: 1024 * 1024 }

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

  /** How many sockets each owner has. */
  const owners = new Map<string, number>()
  const count = (ownerId: string, more: 1 | -1) => {
    const left = (owners.get(ownerId) ?? 0) + more
    if (left > 0) owners.set(ownerId, left)
    else owners.delete(ownerId)
  }

  const accept = async (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const authorization = request.headers.authorization ?? null
    const { ownerId } = await api.adapter.authenticate({ authorization })
    if (closing) throw new AnalyticsError('UNAVAILABLE', 'The service is shutting down. Try again later.')
    if ((owners.get(ownerId) ?? 0) >= settings.maxSocketsPerOwner)
      throw new AnalyticsError('UNAVAILABLE', 'Your keys have all the sockets open that they may. Close one first.')
    // Counted until its stream ends, also where the handshake fails: what is closed already ends at once.
    count(ownerId, 1)
    if (stream.destroyed) count(ownerId, -1)
    else stream.once('close', () => count(ownerId, -1))
    server.handleUpgrade(request, stream, head, socket => {
      const connection = new Connection(api.adapter, socket, authorization, settings)
      connections.add(connection)
      socket.on('close', () => connections.delete(connection))
      cutWhenStalled(stream as TimedStream, socket, api.limits.stallTimeoutMs)
    })
  }

  return {
    upgrade(request, stream, head) {
      if ((request.url ?? '').split('?')[0] !== api.adapter.socketPath) return false
      stream.on('error', () => stream.destroy())
      accept(request, stream, head).catch(cause => refuse(stream, api.adapter.toError(cause)))
      return true
    },
    async close(graceMs = 10_000) {
      closing = true
      await Promise.all([...connections].map(connection => connection.drain(graceMs)))
    },
  }
}

/** A stream of node:net, whose time starts anew with every byte that comes or leaves. */
type TimedStream = Duplex & { setTimeout?(ms: number, listener: () => void): unknown }

/** Ends a socket whose peer takes nothing of what waits for it. */
function cutWhenStalled(stream: TimedStream, socket: Socket, stallTimeoutMs: number): void {
  stream.setTimeout?.(stallTimeoutMs, () => {
    if (socket.bufferedAmount > 0) socket.terminate()
  })
}

/** A handshake that is refused is answered as REST would be. */
function refuse(stream: Duplex, error: AnalyticsError): void {
  const { headers, body } = respondError(error, { connection: 'close' })
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  // Half open it would stay for as long as the client likes: nobody reads it, and no time of the HTTP server counts here.
  stream.once('finish', () => stream.destroy())
  stream.end(`HTTP/1.1 ${error.status} ${error.class}\r\n${fields.join('\r\n')}\r\n\r\n${Buffer.concat(body)}`)
}
