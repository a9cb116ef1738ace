import assert from 'node:assert/strict'
import { watch } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresUrl } from '../../server/stores.js'
import { until } from '../../until.js'
import { INTERVAL_MS, projectOf, Started } from './started.js'
import { Vendor } from './vendor.js'

const TENANTS = 6
const PROJECTS = Array.from({ length: TENANTS }, (_, index) => projectOf(index + 1))

describe('a refresh that takes long', function () {
  this.timeout(60_000)
  let vendor: Vendor
  let host: Started
  before(async function () {
    if (!postgresUrl) return this.skip()
    vendor = await Vendor.open(TENANTS)
  })
  beforeEach(async () => {
    host = await Started.open(vendor.url())
  })
  afterEach(async () => {
    await vendor.letGo()
    await host.close()
  })
  after(() => vendor?.close())

  const [FIRST = ''] = PROJECTS

  it('is told when the next one is due, which does not begin beside it, while calls are answered', async () => {
    await host.refresh()
    const before = await host.revenue(FIRST)
    await vendor.ask('UPDATE shop.order_lines SET quantity = quantity + 1')
    await vendor.hold()
    const ended = host.refresh()
    await vendor.waiting()
    host.clock.pass(INTERVAL_MS)
    host.clock.pass(INTERVAL_MS)
    assert.deepEqual(
      host.ofType('late').map(({ runningMs }) => runningMs),
      [INTERVAL_MS, 2 * INTERVAL_MS],
    )
    assert.equal(host.ofType('started').length, 2)
    assert.deepEqual(await host.metric('refresh_late_total'), { '': 2 })
    assert.deepEqual(await host.metric('refresh_running_seconds'), { '': (2 * INTERVAL_MS) / 1000 })
    assert.deepEqual(await host.revenue(FIRST), before)

    await vendor.letGo()
    assert.deepEqual(await ended, {
      type: 'refreshed',
      durationMs: 2 * INTERVAL_MS,
      sealed: TENANTS,
      unchanged: 0,
      failed: 0,
      empty: 0,
    })
    assert.notDeepEqual(await host.revenue(FIRST), before)
    assert.deepEqual(await host.metric('refresh_running_seconds'), { '': 0 })
    assert.deepEqual(await host.metric('refresh_duration_seconds'), { '': (2 * INTERVAL_MS) / 1000 })
    await host.refresh()
    assert.equal(host.ofType('started').length, 3)
  })

  /** Every project has whole snapshots alone, and nothing else is left. */
  async function nothingHalf(): Promise<void> {
    for (const project of PROJECTS)
      for (const { snapshotId } of await host.snapshots.manifests(project))
        assert.deepEqual(await host.snapshots.verify(project, snapshotId), [])
    const stored = await readdir(join(host.folder, 'snapshots'), { recursive: true })
    assert.deepEqual(
      stored.filter(name => name.includes('~')),
      [],
    )
    assert.deepEqual(await readdir(join(host.folder, 'scratch')), [])
    await vendor.letGo() // a session that waits for a lock does not notice that its client has left
    await until(async () => (await vendor.sessions()) === 0, 'sessions that end')
    assert.equal(host.clock.pending, 0)
  }

  it('leaves nothing half when the host ends while it reads', async () => {
    await host.refresh()
    await vendor.hold()
    const ended = host.refresh()
    await vendor.waiting()
    await host.end()
    assert.deepEqual(await ended, { type: 'stopped', durationMs: 0 })
    assert.equal(host.lines.at(-1)?.level, 'info')
    for (const project of PROJECTS) assert.equal((await host.snapshots.manifests(project)).length, 1)
    await nothingHalf()
  })

  it('leaves nothing half when the host ends while it seals', async () => {
    const published = join(host.folder, 'snapshots', 'snapshots')
    await mkdir(published, { recursive: true })
    const first = new Promise<void>(resolve => {
      const watcher = watch(published, (_, name) => {
        if (!PROJECTS.includes(name ?? '')) return
        watcher.close()
        resolve()
      })
    })
    host.start()
    await first
    await host.end()
    assert.ok(host.events.some(({ type }) => type === 'stopped' || type === 'refreshed'))
    await nothingHalf()
  })
})
