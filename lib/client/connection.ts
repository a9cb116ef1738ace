import type { JSONRPCClient, JSONRPCResponse } from 'json-rpc-2.0'
import { KEY_SUBPROTOCOL, PATHS, SUBPROTOCOL } from '../call/paths-and-headers.js'
import { AnalyticsConnectionError } from './errors.js'
import {
  type CallTarget,
  loadJsonRpc,
  parseJson,
  readFailure,
  readKey,
  strange,
  textOf,
} from './transport.js'

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
type HeadedSocketConstructor = new (url: string, options: { headers: Record<string, string> }) => ClientSocket

/** Constructor of a socket that takes only subprotocols, as that of browsers. */
type BareSocketConstructor = new (url: string, protocols: string[]) => ClientSocket

/** Constructor of a socket. */
export type ClientSocketConstructor = HeadedSocketConstructor | BareSocketConstructor

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
    const sent = await readKey(key, signal)
    signal.throwIfAborted()
    const url = base.replace(/^http/, 'ws') + PATHS.socket
    const socket = newSocket(WebSocket, url, sent)
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
        // Browsers do not tell pages why.
        const { error, message } = event as { error?: unknown; message?: string }
        const reason = error ?? message
        lose(
          `failed${reason ? `: ${textOf(reason)}` : ''}. Check the address, the key and the network.`,
          reason,
        )
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

/** What a subprotocol can carry: a token of HTTP (RFC 9110, 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Creates a socket that sends the key with its handshake. Browsers' takes no headers: by its rules (Web IDL), it reads
 * the options as a subprotocol that is none, which is a SyntaxError before anything is sent. It sends the key as a
 * subprotocol then.
 */
function newSocket(WebSocket: ClientSocketConstructor, url: string, key: string): ClientSocket {
  try {
    return new (WebSocket as HeadedSocketConstructor)(url, { headers: { authorization: `Bearer ${key}` } })
  } catch (error) {
    if ((error as Error).name !== 'SyntaxError') throw error
    if (!TOKEN.test(key))
      throw new TypeError(
        "key has signs that a browser's WebSocket cannot send (it can: letters, digits and !#$%&'*+-.^_`|~): use HTTP",
      )
    return new (WebSocket as BareSocketConstructor)(url, [SUBPROTOCOL, KEY_SUBPROTOCOL + key])
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
