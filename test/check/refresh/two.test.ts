import assert from 'node:assert/strict'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { scratchFolder } from '../../server/command.js'
import { call } from '../../server/server.js'
import { postgresUrl } from '../../server/stores.js'
import { HostProcess } from './process.js'
import { projectOf } from './started.js'
import { Vendor } from './vendor.js'

/** With an interval this short, refreshes are late when the machine is busy. */
const withoutLate = (types: readonly string[]) => types.filter(type => type !== 'late')

describe('two processes of a host', function () {
  this.timeout(60_000)
  const scratch = scratchFolder()
  const running: HostProcess[] = []
  let vendor: Vendor
  before(async function () {
    if (!postgresUrl) return this.skip()
    vendor = await Vendor.open(2)
  })
  after(async () => {
    for (const host of running) host.kill()
    await vendor?.close()
  })

  async function start(name: string, intervalMs: number): Promise<HostProcess> {
    const snapshots = join(scratch.path, 'snapshots')
    const host = await HostProcess.start(join(scratch.path, name), {
      DATABASE_URL: vendor.url(),
      SNAPSHOTS: snapshots,
      INTERVAL_MS: String(intervalMs),
      KEY: 'key-of-both',
    })
    running.push(host)
    return host
  }

  it('do not refresh beside each other, and when one is killed in the middle the other takes over', async () => {
    const first = await start('first', 100)
    await first.until('refreshed')
    const second = await start('second', 100)
    assert.deepEqual(withoutLate(await second.until('standby')), ['standby'])
    const query = (host: HostProcess) =>
      call(host.url, 'key-of-both', 'query', { projectId: projectOf(1), sql: 'SELECT country, revenue FROM revenue' })
    const before = (await query(second)).items
    assert.equal(before.length, 4)
    assert.deepEqual((await query(first)).items, before)

    await vendor.hold()
    await vendor.waiting()
    assert.deepEqual(await first.end('SIGKILL'), [null, 'SIGKILL'])
    await vendor.letGo()
    await vendor.ask('UPDATE shop.order_lines SET quantity = quantity + 1')
    const seen = withoutLate(await second.until('refreshed'))
    assert.deepEqual(seen.slice(seen.lastIndexOf('standby')), ['standby', 'started', 'refreshed'])
    assert.deepEqual(new Set(seen.slice(0, -2)), new Set(['standby']))
    await second.until('refreshed')
    assert.notDeepEqual((await query(second)).items, before)
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    for (const tenant of [1, 2])
      for (const { snapshotId } of await snapshots.manifests(projectOf(tenant)))
        assert.deepEqual(await snapshots.verify(projectOf(tenant), snapshotId), [])
    assert.deepEqual(await second.end('SIGTERM'), [0, null])
  })
})
