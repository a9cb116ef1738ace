import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { listen } from './front.js'

/** An answer that a test prepares. */
export interface Scripted {
  status?: number
  headers?: Record<string, string>
  /** The body in the form of REST, as an object or as the string to send; `send` replaces it. */
  body?: unknown
  send?: (response: ServerResponse) => void
}

/** A failure in the form of REST. */
export function failing(errorClass: string, data?: object, headers?: Record<string, string>): Scripted {
  return { status: 418, headers: headers ?? {}, body: { code: 1, class: errorClass, message: `${errorClass}.`, data } }
}

/** A result in the form of REST. */
export const FINE: Scripted = { body: { result: { items: [] } } }

/** A service with all entry points that gives prepared answers in order. */
export class ScriptedService {
  url = ''
  readonly asked: { path: string; body: unknown; authorization: string | undefined }[] = []
  readonly #script: Scripted[] = []
  readonly #server = createServer((request, response) => this.#answer(request, response))
  readonly #sockets = new WebSocketServer({ noServer: true })

  async open(): Promise<void> {
    this.#server.on('upgrade', (request, stream, head) =>
      this.#sockets.handleUpgrade(request, stream, head, socket => this.#converse(socket, request)),
    )
    this.url = await listen(this.#server)
  }

  /** Number of open sockets. */
  get sockets(): number {
    return this.#sockets.clients.size
  }

  /** Replaces the prepared answers, and forgets the calls so far. */
  says(...script: Scripted[]): void {
    this.asked.length = 0
    this.#script.splice(0, Number.POSITIVE_INFINITY, ...script)
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #next(request: IncomingMessage, message: string): Scripted {
    const { authorization } = request.headers
    this.asked.push({ path: request.url ?? '', body: message && JSON.parse(message), authorization })
    return this.#script.shift() ?? { status: 500, body: 'The script has ended.' }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = await text(request)
    const { status = 200, headers = {}, body, send } = this.#next(request, message)
    if (send) return send(response)
    if (request.url?.endsWith('/json-rpc')) return void response.end(toRpc(message, body))
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  #converse(socket: WebSocket, request: IncomingMessage): void {
    socket.on('message', data => {
      const { body, headers } = this.#next(request, String(data))
      if (headers?.close) socket.close(Number(headers.close), 'gone')
      else if (body !== undefined) socket.send(toRpc(String(data), body))
    })
  }
}

/** The same answer in the form of JSON-RPC. */
function toRpc(request: string, body: unknown): string {
  if (typeof body === 'string') return body
  const { class: errorClass, code, message, data, ...rest } = body as Record<string, unknown>
  const { id } = JSON.parse(request)
  const error = { code, message, data: { class: errorClass, ...(data ? { detail: data } : {}) } }
  return JSON.stringify({ jsonrpc: '2.0', id, ...(errorClass ? { error } : rest) })
}
