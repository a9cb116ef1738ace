import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** How a store turns a request away for now; `broken` is a connection that it closes without an answer. */
export type Throttle = 'SlowDown' | 429 | 'broken'

const SLOW_DOWN = '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>'

/** A server of S3 on loopback that has its objects in memory, and throttles as many requests as a test says. */
export class ThrottlingStore {
  /** How each further request of these kinds is throttled, in this order. */
  throttled = new Map<string, Throttle[]>()
  /** The requests that came, each as its method, or LIST. */
  seen: string[] = []
  readonly #objects = new Map<string, Buffer>()
  readonly #server = createServer((request, response) => void this.#take(request, response))

  static async open(): Promise<ThrottlingStore> {
    const store = new ThrottlingStore()
    await once(store.#server.listen(0, '127.0.0.1'), 'listening')
    return store
  }

  /** The variables with which a process reaches it, whose client repeats nothing itself. */
  get environment() {
    return {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'throttled',
      AWS_SECRET_ACCESS_KEY: 'a secret of the store',
      AWS_MAX_ATTEMPTS: '1',
    }
  }

  /** Throttles the next requests of each kind. */
  throttle(...how: Throttle[]): void {
    this.throttled = new Map(['GET', 'HEAD', 'PUT', 'DELETE', 'LIST'].map(kind => [kind, [...how]]))
  }

  /** The keys of its objects that have this in them. */
  keys(part: string): string[] {
    return [...this.#objects.keys()].filter(key => key.includes(part))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    const kind = key === '' ? 'LIST' : (request.method ?? '')
    this.seen.push(kind)
    const throttled = this.throttled.get(kind)?.shift()
    if (throttled === 'broken') return void request.socket.destroy()
    if (throttled === 'SlowDown') return void response.writeHead(503).end(SLOW_DOWN)
    if (throttled) return void response.writeHead(throttled).end()
    if (kind === 'LIST') return void response.writeHead(200).end(this.#listed(searchParams.get('prefix') ?? ''))
    const found = this.#objects.get(key)
    if (kind === 'PUT') {
      if (request.headers['if-none-match'] === '*' && found) return void response.writeHead(412).end()
      this.#objects.set(key, unchunked(body, request))
      return void response.writeHead(200).end()
    }
    if (kind === 'DELETE') {
      this.#objects.delete(key)
      return void response.writeHead(204).end()
    }
    if (!found) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    response.writeHead(200, { 'Content-Length': found.byteLength, 'Last-Modified': new Date().toUTCString() })
    response.end(kind === 'HEAD' ? undefined : found)
  }

  #listed(prefix: string): string {
    const contents = [...this.#objects]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { byteLength }]) => {
        const size = `<Size>${byteLength}</Size><LastModified>${new Date().toISOString()}</LastModified>`
        return `<Contents><Key>${key}</Key>${size}</Contents>`
      })
    return `<ListBucketResult>${contents.join('')}</ListBucketResult>`
  }
}

/** A body without the sizes and checksums between which the client sends streams. */
function unchunked(body: Buffer, { headers }: IncomingMessage): Buffer {
  if (!/aws-chunked/.test(headers['content-encoding'] ?? '')) return body
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at)
    const bytes = Number.parseInt(body.subarray(at, end).toString(), 16)
    if (!(bytes > 0)) return Buffer.concat(parts)
    parts.push(body.subarray(end + 2, end + 2 + bytes))
    at = end + 2 + bytes + 2
  }
}
