import type { JSONRPCClient, JSONRPCResponse } from 'json-rpc-2.0'
import { PATHS } from '../paths.js'
import { AnalyticsConnectionError } from './errors.js'
import { parseJson, readFailure, strange, type Target, textOf } from './transport.js'

/** As much of a WebSocket as is needed: that of the package `ws`, or of Node 22 and later. */
export interface ClientSocket {
  /** Sends a text. */
  send(text: string): void
  /** Says goodbye. */
  close(code?: number): void
  /** It can be sent to. */
  addEventListener(type: 'open', listener: () => void): void
  /** A text has come. */
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  /** It is closed, or was never open. */
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void
  /** It broke; it is closed next. */
  addEventListener(type: 'error', listener: (event: object) => void): void
}

/** Makes a socket that sends headers with its handshake. */
export type ClientSocketConstructor = new (url: string, options: { headers: Record<string, string> }) => ClientSocket

/** What `ws` tells of a handshake that was refused, beyond the events of a WebSocket. */
interface RefusalEmitter {
  on?(event: 'unexpected-response', listener: (request: unknown, response: Refusal) => void): void
}

interface Refusal extends AsyncIterable<Uint8Array> {
  statusCode: number
  headers: Record<string, string>
}

/** An open socket with the calls that wait on it; `lost` says why it no longer is open. */
export interface Connection {
  /** When something was heard on it last, by the clock of `performance`, ms. */
  heardAt: number
  rpc: JSONRPCClient
  socket: ClientSocket
  lost?: Error
}

/** Opens a socket; `onLost` is called when it is closed, or could not be opened. The signal ends it. */
export async function openConnection(
  { base, key }: Target,
  WebSocket: ClientSocketConstructor,
  onLost: () => void,
  signal: AbortSignal,
): Promise<Connection> {
  try {
    const { JSONRPCClient } = await import('json-rpc-2.0')
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
        socket.close() // nobody asks on it any more
      }
    })
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        lose('gave a call no answer in its time. Check the network, and call again.')
        reject(connection.lost)
        socket.close() // which a peer that is gone does not answer either
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
        socket.close() // which ends in the error that rejects
      })
    })
    return connection
  } catch (cause) {
    onLost()
    throw cause
  }
}

/** A handshake is refused as REST refuses a call. */
async function readRefusal(response: Refusal): Promise<Error> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response) text += decoder.decode(chunk, { stream: true })
  const { statusCode: status } = response
  const headers = new Headers(response.headers)
  return readFailure(parseJson(text), 'handshake', headers) ?? strange('the handshake', { status, headers })
}
