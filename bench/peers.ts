import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './assessed.js'
import { childrenOf } from './bombs/watch.js'
import type { Load } from './peers/client.js'
import type { Figure } from './run.js'
import { startDemoServer } from './soak/server.js'

const FOR_MS = 4_000
const NINE = 'risk_code, site_key, sector_code, severity, exposure, score, entity_key, level, risk'
/** `#` is a number of its own in each request. */
const STATEMENTS = [
  ['SELECT 1', 'SELECT 1 AS one -- #'],
  ['500 rows × 8', `SELECT ${NINE.split(', ').slice(0, 8).join(', ')} FROM risk_rows LIMIT 500 -- #`],
  [
    '100 sorted rows of nine columns',
    `SELECT ${NINE} FROM risk_rows ORDER BY score DESC, site_key, risk_code LIMIT 100 -- #`,
  ],
  ['grouped over all', 'SELECT risk_code, count(*) AS n, avg(score) AS score FROM risk_rows GROUP BY ALL -- #'],
  ['the same text again', `SELECT ${NINE} FROM risk_rows ORDER BY score DESC, site_key, risk_code LIMIT 100`],
] as const

/** The reference server against `node:http` with DuckDB in its own process: the same data, the same statements, one run. */
export async function run(): Promise<Figure[]> {
  const server = await startDemoServer()
  const ask = (sql: string) => JSON.stringify({ projectId: server.projectId, sql, page: { limit: 500 } })
  const authorization = `Bearer ${server.key}`
  const path = '/public/v1/api/projects/query'
  const port = Number(new URL(server.url).port)
  const load = (given: Pick<Load, 'body' | 'clients'>) => under({ port, path, authorization, forMs: FOR_MS, ...given })
  await load({ body: ask('SELECT count(*) FROM risk_rows'), clients: 1 })
  const bare = fork(fileURLToPath(new URL('./peers/bare.ts', import.meta.url)), [server.cache], TSX)
  const [barePort] = (await once(bare, 'message')) as [number]
  const figures: Figure[] = []
  try {
    for (const [what, sql] of STATEMENTS) {
      for (const clients of [1, 8]) {
        const pids = [server.pid, ...childrenOf(server.pid)]
        const before = pids.map(cpuMs)
        const ours = await load({ body: ask(sql), clients })
        const spent = pids.map((pid, at) => cpuMs(pid) - (before[at] ?? 0))
        const all = spent.reduce((sum, ms) => sum + ms, 0)
        const theirs = await under({ port: barePort, path: '/', authorization, body: ask(sql), clients, forMs: FOR_MS })
        figures.push({
          what: `${what}, ${clients} client${clients > 1 ? 's' : ''}`,
          measured: `${rate(ours)}/s, p50 ${median(ours).toFixed(2)} ms, ${(all / (ours.length * 1.2)).toFixed(2)} ms of processor a call, ${((100 * (spent[0] ?? 0)) / all).toFixed(0)} % in the server's process`,
          baseline: `${rate(theirs)}/s (we do ${((100 * ours.length) / theirs.length).toFixed(0)} %), p50 ${median(theirs).toFixed(2)} ms`,
          bar: '',
        })
      }
    }
  } finally {
    bare.kill()
    await server.stop()
  }
  return figures
}

const TSX = { execArgv: ['--import', 'tsx'] }

function rate(times: readonly number[]): string {
  return (times.length / (FOR_MS / 1000)).toFixed(0)
}

/** A load from a process of its own. */
async function under(load: Load): Promise<number[]> {
  const client: ChildProcess = fork(fileURLToPath(new URL('./peers/client.ts', import.meta.url)), [], {
    ...TSX,
    serialization: 'advanced',
  })
  await once(client, 'message')
  const failed = once(client, 'exit').then(([code]) => {
    throw new Error(`the client ended with ${code}`)
  })
  failed.catch(() => {})
  client.send(load)
  const [times] = (await Promise.race([once(client, 'message'), failed])) as [number[]]
  client.kill()
  return times
}

/** Processor time that a process has taken, in ticks of 10 ms. */
function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(join('/proc', String(pid), 'stat'), 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0 // it has ended
  }
}
