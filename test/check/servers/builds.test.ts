import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchFolder } from '../../server/command.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'
import { until } from '../../until.js'
import { addCustomers, type Customer } from './customers.js'
import { startHaproxy } from './proxies/haproxy.js'
import type { Change, RunningProxy } from './proxies/proxy.js'
import { Service } from './service.js'
import { builtBy, projectsOf, query } from './spread.js'

const SIZE = { projects: 12, organizations: 4, keys: 2 }
/** Fewer clients than the calls for which HAProxy limits no server. */
const LOAD = { times: 4, clients: 4 }
const SERVERS = ['one', 'two', 'three']
const ROUND_ROBIN: Change[] = [['balance hash var(txn.caller)', 'balance roundrobin']]
/** Builds that the configuration makes, of those that round robin makes. */
const BAR = 0.4

const scratch = scratchFolder()

describe('projects of three servers behind HAProxy', () => {
  let service: Service
  let customers: Customer[]
  let proxy: RunningProxy | null = null

  before(async function () {
    if (!postgresUrl) return this.skip()
    const store = await storeInPostgres(scratch.path)
    service = new Service(scratch.path, store, '--metrics-port', '0', { connectionWait: '60s', buildTimeout: '5m' })
    customers = await addCustomers(service, store, scratch.path, SIZE)
  })
  after(async () => {
    await proxy?.stop()
    service?.killAll()
  })

  /** The builds of new servers behind a new proxy. */
  const measure = async (name: string, changes: Change[]) => {
    const names = SERVERS.map(server => `${name}-${server}`)
    await Promise.all(names.map(server => service.start(server)))
    const folder = join(scratch.path, name)
    await mkdir(folder)
    proxy = await startHaproxy(
      folder,
      names.map(server => service.urlOf(server)),
      changes,
    )
    if (!proxy) return null
    await query(proxy, customers, LOAD)
    return { names, ...(await builtBy(service, names)) }
  }

  it('are built once each, and those of a server that dies once more', async function () {
    const turns = await measure('turns', ROUND_ROBIN)
    if (!turns) console.log('      left out: HAProxy is not installed')
    if (!turns) return this.skip()
    await proxy?.stop()
    await Promise.all(turns.names.map(server => service.stop(server)))

    const hash = await measure('hash', [])
    assert.ok(hash && proxy)
    console.log(`      ${hash.builds} builds, in turns ${turns.builds}`)
    assert.ok(hash.builds <= BAR * turns.builds)
    assert.ok(hash.cacheBytes <= BAR * turns.cacheBytes)

    const homes = new Map(hash.names.map(server => [server, projectsOf(service, server)]))
    const sizes = [...homes.values()].map(projects => projects.size)
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      SIZE.projects,
    )
    const dead = hash.names[sizes.indexOf(Math.max(...sizes))] ?? ''
    const alive = hash.names.filter(server => server !== dead)
    const before = await builtBy(service, alive)
    await service.kill(dead)
    // Until HAProxy has noticed, a call that finds the server gone may go to either of the others.
    const { log } = proxy
    await until(async () => / is DOWN/.test(await log()), 'HAProxy has noticed')
    await query(proxy, customers, { times: 2, clients: 4 })
    const moved = alive.flatMap(server => [...projectsOf(service, server)].filter(id => !homes.get(server)?.has(id)))
    assert.deepEqual(moved.sort(), [...(homes.get(dead) ?? [])].sort())
    const after = await builtBy(service, alive)
    assert.equal(after.builds - before.builds, (moved.length * hash.builds) / SIZE.projects)
  })
})
