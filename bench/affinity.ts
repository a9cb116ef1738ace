import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addCustomers, type Customer } from '../test/check/servers/customers.js'
import { startHaproxy } from '../test/check/servers/proxies/haproxy.js'
import type { Change } from '../test/check/servers/proxies/proxy.js'
import { Service } from '../test/check/servers/service.js'
import { type Built, builtBy, projectsOf, query } from '../test/check/servers/spread.js'
import { freeRunners } from '../test/server/command.js'
import { dropStores, postgresUrl, storeInPostgres } from '../test/server/stores.js'
import { median } from './assessed.js'
import type { Figure } from './run.js'

const SERVERS = ['one', 'two', 'three']
const SIZE = { projects: 60, organizations: 12, keys: 4 }
const LOAD = { times: 2, clients: 6 }
const HASH = 'balance hash var(txn.caller)'
const ROUND_ROBIN: Change[] = [[HASH, 'balance roundrobin']]
const BY_KEY: Change[] = [[HASH, 'balance hdr(Authorization)']]
/** Waits are long, so that no call fails on a busy machine. */
const FLAGS = ['--metrics-port', '0', { connections: 2, quota: '1000000/1h', connectionWait: '60s' }]
const MIB = 1024 ** 2

interface Measured extends Built {
  took: number[]
  /** Engine processes that were started, spare ones included. */
  processes: number
  /** Projects of the server that was killed, those of them that others then built, and the builds this took. */
  killed: { own: number; moved: number; others: number; builds: number } | null
}

/** Compares round robin, a hash of keys, and the hash of the first organization of a key that is in `deploy/`. */
export async function run(): Promise<Figure[]> {
  if (!postgresUrl) return [{ what: 'needs FOLDGATE_TEST_POSTGRES', measured: '', baseline: '', bar: '' }]
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  try {
    const store = await storeInPostgres(folder)
    const customers = await addCustomers(new Service(folder, store), store, folder, SIZE)
    const turns = await measure(folder, store, customers, 'turns', ROUND_ROBIN)
    const keys = await measure(folder, store, customers, 'keys', BY_KEY)
    const shipped = await measure(folder, store, customers, 'organizations', [])
    const { killed } = shipped
    const ms = (took: readonly number[], part: number) =>
      `${(took.toSorted((a, b) => a - b)[Math.floor(took.length * part)] ?? Number.NaN).toFixed(0)} ms`
    const compared = (what: string, tell: (measured: Measured) => string, bar = ''): Figure => ({
      what,
      measured: tell(shipped),
      baseline: `${tell(keys)} by key, ${tell(turns)} in turns`,
      bar,
    })
    const sum = ({ took }: Measured) => took.reduce((all, each) => all + each, 0) / LOAD.clients / 1000
    return [
      compared(`builds of ${SIZE.projects} projects`, ({ builds }) => String(builds), '40 % of those in turns'),
      compared('relations on disk', ({ cacheBytes }) => `${(cacheBytes / MIB).toFixed(0)} MiB`),
      compared(`engine processes for ${SIZE.organizations} organizations`, ({ processes }) => String(processes)),
      compared(
        `${shipped.took.length} calls, builds included`,
        ({ took }) => `p50 ${median(took).toFixed(1)} ms, p99 ${ms(took, 0.99)}`,
      ),
      compared('all of them', measured => `${sum(measured).toFixed(1)} s`),
      {
        what: 'projects that moved when a server was killed',
        measured: `${killed?.moved} of its ${killed?.own}, ${killed?.others} others`,
        baseline: `${killed?.builds} builds`,
        bar: 'its own only',
      },
    ]
  } finally {
    freeRunners(folder)
    await dropStores(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  folder: string,
  store: string,
  customers: readonly Customer[],
  name: string,
  changes: Change[],
): Promise<Measured> {
  const service = new Service(folder, store, ...FLAGS)
  const names = SERVERS.map(server => `${name}-${server}`)
  for (const server of names) await service.start(server)
  await mkdir(join(folder, name))
  const proxy = await startHaproxy(join(folder, name), service.urls, changes)
  if (!proxy) throw new Error('HAProxy is not installed')
  try {
    const took = await query(proxy, customers, LOAD)
    const built = await builtBy(service, names)
    const processes = names.reduce((all, server) => all + processesOf(service, server), 0)
    return { took, ...built, processes, killed: changes.length === 0 ? await kill() : null }
  } finally {
    await proxy.stop()
    service.killAll()
  }

  async function kill(): Promise<Measured['killed']> {
    const homes = new Map(names.map(server => [server, projectsOf(service, server)]))
    const sizeOf = (server: string) => homes.get(server)?.size ?? 0
    const [dead = '', ...alive] = names.toSorted((a, b) => sizeOf(b) - sizeOf(a))
    const before = await builtBy(service, alive)
    const own = [...(homes.get(dead) ?? [])].filter(id => !alive.some(server => homes.get(server)?.has(id)))
    await service.kill(dead)
    await query(proxy as NonNullable<typeof proxy>, customers, { times: 1, clients: 4 })
    const moved = new Set(
      alive.flatMap(server => [...projectsOf(service, server)].filter(id => !homes.get(server)?.has(id))),
    )
    const after = await builtBy(service, alive)
    const others = [...moved].filter(id => !own.includes(id)).length
    return { own: own.length, moved: moved.size - others, others, builds: after.builds - before.builds }
  }
}

function processesOf(service: Service, server: string): number {
  const lines = service.logOf(server).trim().split('\n')
  const events = lines.map(line => JSON.parse(line) as { type: string; what?: string })
  return events.filter(({ type, what }) => type === 'engine' && (what === 'started' || what === 'replaced')).length
}
