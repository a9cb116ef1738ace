import { once } from 'node:events'
import { WebSocket } from 'ws'
import { readStatements } from '../../test/sql/statements.js'
import type { DemoServer } from './server.js'

/** One call: its kind, its answer, and whether that answer is acceptable. */
export interface Seen {
  kind: string
  answer: string
  expected: boolean
  ms: number
}

const RIGHT = ['OK']
/** While bombs use all connections, other calls may have to be retried. */
const RETRIABLE = ['OK', 'UNAVAILABLE']
const ENDLESS = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'
const LEAVES_AFTER_MS = 30
const COUNT = 'SELECT count(*) AS n FROM risk_rows'
const SORTED = 'SELECT risk_code, site_key, score FROM risk_rows ORDER BY site_key, risk_code, sector_code, score'

type Outcome = { answer: string; items?: unknown[]; cursor?: string; link?: string }

/** Makes all kinds of calls, in a random order that its seed determines. */
export class Caller {
  readonly seen: Seen[] = []
  readonly #server: DemoServer
  readonly #bombs = readStatements('refused').filter(({ id }) =>
    /^(burning|flooding|planner|patterns)\/(?!export-)/.test(id),
  )
  #random: number
  #socket: WebSocket
  #projectId = ''
  #count: unknown
  #asked = 0

  private constructor(server: DemoServer, seed: number) {
    this.#server = server
    this.#random = seed * 7919
    this.#socket = this.#connect()
  }

  static async open(server: DemoServer, seed: number): Promise<Caller> {
    const caller = new Caller(server, seed)
    await once(caller.#socket, 'open')
    const { items = [] } = await caller.#rest('list', {})
    const computed = (items as { projectId: string; state: string }[]).filter(({ state }) => state === 'computed')
    caller.#projectId = computed[seed % computed.length]?.projectId ?? ''
    caller.#count = (await caller.#rest('query', caller.#query(COUNT))).items
    return caller
  }

  async callUntil(end: number): Promise<void> {
    const ways = [
      ...Array.from({ length: 6 }, () => ['rest query', RETRIABLE, () => this.#rest('query', this.#fresh())] as const),
      ...Array.from({ length: 4 }, () => ['socket query', RETRIABLE, () => this.#overSocket(this.#fresh())] as const),
      ...Array.from({ length: 4 }, () => ['json-rpc query', RETRIABLE, () => this.#overRpc(this.#fresh())] as const),
      ['rest list', RIGHT, () => this.#rest('list', {})],
      ['rest describe', RETRIABLE, () => this.#rest('describe', { projectId: this.#projectId })],
      ['pages', RETRIABLE, () => this.#pages()],
      ['export', RETRIABLE, () => this.#export()],
      ['hang-up over rest', ['left', 'UNAVAILABLE'], () => this.#hangUp()],
      ['hang-up over a socket', ['left'], () => this.#closeSocket()],
      ['wrong sql', ['INVALID_QUERY'], () => this.#rest('query', this.#query('SELECT nothing FROM nowhere'))],
      ['wrong json', ['PARSE_ERROR'], () => this.#rest('query', '{"projectId":')],
    ] as const
    while (performance.now() < end) {
      if (this.#next(20) === 0) await this.#bomb()
      else {
        const [kind, may, call] = ways[this.#next(ways.length)] as (typeof ways)[number]
        await this.#note(kind, may, call)
      }
    }
  }

  /** Whether a last call, after all others, is answered correctly. */
  async isSound(): Promise<boolean> {
    const { items } = await this.#rest('query', this.#query(COUNT))
    return JSON.stringify(items) === JSON.stringify(this.#count)
  }

  close(): void {
    this.#socket.terminate()
  }

  #bomb(): Promise<void> {
    const bomb = this.#bombs[this.#next(this.#bombs.length)]
    if (!bomb) return Promise.resolve()
    const may = [...bomb.expect, 'UNAVAILABLE', 'INVALID_QUERY']
    return this.#note(`bomb ${bomb.id}`, may, () => this.#rest('query', this.#query(bomb.sql)))
  }

  async #note(kind: string, may: readonly string[], call: () => Promise<Outcome>): Promise<void> {
    const startedAt = performance.now()
    const { answer } = await call().catch(cause => ({ answer: `failed: ${String(cause.cause ?? cause)}` }))
    this.seen.push({ kind, answer, expected: may.includes(answer), ms: performance.now() - startedAt })
  }

  async #rest(method: string, params: unknown, signal?: AbortSignal): Promise<Outcome> {
    const response = await fetch(`${this.#server.url}/public/v1/api/projects/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#server.key}` },
      body: typeof params === 'string' ? params : JSON.stringify(params),
      ...(signal ? { signal } : {}),
    })
    return read((await response.json()) as Body)
  }

  async #overRpc(params: object): Promise<Outcome> {
    const response = await fetch(`${this.#server.url}/public/v1/json-rpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#server.key}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/query', params }),
    })
    return readRpc((await response.json()) as RpcBody)
  }

  async #overSocket(params: object): Promise<Outcome> {
    const id = ++this.#asked
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'projects/query', params }))
    const [message] = await once(this.#socket, 'message')
    const answer = JSON.parse(String(message)) as RpcBody
    return answer.id === id ? readRpc(answer) : { answer: 'an answer of another call' }
  }

  async #pages(): Promise<Outcome> {
    let page: Outcome = { answer: 'OK' }
    for (let count = 0; count < 4 && page.answer === 'OK' && (count === 0 || page.cursor); count++)
      page = await this.#rest('query', { ...this.#query(SORTED), page: { limit: 100, cursor: page.cursor ?? null } })
    return page
  }

  async #export(): Promise<Outcome> {
    const made = await this.#rest('export', this.#fresh())
    if (!made.link) return made
    const file = await fetch(made.link, { headers: { authorization: `Bearer ${this.#server.key}` } })
    const bytes = Buffer.from(await file.arrayBuffer())
    return { answer: bytes.subarray(-4).toString() === 'PAR1' ? 'OK' : `a file of ${bytes.length} bytes` }
  }

  async #hangUp(): Promise<Outcome> {
    const leave = AbortSignal.timeout(LEAVES_AFTER_MS)
    return this.#rest('query', this.#query(ENDLESS), leave).catch(() => ({ answer: 'left' }))
  }

  async #closeSocket(): Promise<Outcome> {
    const params = this.#query(ENDLESS)
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'left', method: 'projects/query', params }))
    this.#socket.terminate()
    this.#socket = this.#connect()
    await once(this.#socket, 'open')
    return { answer: 'left' }
  }

  #connect(): WebSocket {
    const socket = new WebSocket(`${this.#server.url.replace('http', 'ws')}/public/v1/ws`, {
      headers: { authorization: `Bearer ${this.#server.key}` },
    })
    return socket.on('error', () => {})
  }

  #query(sql: string): { projectId: string; sql: string } {
    return { projectId: this.#projectId, sql }
  }

  /** A statement, sometimes one that was sent before. */
  #fresh(): { projectId: string; sql: string } {
    return this.#query(`SELECT sector_code, sum(score) AS s, ${this.#next(500)} AS n FROM risk_rows GROUP BY ALL`)
  }

  #next(below: number): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647
    return this.#random % below
  }
}

interface Body {
  result?: { items?: unknown[]; nextCursor?: string; url?: string }
  class?: string
}
interface RpcBody {
  id: unknown
  result?: Body['result']
  error?: { data?: { class?: string } }
}

function read({ result, class: failure }: Body): Outcome {
  const { items, nextCursor: cursor, url: link } = result ?? {}
  return {
    answer: failure ?? 'OK',
    ...(items ? { items } : {}),
    ...(cursor ? { cursor } : {}),
    ...(link ? { link } : {}),
  }
}

function readRpc({ result, error }: RpcBody): Outcome {
  return read({ ...(result ? { result } : {}), ...(error ? { class: error.data?.class ?? 'none' } : {}) })
}
