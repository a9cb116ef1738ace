import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addCustomers, type Customer } from '../test/check/servers/customers.js'
import { startHaproxy } from '../test/check/servers/proxies/haproxy.js'
import type { Change } from '../test/check/servers/proxies/proxy.js'
import { Service } from '../test/check/servers/service.js'
import { type Built, builtBy, projectsOf, query } from '../test/check/servers/spread.js'
import { dropStores, postgresUrl, storeInPostgres } from '../test/server/stores.js'
import { median } from './assessed.js'
import type { Figure } from './run.js'

const SERVERS = ['one', 'two', 'three']
const SIZE = { projects: 60, organizations: 6 }
const LOAD = { times: 8, clients: 6 }
const ROUND_ROBIN: Change[] = [['balance hdr(Authorization)', 'balance roundrobin']]
/** Waits are long, so that no call fails on a busy machine. */
const FLAGS = ['--connections', '2', '--metrics-port', '0', '--quota', '1000000/1h', '--connection-wait', '60s']
const MIB = 1024 ** 2

interface Measured extends Built {
  took: number[]
  /** Projects of the server that was killed, those of them that others then built, and the builds this took. */
  killed: { own: number; moved: number; others: number; builds: number } | null
}

/** Compares round robin with a hash of keys: 60 projects, three servers, one PostgreSQL, HAProxy. */
export async function run(): Promise<Figure[]> {
  if (!postgresUrl) return [{ what: 'needs FOLDGATE_TEST_POSTGRES', measured: '', baseline: '', bar: '' }]
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  try {
    const store = await storeInPostgres(folder)
    const customers = await addCustomers(new Service(folder, store), store, folder, SIZE)
    const turns = await measure(folder, store, customers, 'turns', ROUND_ROBIN)
    const hash = await measure(folder, store, customers, 'hash', [])
    const { killed } = hash
    const ms = (took: readonly number[], part: number) =>
      `${(took.toSorted((a, b) => a - b)[Math.floor(took.length * part)] ?? Number.NaN).toFixed(0)} ms`
    const times = ({ took }: Measured) => `p50 ${median(took).toFixed(1)} ms, p99 ${ms(took, 0.99)}`
    const sum = ({ took }: Measured) => took.reduce((all, each) => all + each, 0) / LOAD.clients / 1000
    return [
      {
        what: `builds of ${customers.length} projects`,
        measured: `${hash.builds} (${((100 * hash.builds) / turns.builds).toFixed(0)} %)`,
        baseline: `${turns.builds} in turns`,
        bar: '40 %',
      },
      {
        what: 'relations on disk',
        measured: `${(hash.cacheBytes / MIB).toFixed(0)} MiB`,
        baseline: `${(turns.cacheBytes / MIB).toFixed(0)} MiB in turns`,
        bar: '',
      },
      { what: `${hash.took.length} calls, builds included`, measured: times(hash), baseline: times(turns), bar: '' },
      {
        what: 'all of them',
        measured: `${sum(hash).toFixed(1)} s`,
        baseline: `${sum(turns).toFixed(1)} s in turns`,
        bar: '',
      },
      {
        what: 'projects that moved when a server was killed',
        measured: `${killed?.moved} of its ${killed?.own}, ${killed?.others} others`,
        baseline: `${killed?.builds} builds`,
        bar: 'its own only',
      },
    ]
  } finally {
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
    return { took, ...built, killed: changes.length === 0 ? await kill() : null }
  } finally {
    await proxy.stop()
    service.killAll()
  }

  async function kill(): Promise<Measured['killed']> {
    const [dead = '', ...alive] = names
    const before = await builtBy(service, alive)
    const homes = new Map(alive.map(server => [server, projectsOf(service, server)]))
    const own = [...projectsOf(service, dead)].filter(id => !alive.some(server => homes.get(server)?.has(id)))
    await service.kill(dead)
    await query(proxy as NonNullable<typeof proxy>, customers, { times: 2, clients: 4 })
    const moved = new Set(
      alive.flatMap(server => [...projectsOf(service, server)].filter(id => !homes.get(server)?.has(id))),
    )
    const after = await builtBy(service, alive)
    const others = [...moved].filter(id => !own.includes(id)).length
    return { own: own.length, moved: moved.size - others, others, builds: after.builds - before.builds }
  }
}
