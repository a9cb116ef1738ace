import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { s3Snapshots } from 'foldgate-s3'
import { openStore, type Store } from '../../../../server/dist/database/store.js'
import { createKey } from '../../../../server/dist/store/keys.js'
import { newestSnapshot } from '../../../../server/dist/store/newest-snapshots.js'
import { addUser } from '../../../../server/dist/store/users.js'
import { ask, scratchFolder } from '../../../../test/server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../../../test/server/package.js'
import { call, type Served, serveWith } from '../../../../test/server/server.js'
import { postgresUrl, storeInPostgres } from '../../../../test/server/stores.js'
import { until } from '../../../../test/until.js'
import { type CreatedWebhook, createWebhook } from '../../../webhooks/dist/webhooks.js'
import { TestReceiver } from '../../../webhooks/test/receiver.js'
import { BUCKET, Gateway } from './gateway.js'
import { FaultyStore } from './proxy.js'

const { early } = PROJECT_IDS
const ROUNDS = 4
const PREFIX = 'together/'
const NAMES = ['one', 'two']
/** The second column says what the first must be, unless a snapshot has tables of two. */
const SQL = `SELECT (SELECT count(*) FROM sites) AS sites, (SELECT any_value(name) FROM entities WHERE entity_key = 'group') AS name`

describe('two servers and two sealers of one project, in S3 and PostgreSQL', () => {
  const scratch = scratchFolder()
  const receiver = new TestReceiver()
  const servers: Served[] = []
  let gateway: Gateway
  let proxy: FaultyStore
  let store: Store
  let webhook: CreatedWebhook
  let key: string
  let environment: Record<string, string>

  before(async function () {
    this.timeout(450_000)
    const opened = postgresUrl ? await Gateway.open('sealers of one project in S3') : null
    if (!opened) return this.skip()
    gateway = opened
    proxy = await FaultyStore.before(gateway.url)
    const location = await storeInPostgres(scratch.path)
    const shared = { FOLDGATE_STORE: location, FOLDGATE_SHARED: `s3://${BUCKET}/${PREFIX}` }
    environment = { ...gateway.environment(proxy.url), ...shared, FOLDGATE_WEBHOOK_ALLOW: '127.0.0.1' }
    await writePackage(at('package'))
    for (const name of NAMES) await writeTables(at(name))
    await foldgate('one', 'import', at('package'))
    store = await openStore(location)
    const reads = { user: 'ada@example.org', organizations: ['south'] }
    await addUser(store, { email: reads.user, organizations: reads.organizations })
    key = (await createKey(store, reads)).key
    webhook = await createWebhook(store, { ...reads, url: await receiver.listen(), events: ['snapshot.sealed'] })
    for (const name of NAMES) servers.push(await serveWith(environment, scratch.path, '--data', `${name}-data`))
  })
  after(async () => {
    for (const { child } of servers) child.kill('SIGKILL')
    await store?.close()
    if (webhook) await receiver.close()
    await proxy?.close()
    await gateway?.close()
  })
  afterEach(() => proxy?.heal())

  const at = (name: string) => join(scratch.path, name)
  /** Runs a command in the process of a sealer. */
  async function foldgate(sealer: string, ...args: string[]): Promise<string> {
    await mkdir(at(sealer), { recursive: true })
    const data = { FOLDGATE_DATA: at(`${sealer}-sealing`) }
    const { status, stdout, stderr } = await ask(at(sealer), args, { ...environment, ...data })
    assert.equal(status, 0, stderr)
    return stdout.trim()
  }
  /** Writes tables with this number of sites, and the number in another table. */
  async function write(name: string, sites: number): Promise<void> {
    for (const [table, row] of [
      ['sites', (site: number) => ({ site_key: `s${site}`, entity_key: 'plant' })],
      ['entities', null],
    ] as const) {
      const path = join(at(name), `${table}.csv`)
      const [header = '', ...rows] = (await readFile(path, 'utf8')).trimEnd().split('\n')
      const columns = header.split(',')
      const cells = (given: Record<string, string>) => columns.map(column => given[column] ?? '').join(',')
      const named = rows.map(line =>
        line.split(',').map((cell, index) => (columns[index] === 'name' ? `${sites}` : cell)),
      )
      const made = row
        ? Array.from({ length: sites }, (_, site) => cells(row(site)))
        : named.map(line => line.join(','))
      await writeFile(path, `${[header, ...made].join('\n')}\n`)
    }
  }
  async function inBucket(): Promise<string[]> {
    const cache = { folder: at('copies'), bytes: 1e9 }
    const snapshots = s3Snapshots({ client: gateway.client(), bucket: BUCKET, prefix: PREFIX, cache })
    return [...(await snapshots.list(early, new AbortController().signal))].sort()
  }
  /** Of the manifests that are written for the first time, loses the answer to every other one: its sealer is late. */
  function delayEveryOtherSealer(): void {
    const written = new Set<string>()
    proxy.fate = ({ method, key: name }) => {
      if (method !== 'PUT' || !name.includes('/snapshots/') || written.has(name)) return 'pass'
      return written.add(name).size % 2 === 1 ? 'lost' : 'pass'
    }
  }

  for (const [what, commandOf, isInAssessment] of [
    ['alone', () => ['seal', early], false],
    ['in one assessment', (assessment: string) => ['snapshot', 'seal', assessment], true],
  ] as const)
    it(`give every snapshot its number, and the store the newest one, when they seal ${what}`, async () => {
      const before = await inBucket()
      const assessment = isInAssessment ? await foldgate('one', 'assessment', 'start', early) : ''
      const sealed: string[] = []
      const newest: string[] = []
      receiver.received.length = 0
      delayEveryOtherSealer()
      for (let round = 1; round <= ROUNDS; round++) {
        for (const [index, name] of NAMES.entries()) await write(name, 2 * round + index)
        const ids = await Promise.all(NAMES.map(name => foldgate(name, ...commandOf(assessment), at(name))))
        const latest = (await inBucket()).at(-1) ?? ''
        assert.equal(await newestSnapshot(store, early), latest, 'the store knows the newest')
        assert.ok(ids.includes(latest))
        sealed.push(...ids)
        newest.push(latest)
        for (const { url } of servers) {
          const { items } = await call(url, key, 'query', { projectId: early, sql: SQL })
          const sites = Number(items[0]?.name)
          assert.deepEqual([items[0]?.sites, items.length], [sites, 1], 'of one snapshot')
          assert.equal(sites, 2 * round + ids.indexOf(latest), 'of the newest')
        }
      }
      if (isInAssessment) await foldgate('one', 'assessment', 'complete', assessment)
      const all = await inBucket()
      assert.deepEqual(all, [...before, ...sealed].sort(), 'each is there, and no other')
      assert.equal(new Set(all.map(id => id.slice(0, 6))).size, all.length, 'each has its number')
      assert.equal(await foldgate('two', 'snapshot', 'verify', early), `${all.length} snapshots are as sealed`)
      const told = () => receiver.events(webhook.secret).map(({ data }) => String(data.snapshotId))
      await until(() => newest.every(id => told().includes(id)), 'every newest snapshot is told')
      assert.equal(new Set(told()).size, told().length, 'none is told twice')
      assert.ok(told().every(id => sealed.includes(id)))
    }).timeout(60_000)
})
