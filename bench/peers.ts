import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './assessed.js'
import { childrenOf } from './bombs/watch.js'
import type { Load } from './peers/client.js'
import { type Peer, pythonPeers } from './peers/python.js'
import type { Figure } from './run.js'
import { type DemoServer, startDemoServer } from './soak/server.js'

const FOR_MS = 4_000
const NINE = 'risk_code, site_key, sector_code, severity, exposure, score, entity_key, level, risk'
/** `#` is replaced by a different number in each request. */
const STATEMENTS = [
  ['SELECT 1', 'SELECT 1 AS one -- #'],
  ['500 rows × 8', `SELECT ${NINE.split(', ').slice(0, 8).join(', ')} FROM risk_rows LIMIT 500 -- #`],
  [
    '100 sorted rows of nine columns',
    `SELECT ${NINE} FROM risk_rows ORDER BY score DESC, site_key, risk_code LIMIT 100 -- #`,
  ],
  ['grouped over all', 'SELECT risk_code, count(*) AS n, avg(score) AS score FROM risk_rows GROUP BY risk_code -- #'],
  ['the same text again', `SELECT ${NINE} FROM risk_rows ORDER BY score DESC, site_key, risk_code LIMIT 100`],
] as const

/** Compares the reference server with others that answer SQL over HTTP: same rows, same statements, one run. */
export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const server = await startDemoServer()
  const ours = ownServer(server)
  await under(ours, 'SELECT count(*) FROM risk_rows', 1)
  const peers: Peer[] = []
  let missing = ''
  try {
    peers.push(await bareServer(server.cache))
    peers.push(
      ...(await pythonPeers(folder, server.cache).catch(cause => {
        missing = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)
        return []
      })),
    )
    const figures: Figure[] = []
    for (const [what, sql] of STATEMENTS)
      for (const clients of [1, 8]) figures.push(await measure(server, ours, peers, { what, sql, clients }))
    if (missing) figures.push({ what: 'ROAPI, Datasette', measured: 'not taken', baseline: missing, bar: '' })
    return figures
  } finally {
    for (const peer of peers) peer.stop()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  server: DemoServer,
  ours: Peer,
  peers: readonly Peer[],
  { what, sql, clients }: { what: string; sql: string; clients: number },
): Promise<Figure> {
  const pids = [server.pid, ...childrenOf(server.pid)]
  const before = await Promise.all(pids.map(cpuMs))
  const times = await under(ours, sql, clients)
  const spent = (await Promise.all(pids.map(cpuMs))).map((ms, at) => ms - (before[at] ?? 0))
  const all = spent.reduce((sum, ms) => sum + ms, 0)
  const others: string[] = []
  for (const peer of peers) {
    const theirs = await under(peer, sql, clients)
    const part = ((100 * times.length) / theirs.length).toFixed(0)
    others.push(`${peer.name} ${rate(theirs)}/s (we do ${part} %), p50 ${median(theirs).toFixed(2)} ms`)
  }
  const cost = `${(all / (times.length * WITH_WARM_UP)).toFixed(2)} ms of processor a call, ${((100 * (spent[0] ?? 0)) / all).toFixed(0)} % in the server's process`
  return {
    what: `${what}, ${clients} client${clients > 1 ? 's' : ''}`,
    measured: `${rate(times)}/s, p50 ${median(times).toFixed(2)} ms, ${cost}`,
    baseline: others.join('; '),
    bar: '',
  }
}

/** Each load warms up for a fifth of the measured time. */
const WITH_WARM_UP = 1.2
const TSX = { execArgv: ['--import', 'tsx'] }

function ownServer({ url, key, projectId }: DemoServer): Peer & { authorization: string } {
  return {
    name: 'Foldgate',
    port: Number(new URL(url).port),
    authorization: `Bearer ${key}`,
    request: sql => ({
      path: '/public/v1/api/projects/query',
      body: JSON.stringify({ projectId, sql, page: { limit: 500 } }),
    }),
    stop: () => {},
  }
}

async function bareServer(cache: string): Promise<Peer> {
  const bare = fork(fileURLToPath(new URL('./peers/bare.ts', import.meta.url)), [cache], TSX)
  const [port] = (await once(bare, 'message')) as [number]
  const request = (sql: string) => ({ path: '/', body: JSON.stringify({ sql }) })
  return { name: 'bare', port, request, stop: () => void bare.kill() }
}

function rate(times: readonly number[]): string {
  return (times.length / (FOR_MS / 1000)).toFixed(0)
}

/** Runs a load in its own process; returns the milliseconds of each answer. */
async function under(peer: Peer & { authorization?: string }, sql: string, clients: number): Promise<number[]> {
  const { port, authorization = 'none' } = peer
  const load: Load = { port, authorization, ...peer.request(sql), clients, forMs: FOR_MS }
  const client: ChildProcess = fork(fileURLToPath(new URL('./peers/client.ts', import.meta.url)), [], {
    ...TSX,
    serialization: 'advanced',
  })
  await once(client, 'message')
  const failed = once(client, 'exit').then(([code]) => {
    throw new Error(`the client of ${peer.name} ended with ${code}`)
  })
  failed.catch(() => {})
  client.send(load)
  const [times] = (await Promise.race([once(client, 'message'), failed])) as [number[]]
  client.kill()
  return times
}

/** Processor time of a process in ms; Linux counts ticks of 10 ms. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(join('/proc', String(pid), 'stat'), 'latin1').catch(() => '') // it may have ended
  const fields = stat.replace(/^.*\) /s, '').split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10
}
