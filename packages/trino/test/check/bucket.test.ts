import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DeleteObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { fromFolder, openSealer, type SnapshotStore, tableFiles } from 'foldgate/sealing'
import { s3ClusterFiles, s3Snapshots } from 'foldgate-s3'
import catalogue from '../../../../server/dist/assessed/catalogue.js'
import { writeMadeUpPackage } from '../../../../server/dist/assessed/made-up/package.js'
import { PROJECT_IDS } from '../../../../test/server/package.js'
import { BUCKET, Gateway } from '../../../s3/test/check/gateway.js'
import { servedFromBucket } from '../../../s3/test/check/served.js'
import { isAlike } from './alike.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'
import { ON_TRINO, startSite } from './site.js'

const PREFIX = 'service/one/'

describe('a project on Trino whose snapshots are in S3', () => {
  let trino: Cluster
  let gateway: Gateway
  let client: S3Client
  let folder: string
  const open: { close(): unknown }[] = []
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
    const opened = await Gateway.open('snapshots in S3 that Trino reads', trino.storePort)
    if (!opened) return this.skip()
    gateway = opened
    client = gateway.client()
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  afterEach(async () => {
    while (open.length > 0) await open.pop()?.close()
  })
  after(async () => {
    await gateway?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  /** A service over the bucket, and how often it has opened a snapshot. */
  async function start(more: Parameters<typeof startSite>[2] = {}) {
    const place = { client, bucket: BUCKET, prefix: PREFIX }
    const cache = { folder: await mkdtemp(join(folder, 'copies-')), bytes: 1024 ** 3 }
    const store = s3Snapshots({ ...place, cache })
    const opened = { times: 0 }
    const { open: openFiles } = store
    store.open = (...asked) => {
      opened.times += 1
      return openFiles(...asked)
    }
    const site = await startSite(trino, { shared: s3ClusterFiles(place) }, { store, ...more })
    open.push(store, site)
    return { site, store, opened, copies: cache.folder }
  }

  async function keys(part: string): Promise<string[]> {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: PREFIX + part }))
    return Contents.map(({ Key = '' }) => Key)
  }

  async function remove(wanted: readonly string[]): Promise<void> {
    for (const Key of wanted) await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }))
  }

  /** Seals a made-up project with the tables of the group. */
  async function sealGroup(snapshots: SnapshotStore, source: string): Promise<void> {
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, `scratch-${randomUUID()}`) })
    const { sealed } = await sealer
      .sealMany({
        tables: fromFolder(source),
        by: 'project_key',
        shared: 'where-missing',
        projects: new Map([['quorven-foods', ON_TRINO]]),
        assessmentId: () => randomUUID(),
      })
      .finally(() => sealer.close())
    assert.equal(sealed.length, 1)
  }

  it('answers the worked questions as one whose snapshots are in a folder', async () => {
    const source = join(folder, 'package')
    await writeMadeUpPackage(source)
    const { site: inBucket, store } = await start({ catalogue })
    const inFolder = await startSite(trino, {}, { catalogue })
    open.push(inFolder)
    await sealGroup(store, source)
    await sealGroup(inFolder.snapshots, source)
    let rows = 0
    for (const { question, sql } of catalogue.examples) {
      const [one, other] = [await inBucket.query(sql), await inFolder.query(sql)]
      assert.ok(other.result, `${question}: ${other.message}`)
      const [items = [], expected = []] = [one.result?.items, other.result.items]
      assert.equal(items.length, expected.length, `${question}: ${one.message}`)
      for (const [at, row] of expected.entries())
        for (const [name, value] of Object.entries(row)) {
          const found = items[at]?.[name]
          assert.ok(isAlike(found, value, typeof value === 'number'), `${question}, ${name} of row ${at}: ${found}`)
        }
      rows += expected.length
    }
    assert.ok(catalogue.examples.length > 10 && rows > 100, `${rows} rows`)
  }).timeout(600_000) // it builds every fold twice

  it('opens no snapshot for a statement or a table, and copies what DuckDB reads alone', async () => {
    const { site, store, opened, copies } = await start()
    await site.seal(ON_TRINO)
    const totals = await site.query('SELECT * FROM fold_totals ORDER BY item')
    assert.ok(totals.result?.items?.length, totals.message)
    const before = opened.times
    for (const sql of ['SELECT entity_id FROM entities', 'SELECT count(*) AS n FROM fold_totals', 'SELECT 1 AS n'])
      assert.ok((await site.query(sql)).result)
    assert.equal(opened.times, before)
    assert.ok((await keys('trino/')).length > 0)
    // What DuckDB needs to walk the tree of ownership.
    const copied = (await readdir(copies, { recursive: true })).filter(name => name.endsWith('.parquet'))
    const [{ tables = [] } = {}] = await store.manifests(ON_TRINO)
    const entities = tables.filter(({ name }) => name === 'entities').flatMap(tableFiles)
    assert.deepEqual(
      copied.map(name => basename(name)),
      entities.map(({ file }) => file),
    )
  }).timeout(60_000)

  it('is UNAVAILABLE when its files are gone, and answers from the next snapshot', async () => {
    const { site } = await start()
    await site.seal(ON_TRINO)
    const sql = 'SELECT item, amount FROM amounts ORDER BY item, amount'
    const before = await site.query(sql)
    assert.ok(before.result, before.message)
    await remove((await keys(`tables/${ON_TRINO}/`)).filter(key => key.endsWith('.parquet')))
    for (const gone of [`${sql} LIMIT 99`, 'SELECT entity_key FROM entities']) {
      const { class: of, message = '' } = await site.query(gone)
      assert.equal(of, 'UNAVAILABLE', message)
      assert.doesNotMatch(message, /s3:|parquet|iceberg/i)
    }
    await site.seal(ON_TRINO)
    const after = await site.query(`${sql} LIMIT 99`)
    assert.deepEqual(after.result, before.result, after.message)
  }).timeout(120_000)

  it('is UNAVAILABLE while the cluster has wrong credentials, and the host is told what to set', async () => {
    const { site, store } = await start()
    const listed = [await site.seal(ON_TRINO)]
    assert.ok((await site.query('SELECT item FROM amounts')).result)
    store.list = async () => listed // the credentials of the service are wrong then, too
    gateway.secret = 'another secret of the gateway'
    await gateway.stop()
    await gateway.start()
    const from = site.events.length
    const { class: of, message = '' } = await site.query('SELECT item, amount FROM amounts')
    assert.equal(of, 'UNAVAILABLE', message)
    const told = site.events.slice(from).map(event => ('cause' in event ? String(event.cause) : ''))
    assert.ok(
      told.some(text => /cannot use the bucket \(Status Code: 403\): check .*s3\.aws-secret-key/.test(text)),
      told.join('\n'),
    )
    for (const text of [message, ...told]) assert.doesNotMatch(text, /a secret of the gateway|signature/i)
  }).timeout(120_000)
})

describe('a server with Trino whose snapshots are in S3', () => {
  let trino: Cluster
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
  })
  const world = servedFromBucket(() => ({
    port: trino.storePort,
    variables: { FOLDGATE_TRINO: `${trino.url}/${trino.catalog}` },
  }))

  it('has Trino read the bucket for the projects on it alone', async () => {
    const { early, late } = PROJECT_IDS
    await world.command('project', 'engine', early, 'trino')
    const seven = 'SELECT 7 / 2 AS sites' // 3 on Trino, 3.5 on DuckDB
    assert.deepEqual([await world.query(early, seven), await world.query(late, seven)], [3, 3.5])
    assert.equal(await world.query(early), 1)
    const sql = 'SELECT CAST(count(*) AS bigint) AS sites FROM ownership_paths'
    assert.ok(Number(await world.query(early, sql)) > 0)
    assert.ok((await world.keys('trino/')).length > 0)
  }).timeout(120_000)
})
