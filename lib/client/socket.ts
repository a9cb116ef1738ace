import { Places } from '../flow/places.js'
import { type ClientSocketConstructor, type Connection, openConnection } from './connection.js'
import { AnalyticsClientError, AnalyticsConnectionError } from './errors.js'
import { aborted, type CallTarget, readRpc, type Transport } from './transport.js'

/** JSON-RPC 2.0 over a WebSocket. The first call opens it; if it has closed, the next call opens it again. */
export interface WebSocketTransport {
  /**
   * Constructor of the package `ws`, or the global one of browsers and of Node 22 and later. Browsers' sends the key as a
   * subprotocol, since it sets no headers: the key then has only characters of a token of HTTP, so no `/`, `=` or `:`.
   */
  WebSocket: ClientSocketConstructor
  /** Most calls in flight; further calls wait. Default: 16, which is also the default of the service. */
  maxInFlight?: number
}

/** A socket while it opens, once it is open, and the controller that ends it. */
interface OpeningSocket {
  opening: Promise<Connection>
  connection?: Connection
  over: AbortController
  /** Calls in flight. */
  calls: number
  /** The key of its handshake is no longer valid: the last call in flight closes it. */
  isOutdated?: boolean
}

/** A transport whose calls share a socket. */
export function overSocket(
  target: CallTarget,
  { WebSocket, maxInFlight = 16 }: WebSocketTransport,
): Transport {
  const places = new Places(maxInFlight)
  let current: OpeningSocket | undefined
  let calls = 0

  const connect = () => {
    const over = new AbortController()
    const leave = () => {
      if (current === mine) current = undefined
    }
    const mine: OpeningSocket = {
      opening: openConnection(target, WebSocket, leave, over.signal),
      over,
      calls: 0,
    }
    return mine
  }
  const send = async (line: OpeningSocket, method: string, params: unknown) => {
    const connection = await line.opening
    line.connection = connection
    const response = await connection.rpc.requestAdvanced({ jsonrpc: '2.0', id: ++calls, method, params })
    // Errors that the library makes up have no data; a failure of the service always does.
    if (connection.lost && response.error && response.error.data === undefined) throw connection.lost
    return readRpc(response, method)
  }
  /** Whether a call that did nothing may succeed over another socket, whose handshake sends a newer key. */
  const canRenew = (error: unknown) =>
    typeof target.key === 'function' &&
    error instanceof AnalyticsClientError &&
    error.class === 'UNAUTHENTICATED'
  const call = async (mine: OpeningSocket, method: string, params: unknown, signal: AbortSignal) => {
    const sentAt = performance.now()
    mine.calls++
    try {
      return await Promise.race([send(mine, method, params), aborted(signal)])
    } catch (error) {
      // A vanished peer never closes the socket: without this, each later call would time out on it, too.
      if (signal.reason instanceof AnalyticsConnectionError && heardAt(mine) < sentAt) mine.over.abort(error)
      if (canRenew(error)) {
        mine.isOutdated = true
        if (current === mine) current = undefined
      }
      throw error
    } finally {
      mine.calls--
      if (mine.isOutdated && mine.calls === 0) mine.connection?.socket.close(1000)
    }
  }
  return {
    async call(method, params, signal) {
      const leave = await places.take({ signal })
      current ??= connect()
      const mine = current
      const wasOpen = mine.connection !== undefined
      try {
        return await call(mine, method, params, signal)
      } catch (error) {
        if (!wasOpen || !canRenew(error)) throw error
        current ??= connect()
        return await call(current, method, params, signal)
      } finally {
        leave()
      }
    },
    close() {
      const closing = current
      current = undefined
      closing?.opening.then(
        ({ socket }) => socket.close(1000),
        () => {},
      )
    },
  }
}

function heardAt({ connection }: OpeningSocket): number {
  return connection?.heardAt ?? -Infinity
}
