/**
 * Mounts the API on a WebSocket server of the package `ws`.
 *
 * @module foldgate/ws
 */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AdapterApi, AnalyticsApi } from '../api.js'
import { KEY_SUBPROTOCOL, SUBPROTOCOL } from '../call/paths-and-headers.js'
import { AnalyticsError } from '../errors.js'
import { respondError } from '../http/respond.js'
import { checkOptions } from '../values/known-options.js'
import { type Socket, SocketConnection } from './ws-connection.js'

/** The members used of a `WebSocketServer` created with `noServer: true`. */
interface SocketServer {
  /** `serveWebSocket` sets `maxPayload` to the limit `bodyBytes`, and chooses the subprotocol on the API's path. */
  options: {
    maxPayload?: number | undefined
    handleProtocols?: ((offered: Set<string>, request: IncomingMessage) => string | false) | null | undefined
  }
  /** Completes a handshake and passes the socket to `done`. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, done: (socket: Socket) => void): void
}

/** Options of {@link serveWebSocket}. */
interface SocketOptions {
  /** Most calls in flight per socket; further calls are answered UNAVAILABLE. Default: 16. */
  maxInFlight?: number
  /** Most open sockets per owner of keys; further handshakes are refused with UNAVAILABLE. Default: 64. */
  maxSocketsPerOwner?: number
  /**
   * Interval of pings, milliseconds. A peer that has not answered by the next one is disconnected. Default:
   * 30 000.
   */
  pingEveryMs?: number
  /** Unsent bytes above which nothing more is read from the peer. Default: 1 MiB. */
  maxBufferedBytes?: number
}

/** The WebSocket entry point of an API. */
export interface SocketHandler {
  /**
   * Takes over an upgrade to the API's WebSocket path. Returns false for any other path, which the host
   * handles.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /**
   * Refuses new sockets and calls, cancels calls after `graceMs` (default: 10 000), and closes all sockets
   * (1001). Never rejects.
   */
  close(graceMs?: number): Promise<void>
}

const DEFAULTS = {
  maxInFlight: 16,
  maxSocketsPerOwner: 64,
  pingEveryMs: 30_000,
  maxBufferedBytes: 1024 * 1024,
}

/**
 * Serves the API over WebSockets, through a `ws` server that the host created with `noServer: true`. The host can use
 * that server for its own paths, too. The handshake needs a key, in its `Authorization` header or, from browsers, as the
 * subprotocol `bearer.<key>` beside `foldgate.v1`; a refused one is answered like a refused REST call.
 *
 * @param api - The API, whose `baseUrl` has the path below which `/public/v1/ws` is reached.
 * @param server - A `WebSocketServer` of `ws` with `noServer: true`. Its `maxPayload` is set to the limit `bodyBytes`. On
 * the API's path, `foldgate.v1` is accepted when it is offered; `handleProtocols` of the host is asked otherwise.
 * @param options - Bounds of sockets, and the interval of pings in milliseconds.
 * @returns What takes over upgrades, and closes the sockets at the end.
 * @throws TypeError when an option does not exist.
 *
 * @example
 * ```ts
 * const analytics = serveWebSocket(api, new WebSocketServer({ noServer: true }))
 * server.on('upgrade', (request, socket, head) => {
 *   if (!analytics.upgrade(request, socket, head)) socket.destroy()
 * })
 * ```
 */
export function serveWebSocket(
  api: AnalyticsApi,
  server: SocketServer,
  options: SocketOptions = {},
): SocketHandler {
  checkOptions('serveWebSocket', options, DEFAULTS)
  const settings = { ...DEFAULTS, ...options }
  server.options.maxPayload = api.limits.bodyBytes // a larger message closes its socket with 1009
  const isOwn = ({ url = '' }: IncomingMessage) => url.split('?')[0] === api.adapter.socketPath
  const chooseOther = server.options.handleProtocols ?? (offered => [...offered][0] ?? false)
  server.options.handleProtocols = (offered, request) =>
    isOwn(request) && offered.has(SUBPROTOCOL) ? SUBPROTOCOL : chooseOther(offered, request)
  const connections = new Set<SocketConnection>()
  let closing = false

  /** Open sockets per owner. */
  const owners = new Map<string, number>()
  const count = (ownerId: string, more: 1 | -1) => {
    const left = (owners.get(ownerId) ?? 0) + more
    if (left > 0) owners.set(ownerId, left)
    else owners.delete(ownerId)
  }

  const accept = async (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const authorization = authorizationOf(request)
    const { ownerId } = await api.adapter.authenticate({ authorization })
    if (closing) throw new AnalyticsError('UNAVAILABLE', 'The service is shutting down. Try again later.')
    if ((owners.get(ownerId) ?? 0) >= settings.maxSocketsPerOwner)
      throw new AnalyticsError(
        'UNAVAILABLE',
        'Your keys have reached the maximum of open sockets. Close one first.',
      )
    // Counted until the stream closes, even if the handshake fails. A stream that is closed already emits no
    // 'close'.
    count(ownerId, 1)
    if (stream.destroyed) count(ownerId, -1)
    else stream.once('close', () => count(ownerId, -1))
    server.handleUpgrade(request, stream, head, socket => {
      const connection = new SocketConnection(api.adapter, socket, authorization, settings)
      connections.add(connection)
      socket.on('close', () => connections.delete(connection))
      cutWhenStalled(stream as TimedStream, socket, api.limits.stallTimeoutMs)
    })
  }

  return {
    upgrade(request, stream, head) {
      if (!isOwn(request)) return false
      stream.on('error', () => stream.destroy())
      accept(request, stream, head).catch(cause => refuse(stream, api.adapter, cause))
      return true
    },
    async close(graceMs = 10_000) {
      closing = true
      await Promise.all([...connections].map(connection => connection.drain(graceMs)))
    },
  }
}

/** A subprotocol with a key: it is a token of HTTP (RFC 9110, 5.6.2). */
const KEY_AS_SUBPROTOCOL = /^bearer\.([\w!#$%&'*+.^`|~-]+)$/

/**
 * The key of a handshake, as the value of an `Authorization` header. Browsers cannot set that header, and send the key as
 * a subprotocol. It must come beside another one, which is accepted: the answer repeats the accepted one, and must not
 * repeat the key. Throws UNAUTHENTICATED when the key cannot be read, or more than one is there.
 */
function authorizationOf({ headers }: IncomingMessage): string | null {
  const { authorization = null } = headers
  const offered = (headers['sec-websocket-protocol'] ?? '').split(/[ \t]*,[ \t]*/)
  const keys = offered.filter(each => each.toLowerCase().startsWith(KEY_SUBPROTOCOL))
  if (keys.length === 0) return authorization
  const key = KEY_AS_SUBPROTOCOL.exec(keys[0] as string)?.[1]
  if (key === undefined || !offered.includes(SUBPROTOCOL))
    throw new AnalyticsError(
      'UNAUTHENTICATED',
      `The API key cannot be read. Send the subprotocols "${SUBPROTOCOL}" and "${KEY_SUBPROTOCOL}<key>".`,
    )
  const sent = `Bearer ${key}`
  if (keys.length > 1 || (authorization ?? sent).replace(/^Bearer +/i, 'Bearer ') !== sent)
    throw new AnalyticsError(
      'UNAUTHENTICATED',
      'The handshake carries more than one API key. Send one, as a header or as a subprotocol.',
    )
  return sent
}

/** A `net.Socket`: its timeout restarts with every byte received or sent. */
type TimedStream = Duplex & { setTimeout?(ms: number, listener: () => void): unknown }

/** Terminates a socket whose peer does not read its unsent bytes. */
function cutWhenStalled(stream: TimedStream, socket: Socket, stallTimeoutMs: number): void {
  stream.setTimeout?.(stallTimeoutMs, () => {
    if (socket.bufferedAmount > 0) socket.terminate()
  })
}

/** Answers a refused handshake as REST would. */
function refuse(stream: Duplex, { toError, challenge }: AdapterApi, cause: unknown): void {
  const error = toError(cause)
  const asked = error.class === 'UNAUTHENTICATED' ? { 'www-authenticate': challenge } : {}
  const { headers, body } = respondError(error, { ...asked, connection: 'close' })
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  // Timeouts of the HTTP server no longer apply: without this, the client could keep the connection half open
  // forever.
  stream.once('finish', () => stream.destroy())
  stream.end(
    `HTTP/1.1 ${error.status} ${error.class}\r\n${fields.join('\r\n')}\r\n\r\n${Buffer.concat(body)}`,
  )
}
