import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DemoServer } from '../soak/server.js'
import { TSX } from './loads.js'

/** A statement, in which `#` is replaced by a number per request; with parameters, the number is the value of `$a`. */
export interface Asked {
  sql: string
  parameters?: { a: '#' }
}

/** A server with the rows of `risk_rows`. */
export interface Peer {
  name: string
  port: number
  pid: number
  /** The header of that name; by default, one that means nothing. */
  authorization?: string
  /** The request for a statement. A null body means GET. */
  request(asked: Asked): { path: string; body: string | null }
  /** The rows in an answer. */
  rows(answer: unknown): Record<string, unknown>[]
  stop(): void
}

const items = (answer: unknown) => (answer as { result: { items: Record<string, unknown>[] } }).result.items
const json = (value: object) => JSON.stringify(value).replace('"#"', '#')

/** The reference server; whoever started it stops it. */
export function ownServer({ url, key, pid, projectId }: DemoServer): Peer {
  return {
    name: 'Foldgate',
    port: Number(new URL(url).port),
    pid,
    authorization: `Bearer ${key}`,
    request: asked => ({
      path: '/public/v1/api/projects/query',
      body: json({ projectId, ...asked, page: { limit: 500 } }),
    }),
    rows: items,
    stop: () => {},
  }
}

/** Starts `node:http` with DuckDB in its process, on the relations in a project's cache folder. */
export async function bareServer(cache: string): Promise<Peer> {
  const bare = fork(fileURLToPath(new URL('./bare.ts', import.meta.url)), [cache], TSX)
  const [port] = (await once(bare, 'message')) as [number]
  return {
    name: 'bare',
    port,
    pid: bare.pid ?? 0,
    request: asked => ({ path: '/', body: json(asked) }),
    rows: items,
    stop: () => void bare.kill(),
  }
}

/** Throws unless all peers answer a statement with as many rows of the same columns; if it sorts, the same rows. */
export async function assertSameRows(peers: readonly Peer[], asked: Asked): Promise<void> {
  const isOrdered = !asked.sql.includes('LIMIT') || asked.sql.includes('ORDER BY')
  const answers = await Promise.all(peers.map(peer => answerOf(peer, asked)))
  const [first, ...others] = answers.map(rows =>
    JSON.stringify(rows.map(row => (isOrdered ? Object.entries(row).map(String) : Object.keys(row)))),
  )
  const odd = others.findIndex(rows => rows !== first)
  if (odd >= 0) throw new Error(`${peers[odd + 1]?.name} answers other rows to ${asked.sql}`)
}

/** The rows that a peer answers a statement with. */
export async function answerOf({ name, port, authorization = 'none', request, rows }: Peer, asked: Asked) {
  const { path, body } = request(asked)
  const own = (text: string) => text.replace('#', '17')
  const answer = await fetch(`http://127.0.0.1:${port}${own(path)}`, {
    headers: { authorization },
    ...(body === null ? {} : { method: 'POST', body: own(body) }),
  })
  if (!answer.ok) throw new Error(`${name} answers ${answer.status} to ${asked.sql}`)
  return rows(await answer.json())
}
