import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './assessed.js'
import {
  type Comparison,
  compared,
  msAbove,
  overall,
  processorShare,
  type Round,
  rateOf,
  share,
  timesP50,
} from './peers/compare.js'
import { LoadProcess } from './peers/loads.js'
import { type Asked, answerOf, assertSameRows, bareServer, ownServer, type Peer } from './peers/peer.js'
import { perCall, processorTime } from './peers/processor.js'
import { pythonPeers } from './peers/python.js'
import type { Figure } from './run.js'
import { startDemoServer } from './soak/server.js'

const ROUNDS = 3
const WARM_UP_MS = 800
/** V8 compiles what a server runs for each call during the first warm-up. */
const FIRST_WARM_UP_MS = 4_000
/** Each load of a round runs for a while before it is measured. */
const LEAD_MS = 200
/** Foldgate and bare are compared with each other, so they are measured for longer than the others. */
const FOR_MS = 2_500
const OTHERS_FOR_MS = 1_200
const ELEVEN = 'risk_code, risk_type, risk, entity_key, site_key, sector_code, severity, exposure, score, level, share'
const sorted = (limit: number) =>
  `SELECT ${ELEVEN} FROM risk_rows ORDER BY score DESC, site_key, risk_code, sector_code LIMIT ${limit}`

interface Statement {
  what: string
  asked: Asked
  clients: number
  comparison: Comparison
}

const STATEMENTS: Statement[] = [
  { what: 'SELECT n', asked: { sql: 'SELECT # AS n' }, clients: 8, comparison: share(38) },
  { what: 'SELECT n', asked: { sql: 'SELECT # AS n' }, clients: 1, comparison: msAbove(0.6) },
  {
    what: '10 rows × 11',
    asked: { sql: `SELECT ${ELEVEN} FROM risk_rows LIMIT 10 -- #` },
    clients: 8,
    comparison: share(45),
  },
  {
    what: '500 rows × 11',
    asked: { sql: `SELECT ${ELEVEN} FROM risk_rows LIMIT 500 -- #` },
    clients: 8,
    comparison: share(95),
  },
  { what: '100 sorted', asked: { sql: `${sorted(100)} -- #` }, clients: 8, comparison: share(100) },
  { what: '500 sorted', asked: { sql: `${sorted(500)} -- #` }, clients: 8, comparison: share(90) },
  { what: '500 sorted', asked: { sql: `${sorted(500)} -- #` }, clients: 1, comparison: timesP50 },
  {
    what: 'SELECT $a, other values',
    asked: { sql: 'SELECT $a AS a', parameters: { a: '#' } },
    clients: 8,
    comparison: share(45, 'Datasette'),
  },
  { what: '100 sorted, the same text again', asked: { sql: sorted(100) }, clients: 8, comparison: processorShare(3.5) },
]

/** A figure with a column for each of the other peers; the baseline is bare. */
type PeerFigure = Figure & { [name: string]: string }

/** Compares the reference server with others that answer SQL over HTTP, on the same rows and in the same run. */
export async function run(): Promise<PeerFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const server = await startDemoServer()
  const ours = ownServer(server)
  const peers = [ours]
  let loads: LoadProcess | null = null
  try {
    loads = await LoadProcess.start()
    await answerOf(ours, { sql: 'SELECT count(*) AS n FROM risk_rows' }) // builds it
    peers.push(await bareServer(server.cache))
    let missing = ''
    await pythonPeers(folder, server.cache).then(
      others => peers.push(...others),
      cause => {
        missing = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)
      },
    )
    const figures: PeerFigure[] = []
    const costs = new Map(peers.map(({ name }) => [name, [] as number[]]))
    for (const statement of STATEMENTS) {
      await assertSameRows(peers, statement.asked)
      const rounds = await measure(loads, peers, statement, figures.length > 0 ? WARM_UP_MS : FIRST_WARM_UP_MS)
      for (const [name, each] of rounds) costs.get(name)?.push(overall(each, ({ clientMs }) => clientMs))
      figures.push(figureOf(statement, rounds))
    }
    figures.push(columns('the client itself, ms of processor per answer', costs, spread))
    if (missing) figures.push({ what: 'ROAPI, Datasette', measured: 'not taken', baseline: missing, bar: '' })
    return figures
  } finally {
    for (const peer of peers) peer.stop()
    loads?.stop()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Warms all peers up, then measures them in turn, a few times. */
async function measure(loads: LoadProcess, peers: readonly Peer[], { asked, clients }: Statement, warmUpMs: number) {
  const load = (peer: Peer, leadMs: number, forMs: number) => {
    const { port, authorization = 'none' } = peer
    return loads.run({ port, authorization, ...peer.request(asked), clients, leadMs, forMs })
  }
  for (const peer of peers) await load(peer, 0, warmUpMs)
  const rounds = new Map(peers.map(({ name }) => [name, [] as Round[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, peer] of peers.entries()) {
      const forMs = at < 2 ? FOR_MS : OTHERS_FOR_MS
      const before = processorTime(peer.pid)
      const { times, answered, clientMs } = await load(peer, LEAD_MS, forMs)
      rounds.get(peer.name)?.push({
        perSecond: times.length / (forMs / 1000),
        p50Ms: median(times),
        processor: perCall(before, processorTime(peer.pid), answered),
        clientMs: clientMs / answered,
      })
    }
  return rounds
}

function figureOf({ what, clients, comparison }: Statement, rounds: ReadonlyMap<string, Round[]>): PeerFigure {
  const [ours = [], theirs = []] = rounds.values()
  const { text, bar } = compared(comparison, rounds)
  const part = (of: 'server' | 'guard' | 'engine') => overall(ours, ({ processor }) => processor[of]).toFixed(2)
  const bareMs = overall(theirs, ({ processor }) => processor.server).toFixed(2)
  return {
    ...columns(`${what}, ${clients} client${clients > 1 ? 's' : ''}`, rounds, rateOf),
    measured: `${rateOf(ours)}; server ${part('server')}, guard ${part('guard')}, engine ${part('engine')} ms`,
    baseline: `${rateOf(theirs)}; processor ${bareMs} ms; ${text}`,
    bar,
  }
}

/** A figure with one value per peer, in the order of the peers. */
function columns<T>(what: string, values: ReadonlyMap<string, T>, says: (value: T) => string): PeerFigure {
  const [measured = '', baseline = ''] = [...values.values()].map(says)
  const others = [...values].slice(2).map(([name, value]) => [name, says(value)])
  return { what, measured, baseline, ...Object.fromEntries(others), bar: '' }
}

function spread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}`
}
