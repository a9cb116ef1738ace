import { once } from 'node:events'
import { AnalyticsError, type MethodName } from 'foldgate'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { connectAgent } from '../check/mcp/agent.js'
import type { Service } from './service.js'

/** How a call ended, whatever its entry point. */
export interface Ended {
  /** `OK`, or the class of the failure. */
  outcome: string
  message: string
  data: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of results of every kind
  result: any
}

/** Calls a method with a key. */
export type Enter = (method: string, params: unknown, key: string) => Promise<Ended>

/** Every entry point of a service that has the option `mcp`, by its name. */
export interface Entries {
  enter: Record<'REST' | 'JSON-RPC' | 'WebSocket' | 'MCP' | 'in process', Enter>
  close(): Promise<void>
}

/** Whether calls that may come at any entry point come at all of them, not only at REST and one of the others in turn. */
export const AT_EVERY_ENTRY = process.env.FOLDGATE_TEST_ENTRIES === 'all'

/** Opens all entry points of a service on its server. */
export function openEntries(service: Service): Entries {
  const sockets = serveWebSocket(service.api, new WebSocketServer({ noServer: true }))
  service.server.on('upgrade', (request, socket, head) => void sockets.upgrade(request, socket, head))
  const message = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return {
    enter: {
      async REST(method, params, key) {
        const { status, body } = await service.call(method, params, key)
        return status === 200 ? succeeded(body.result) : failed(body)
      },
      async 'JSON-RPC'(method, params, key) {
        const init = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: message(method, params) }
        return readRpc(await (await fetch(`${service.url}/public/v1/json-rpc`, init)).json())
      },
      async WebSocket(method, params, key) {
        const url = `${service.url.replace('http', 'ws')}/public/v1/ws`
        const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } })
        await once(socket, 'open')
        socket.send(message(method, params))
        const [data] = await once(socket, 'message')
        socket.close()
        return readRpc(JSON.parse(String(data)))
      },
      async MCP(method, params, key) {
        const agent = await connectAgent(service, key)
        try {
          // The tool describes relations by a list.
          if (Object.hasOwn(params as object, 'relation')) throw new Error('The tool has no such param.')
          const { isError, texts } = await agent.call(method.replace('/', '_'), params as Record<string, unknown>)
          return isError ? failed(texts[0]) : succeeded(texts[0].result)
        } catch (cause) {
          return { ...succeeded(null), outcome: 'NO_TOOL', message: String(cause) }
        } finally {
          await agent.close()
        }
      },
      async 'in process'(method, params, key) {
        try {
          const options = { authorization: `Bearer ${key}` }
          return succeeded((await service.api.call(method as MethodName, params as never, options)).result)
        } catch (cause) {
          if (!(cause instanceof AnalyticsError)) throw cause
          return failed(cause)
        }
      },
    },
    close: () => sockets.close(0),
  }
}

interface Failed {
  class?: string
  message?: string
  data?: Readonly<Record<string, unknown>> | undefined
}

function succeeded(result: unknown): Ended {
  return { outcome: 'OK', message: '', data: {}, result }
}

function failed({ class: outcome = '', message = '', data = {} }: Failed): Ended {
  return { outcome, message, data, result: null }
}

function readRpc(answer: unknown): Ended {
  const { result, error } = answer as {
    result?: unknown
    error?: { message: string; data: { class: string; detail?: Record<string, unknown> } }
  }
  if (!error) return succeeded(result)
  return failed({ class: error.data.class, message: error.message, data: error.data.detail })
}
