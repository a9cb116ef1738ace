import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type AnalyticsApi, type Caller, defineCatalogue, defineFold, defineTable, directorySnapshots } from 'foldgate'
import { fromRows, openSealer } from 'foldgate/sealing'
import { median } from './assessed.js'
import { openApi, post } from './open.js'
import type { Figure } from './run.js'

const REACHES = 200
const ROWS_EACH = 500
const CLIENTS = 8
const ROUND_MS = 8_000
const CONNECTIONS = 2
/** Limits whose first answers each find spare processes, which have all started. */
const WHILE_SPARES_LAST = 4
const SETTLED_MS = 1_000

const catalogue = defineCatalogue({
  rowLimits: { department: { type: 'BIGINT' } },
  relations: [
    defineTable({
      name: 'orders',
      columns: { id: 'BIGINT', department: 'BIGINT', state: 'VARCHAR', total: 'DECIMAL(12,2)' },
      unique: ['id'],
      rowLimits: { department: 'department' },
    }),
    defineFold({
      name: 'totals',
      about: 'One state: what its orders cost.',
      reads: ['orders'],
      sql: 'SELECT state, count(*) AS orders, sum(total) AS total FROM orders GROUP BY ALL',
    }),
  ],
})

const STATES = ['open', 'paid', 'cancelled']

function* orders() {
  for (let id = 0; id < REACHES * ROWS_EACH; id++)
    yield { id, department: id % REACHES, state: STATES[(id % 7) % 3], total: (id % 10_000) / 100 }
}

const SQL = `SELECT state, count(*) AS n, sum(o.total) AS total, any_value(t.orders) AS orders
             FROM orders o JOIN totals t USING (state) GROUP BY state ORDER BY state`

/** The keys of departments, and one that sees all rows. */
function callerOf(key: string): Caller {
  const caller = { keyId: key, ownerId: key, organizations: ['bench'] }
  return key === 'all' ? caller : { ...caller, only: { rows: { department: [Number(key)] } } }
}

/** Measures 200 row limits of one organization, each in processes of its own, and all in those of the organization. */
export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  try {
    const projectId = randomUUID()
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    await sealer.seal({ projectId, tables: { orders: fromRows(orders()) } })
    await sealer.close()
    const figures: Figure[] = []
    for (const isolation of ['reach', 'organization'] as const) {
      const api = await openApi(join(folder, isolation), {
        catalogue,
        snapshots,
        projects: [{ projectId, name: 'bench' }],
        keys: { authenticate: async key => callerOf(key) },
        engine: { connections: CONNECTIONS, isolation },
        limits: { connectionWaitMs: 60_000 },
      })
      try {
        figures.push(...(await measure(api, projectId, isolation)))
      } finally {
        await api.close()
      }
    }
    return figures
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Resolves when no process has started or ended for a second. */
async function settled(api: AnalyticsApi): Promise<void> {
  let before = ''
  for (let pids = String(api.pids()); pids !== before; pids = String(api.pids())) {
    before = pids
    await setTimeout(SETTLED_MS)
  }
}

async function measure(api: AnalyticsApi, projectId: string, isolation: string): Promise<Figure[]> {
  let asked = 0
  const ask = async (key: string) => {
    const sql = `${SQL} -- ${++asked}` // no answer is kept
    const { status } = await post(api, 'query', { projectId, sql }, `Bearer ${key}`)
    if (status !== 200) throw new Error(`a call was answered ${status}`)
  }
  const timed = async (key: string) => {
    const startedAt = performance.now()
    await ask(key)
    return performance.now() - startedAt
  }
  await ask('all')
  const firsts: number[] = []
  for (let at = 0; at < REACHES; at++) {
    if (at < WHILE_SPARES_LAST) await settled(api)
    firsts.push(await timed(String(at)))
  }
  const { cacheBytes } = api.stats()
  const processes = api.pids().length
  const underLoad = async (keyOf: () => string) => {
    const until = performance.now() + ROUND_MS
    let answers = 0
    const client = async () => {
      for (; performance.now() < until; answers++) await ask(keyOf())
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    return answers / (ROUND_MS / 1000)
  }
  const one = await underLoad(() => '0')
  const many = await underLoad(() => String(Math.floor(Math.random() * REACHES)))
  return [
    {
      what: `${isolation}: first answer of a limit, while spares last; of ${REACHES} in a row`,
      measured: `${median(firsts.slice(0, WHILE_SPARES_LAST)).toFixed(0)} ms; ${median(firsts).toFixed(0)} ms`,
      baseline: '',
      bar: '150 ms',
    },
    {
      what: `${isolation}: repeat, ${CLIENTS} clients on ${REACHES} limits`,
      measured: `${many.toFixed(0)} a second`,
      baseline: `${((100 * many) / one).toFixed(0)} % of one limit (${one.toFixed(0)} a second)`,
      bar: isolation === 'organization' ? '60 %' : '',
    },
    {
      what: `${isolation}: relations of ${REACHES} limits on disk; processes`,
      measured: `${(cacheBytes / 1024 ** 2).toFixed(0)} MiB; ${processes}`,
      baseline: '',
      bar: '',
    },
  ]
}
