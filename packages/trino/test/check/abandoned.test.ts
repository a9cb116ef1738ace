import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tableFiles } from 'foldgate/sealing'
import { until } from '../../../../test/until.js'
import { rowsOf } from './ask.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'
import { ENTITIES, ON_TRINO, type Site, startSite } from './site.js'

const TOTALS = 'SELECT * FROM fold_totals ORDER BY item'

describe('what is built in the cluster', () => {
  let trino: Cluster
  const open: Site[] = []
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
  })
  afterEach(async () => {
    while (open.length > 0) {
      await open.pop()?.close()
    }
  })

  async function start(
    options?: Parameters<typeof startSite>[1],
    more?: Parameters<typeof startSite>[2],
  ): Promise<Site> {
    const site = await startSite(trino, options, more)
    open.push(site)
    return site
  }

  /** Schemas that services have made. */
  async function schemas(): Promise<string[]> {
    const names = (await rowsOf(trino.url, `SHOW SCHEMAS FROM ${trino.catalog}`)).map(([name]) => String(name))
    return names.filter(name => /^[sbp]_[0-9a-f]{16}$/.test(name)).sort()
  }

  /** Waits until services have removed all schemas, which may be many. */
  async function gone(): Promise<void> {
    for (let left = (await schemas()).length; left > 0; left = (await schemas()).length)
      await until(async () => (await schemas()).length < left, `one of ${left} schemas is gone`)
  }

  it('is removed also when the service that made it has ended', async () => {
    const first = await start()
    await first.seal(ON_TRINO)
    assert.ok((await first.query(TOTALS)).result)
    await first.api.close()
    assert.ok((await schemas()).length >= 3)
    await start({ idleMs: 500 }, { beside: first })
    await gone() // also what other suites have left
  }).timeout(120_000)

  it('is removed when nobody has used it for long, but never a sealed file', async () => {
    const site = await start({ idleMs: 10_000 })
    await site.seal(ON_TRINO)
    const before = await site.query(TOTALS)
    assert.ok(before.result, before.message)
    assert.equal((await schemas()).length, 3)
    assert.equal((await readdir(site.shared)).length, 1)
    await gone()
    await until(async () => (await readdir(site.shared)).length === 0, 'the files are gone')
    const [snapshotId = ''] = await site.snapshots.list(ON_TRINO, new AbortController().signal)
    assert.deepEqual(await site.snapshots.verify(ON_TRINO, snapshotId), [])
    const after = await site.query(`${TOTALS} LIMIT 10`)
    assert.deepEqual(after.result, before.result, after.message)
  }).timeout(60_000)

  it('is made again when it has been removed under a service', async () => {
    const site = await start()
    await site.seal(ON_TRINO)
    const others = await schemas()
    const before = await site.query(TOTALS)
    const [build, view] = (await schemas()).filter(name => !others.includes(name))
    await rowsOf(trino.url, `DROP VIEW ${trino.catalog}.${view}.fold_totals`)
    const afterView = await site.query(`${TOTALS} LIMIT 10`)
    assert.deepEqual(afterView.result, before.result, afterView.message)
    await rowsOf(trino.url, `DROP TABLE ${trino.catalog}.${build}.fold_totals`)
    const afterTable = await site.query(`${TOTALS} LIMIT 11`)
    assert.deepEqual(afterTable.result, before.result, afterTable.message)
  }).timeout(60_000)

  it('is the same for two services that make it at once', async () => {
    const first = await start()
    await first.seal(ON_TRINO)
    const second = await start({}, { beside: first })
    for (const entityId of [null, ENTITIES.joint]) {
      const answers = await Promise.all(
        [first, second, first, second].map((site, index) => site.query(`${TOTALS} LIMIT ${10 + index}`, { entityId })),
      )
      for (const { result, message } of answers) {
        assert.ok(result, message)
        assert.deepEqual(result, answers[0]?.result)
      }
    }
  }).timeout(60_000)

  it('is not made of a sealed file that has changed', async () => {
    const site = await start()
    await site.seal(ON_TRINO)
    const [{ tables = [] } = {}] = await site.snapshots.manifests(ON_TRINO)
    const [stored] = tables.filter(({ name }) => name === 'amounts').flatMap(tableFiles)
    const path = join(site.home, 'snapshots/tables', ON_TRINO, stored?.file ?? '')
    const bytes = await readFile(path)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    await writeFile(path, bytes)
    const { class: of, message } = await site.query('SELECT * FROM amounts')
    assert.equal(of, 'UNAVAILABLE', message)
  }).timeout(60_000)
})
