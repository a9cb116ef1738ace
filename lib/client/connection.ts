import type { JSONRPCClient, JSONRPCResponse } from 'json-rpc-2.0'
import { PATHS } from '../call/paths-and-headers.js'
import { AnalyticsConnectionError } from './errors.js'
import { type CallTarget, loadJsonRpc, parseJson, readFailure, strange, textOf } from './transport.js'

/** The members used of a WebSocket, as the package `ws` and Node 22 and later provide it. */
export interface ClientSocket {
  /** Sends a text message. */
  send(text: string): void
  /** Starts the closing handshake. */
  close(code?: number): void
  /** The socket is open. */
  addEventListener(type: 'open', listener: () => void): void
  /** A message arrived. */
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  /** The socket closed, or failed to open. */
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void
  /** The socket failed; `close` follows. */
  addEventListener(type: 'error', listener: (event: object) => void): void
}

/** Constructor of a socket that sends `headers` with its handshake. */
export type ClientSocketConstructor = new (
  url: string,
  options: { headers: Record<string, string> },
) => ClientSocket

/** The event of `ws` for a refused handshake, which other WebSockets lack. */
interface RefusalEmitter {
  on?(event: 'unexpected-response', listener: (request: unknown, response: RefusedUpgrade) => void): void
}

interface RefusedUpgrade extends AsyncIterable<Uint8Array> {
  statusCode: number
  headers: Record<string, string>
}

/** A socket and its pending calls; `lost` says why it is no longer open. */
export interface Connection {
  /** Time of the last message, at first of the handshake, on the clock of `performance`, milliseconds. */
  heardAt: number
  rpc: JSONRPCClient
  socket: ClientSocket
  lost?: Error
}

/**
 * Opens a socket. Calls `onLost` when it closes or cannot be opened. The signal ends it, also once it is
 * open.
 */
export async function openConnection(
  { base, key }: CallTarget,
  WebSocket: ClientSocketConstructor,
  onLost: () => void,
  signal: AbortSignal,
): Promise<Connection> {
  try {
    const { JSONRPCClient } = await loadJsonRpc()
    signal.throwIfAborted()
    const url = base.replace(/^http/, 'ws') + PATHS.socket
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } })
    const rpc = new JSONRPCClient(request => socket.send(JSON.stringify(request)))
    const connection: Connection = { socket, rpc, heardAt: performance.now() }
    const lose = (message: string, cause?: unknown) => {
      connection.lost ??= new AnalyticsConnectionError(`The WebSocket ${url} ${message}`, { cause })
      onLost()
      connection.rpc.rejectAllPendingRequests(message)
    }
    socket.addEventListener('message', ({ data }) => {
      connection.heardAt = performance.now()
      const response = parseJson(String(data)) as JSONRPCResponse | null | undefined
      if (response?.id != null) connection.rpc.receive(response)
      else {
        lose('gave an answer to no call. Check the address, and any proxy in between.')
        socket.close() // no further call uses it
      }
    })
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        lose('gave a call no answer in its time. Check the network, and call again.')
        reject(connection.lost)
        socket.close() // a vanished peer does not answer this, so that no 'close' would follow
      })
      socket.addEventListener('open', resolve)
      socket.addEventListener('close', ({ code, reason }) => {
        lose(`was closed (${[code, reason].filter(Boolean).join(' ')}) before the answer came. Call again.`)
        reject(connection.lost)
      })
      socket.addEventListener('error', event => {
        const { error = event } = event as { error?: unknown }
        lose(`failed: ${textOf(error)}. Check the address, the key and the network.`, error)
        reject(connection.lost)
      })
      const emitter = socket as RefusalEmitter
      emitter.on?.('unexpected-response', async (_, response) => {
        connection.lost = await readRefusal(response).catch(() => strange('the handshake', {}))
        socket.close() // emits the 'error' that rejects
      })
    })
    return connection
  } catch (cause) {
    onLost()
    throw cause
  }
}

/** Reads the failure of a refused handshake, whose body is that of a REST failure. */
async function readRefusal(response: RefusedUpgrade): Promise<Error> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response) text += decoder.decode(chunk, { stream: true })
  const { statusCode: status } = response
  const headers = new Headers(response.headers)
  return readFailure(parseJson(text), 'handshake', headers) ?? strange('the handshake', { status, headers })
}
