import { once } from 'node:events'
import {
  type Agent,
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { KEY } from './gateway.js'
import { signedWithout } from './signature.js'

/**
 * What becomes of a request: it passes; `hang`, never answered nor passed on; `lost`, passed on, but not answered;
 * `cut`, answered with half of the body; `stall`, the same, but the connection stays; `slow`, the body comes in pieces;
 * `unconditional`, passed on without its condition; `expired`, answered that the token has expired, and not passed on; or
 * one of those that are answered with a status of their own and not passed on. Session tokens are not passed on, since
 * the server knows none.
 */
export type Fate =
  | 'pass'
  | 'hang'
  | 'lost'
  | 'cut'
  | 'stall'
  | 'slow'
  | 'unconditional'
  | 'expired'
  | keyof typeof STATUS

const STATUS = { accept: 200, forbidden: 403, unimplemented: 501, unavailable: 503 }

/** A request as the proxy sees it; `key` is the object's, without the bucket, and empty for a list. */
export interface Seen {
  method: string
  key: string
  query: string
  /** Session token of the credentials. */
  token: string | undefined
  /** Whether it writes only what is not there. */
  isConditional: boolean
}

const EXPIRED =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>ExpiredToken</Code>' +
  '<Message>The provided token has expired.</Message><Token-0>TOKEN</Token-0></Error>'
const PIECE_MS = 5
const PIECES = 20

/** A proxy in front of a server of S3, which lets requests fail as `fate` says. */
export class FaultyStore {
  fate: (request: Seen) => Fate = () => 'pass'
  seen: Seen[] = []
  readonly #agent: Agent = new HttpAgent({ keepAlive: true })
  readonly #target: URL
  readonly #server = createServer((from, to) => this.#take(from, to))

  private constructor(target: string) {
    this.#target = new URL(target)
  }

  static async before(target: string): Promise<FaultyStore> {
    const proxy = new FaultyStore(target)
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Lets every request pass again, and ends those that hang. */
  heal(): void {
    this.fate = () => 'pass'
    this.seen = []
    this.#server.closeAllConnections()
  }

  /** Keys that were read since the proxy was healed last. */
  readKeys(): string[] {
    return this.seen.filter(({ method, key }) => method === 'GET' && key !== '').map(({ key }) => key)
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #take(from: IncomingMessage, to: ServerResponse): void {
    const { pathname, search } = new URL(from.url ?? '', this.url)
    const seen = {
      method: from.method ?? '',
      key: pathname.split('/').slice(2).join('/'),
      query: search,
      token: from.headers['x-amz-security-token']?.toString(),
      isConditional: from.headers['if-none-match'] === '*',
    }
    this.seen.push(seen)
    const fate = this.fate(seen)
    to.on('error', () => {})
    from.on('error', () => {})
    if (fate === 'hang') return void from.resume()
    if (fate in STATUS) {
      from.resume().on('end', () => to.writeHead(STATUS[fate as keyof typeof STATUS]).end())
      return
    }
    if (fate === 'expired') {
      const told = EXPIRED.replace('TOKEN', seen.token ?? '')
      from.resume().on('end', () => to.writeHead(400, { 'Content-Type': 'application/xml' }).end(told))
      return
    }
    const { hostname, port } = this.#target
    const dropped = [
      ...(seen.token === undefined ? [] : ['x-amz-security-token']),
      ...(fate === 'unconditional' ? ['if-none-match'] : []),
    ]
    const passed = request({
      hostname,
      port,
      method: from.method,
      path: from.url,
      headers: dropped.length > 0 ? signedWithout(dropped, from, KEY.secretAccessKey) : from.headers,
      agent: this.#agent,
    })
    passed.on('error', () => to.destroy())
    passed.on('response', answer => this.#answer(answer, to, fate))
    from.pipe(passed)
  }

  #answer(answer: IncomingMessage, to: ServerResponse, fate: Fate): void {
    answer.on('error', () => to.destroy())
    if (fate === 'lost') {
      answer.resume().on('end', () => to.destroy())
      return
    }
    to.writeHead(answer.statusCode ?? 502, answer.headers)
    to.on('close', () => answer.destroy())
    if (fate === 'pass' || fate === 'unconditional') return void answer.pipe(to)
    const chunks: Buffer[] = []
    answer.on('data', chunk => chunks.push(chunk))
    answer.on('end', () => {
      const body = Buffer.concat(chunks)
      if (fate === 'slow') return void trickle(body, to)
      to.write(body.subarray(0, body.length / 2), () => {
        if (fate === 'cut') to.destroy()
      })
    })
  }
}

async function trickle(body: Buffer, to: ServerResponse): Promise<void> {
  const bytes = Math.ceil(body.length / PIECES)
  for (let at = 0; at < body.length && !to.destroyed; at += bytes) {
    to.write(body.subarray(at, at + bytes))
    await new Promise(resolve => setTimeout(resolve, PIECE_MS))
  }
  to.end()
}
