import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { mock } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { UsageRecord } from 'foldgate'
import { sql } from 'kysely'
import { createKey, listKeys } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { openStore, type Store } from '#server/store/store.js'
import { type DayUsage, readUsage, usagePort } from '#server/store/usage.js'
import { addUser } from '#server/store/users.js'
import { type Report, writeBehind } from '#server/store/write-behind.js'
import { output, outputJson, scratchFolder } from './command.js'
import { PROJECT_IDS, writePackage } from './package.js'
import { call, serve, stop } from './server.js'
import { storeAt, unexpected } from './stores.js'

const DAY_MS = 86_400_000
/** Longer than anything waits to be written. */
const WRITTEN_AFTER_MS = 1200
const scratch = scratchFolder()

describe('usage in the store', () => {
  const today = Date.UTC(2026, 10, 21, 12)
  let file: string
  let store: Store
  let keys: string[]
  let opened = 0

  beforeEach(async () => {
    file = await storeAt(join(scratch.path, `${++opened}.db`))
    store = await openStore(file, { clock: { now: () => today } })
    await addOrganization(store, { key: 'north', name: 'North' })
    await addUser(store, { email: 'ada@example.org', organizations: ['north'] })
    const made = ['first', 'second'].map(name =>
      createKey(store, { user: 'ada@example.org', organizations: ['north'], name }),
    )
    keys = (await Promise.all(made)).map(key => key.id).sort()
  })

  afterEach(() => store.close())

  function used(given: Partial<UsageRecord> = {}): UsageRecord {
    const [keyId = ''] = keys
    return { keyId, method: 'projects/query', outcome: 'OK', rows: 10, bytes: 100, at: today, ...given }
  }

  async function record(...records: Partial<UsageRecord>[]): Promise<void> {
    const usage = usagePort(store, unexpected)
    for (const each of records) usage.record(used(each))
    await usage.close()
  }

  const calls = (usage: readonly DayUsage[]) => usage.reduce((sum, day) => sum + day.calls, 0)

  it('is counted by key, day and method, and what is counted later is added', async () => {
    const failed = { outcome: 'INVALID_QUERY', rows: 0, bytes: 0 }
    await record({}, {}, failed, { method: 'projects/list', rows: 4 }, { keyId: keys[1] as string })
    await record({ at: today + 1 }, { ...failed, method: 'unknown' }, { method: 'download', rows: 0, bytes: 7 })
    const usage = await readUsage(store, { days: 1 })
    const { keyName, ...first } = usage.find(day => day.keyId === keys[0]) as DayUsage
    assert.ok(['first', 'second'].includes(keyName))
    assert.deepEqual(first, {
      keyId: keys[0],
      day: '2026-11-21',
      calls: 6,
      failed: 2,
      methods: {
        'projects/list': { calls: 1, failed: 0 },
        'projects/query': { calls: 4, failed: 1 },
        unknown: { calls: 1, failed: 1 },
      },
      rows: 34,
      bytes: 400,
      downloads: 1,
      downloadBytes: 7,
    })
    assert.equal(usage.length, 2)
    assert.equal(calls(usage), 7)
  })

  it('is read for so many days, today included, the earliest first, of all keys or of one', async () => {
    await record(...[0, 1, 29, 30].map(daysAgo => ({ at: today - daysAgo * DAY_MS })), { keyId: keys[1] as string })
    const days = async (query: { key?: string; days: number }) =>
      (await readUsage(store, query)).map(({ day, keyId }) => `${day} ${keys.indexOf(keyId)}`)
    assert.deepEqual((await days({ days: 1 })).sort(), ['2026-11-21 0', '2026-11-21 1'])
    const [key = ''] = keys
    assert.deepEqual(await days({ key: key.toUpperCase(), days: 30 }), ['2026-10-23 0', '2026-11-20 0', '2026-11-21 0'])
    assert.equal((await days({ days: 31 })).length, 5)
    await assert.rejects(days({ key: 'none', days: 1 }), /no key with the id "none": see "foldgate key list"/)
  })

  it('says when a key was last used', async () => {
    await record({ at: today - DAY_MS }, { at: today - 5 }, { method: 'download', at: today - 3 })
    const lastUsed = new Map((await listKeys(store)).map(key => [key.id, key.lastUsedAt]))
    assert.deepEqual(
      keys.map(key => lastUsed.get(key)),
      [today - 3, null],
    )
  })

  it('waits for another process that writes, and holds up nothing meanwhile', async () => {
    const counters = await openStore(file, { blockingWaitMs: 0 })
    const usage = usagePort(counters, unexpected)
    const other = await openStore(file)
    await other.transaction(async within => {
      await within.db.updateTable('keys').set({ name: 'renamed' }).execute()
      usage.record(used())
      let longestMs = 0
      for (const end = performance.now() + WRITTEN_AFTER_MS; performance.now() < end; ) {
        const before = performance.now()
        await setTimeout(1)
        assert.equal(calls(await readUsage(store, { days: 1 })), 0)
        longestMs = Math.max(longestMs, performance.now() - before)
      }
      assert.ok(longestMs < 500, `${longestMs} ms`)
    })
    await usage.close()
    assert.equal(calls(await readUsage(store, { days: 1 })), 1)
    await Promise.all([counters.close(), other.close()])
  })

  it('waits, and says so once, while it cannot be written', async () => {
    const reported: string[] = []
    const report: Report = (what, cause) => reported.push(`${what}: ${(cause as Error).message}`)
    mock.timers.enable({ apis: ['setTimeout'] })
    let attempts = 0
    const stubborn: Store = { ...store, transaction: work => store.transaction(work).finally(() => attempts++) }
    const usage = usagePort(stubborn, report)
    try {
      await store.db.schema.alterTable('usage').renameTo('away').execute()
      for (let time = 1; time <= 3; time++) {
        usage.record(used())
        mock.timers.tick(1000)
        while (attempts < time) await setImmediate()
      }
      await store.db.schema.alterTable('away').renameTo('usage').execute()
    } finally {
      mock.timers.reset()
    }
    await usage.close()
    assert.equal(calls(await readUsage(store, { days: 1 })), 3)
    assert.equal(reported.length, 1)
    assert.match(reported.join(), /^writing usage: (no such table: usage|relation "usage" does not exist)$/)
  })

  it('takes no more memory than for 20 000 counters', async () => {
    const written: number[] = []
    const rows = writeBehind<number>(store, {
      what: 'numbers',
      report: unexpected,
      write: async (_, numbers) => void written.push(...numbers),
      merge: (older, newer) => older + newer,
    })
    for (let time = 0; time < 2; time++) for (let at = 0; at < 20_001; at++) rows.put(`${at}`, 1)
    await rows.close()
    assert.equal(written.length, 20_000)
    assert.ok(written.every(sum => sum === 2))
  })

  it('comes to a store from before it, which keeps what it has', async () => {
    await store.db.schema.dropTable('usage').execute()
    await store.db.schema.dropTable('quota_windows').execute()
    await store.db.schema.dropTable('sessions').execute()
    await sql`DELETE FROM migrations WHERE name > '0001-start'`.execute(store.db)
    await store.close()
    store = await openStore(file)
    assert.equal((await listKeys(store)).length, 2)
    assert.deepEqual(await readUsage(store, { days: 1 }), [])
  })
})

describe('usage of a server', () => {
  let folder: string
  let url: string
  let child: ChildProcess
  let key: string
  let keyId: string

  before(async () => {
    folder = scratch.path
    await writePackage(join(folder, 'package'))
    await output(folder, 'import', 'package')
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'south')
    const owner = ['--user', 'ada@example.org', '--organization', 'south']
    const made = await outputJson<{ id: string; key: string }>(folder, 'key', 'create', ...owner, '--name', 'nightly')
    key = made.key
    keyId = made.id
    ;({ url, child } = await serve(folder))
  })

  after(() => child.kill('SIGKILL'))

  async function usage(...flags: string[]): Promise<Record<string, unknown>> {
    const [day, ...more] = await outputJson<Record<string, unknown>[]>(folder, 'usage', '--key', keyId, ...flags)
    assert.ok(day && more.length === 0)
    return day
  }

  const takenOf = (headers: Headers) => 600 - Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

  it('has calls, failed ones too, rows, bytes and downloads, and nothing of HEAD, once it has ended', async () => {
    const projectId = PROJECT_IDS.early
    const statement = 'SELECT entity_key FROM entities ORDER BY 1'
    assert.equal((await call(url, key, 'list')).items.length, 1)
    assert.equal((await call(url, key, 'describe', { projectId })).status, 200)
    assert.equal((await call(url, key, 'query', { projectId, sql: statement })).items.length, 2)
    assert.equal((await call(url, key, 'query', { projectId, sql: 'DROP TABLE entities' })).class, 'INVALID_QUERY')
    assert.equal((await call(url, key, 'nothing')).class, 'METHOD_NOT_FOUND')
    assert.equal((await call(url, 'fg_nothing', 'list')).status, 401)
    const { link = '' } = await call(url, key, 'export', { projectId, sql: statement })
    const headers = { authorization: `Bearer ${key}` }
    for (const method of ['GET', 'HEAD', 'HEAD', 'GET']) {
      const response = await fetch(link, { method, headers })
      assert.equal(response.status, 200)
      await response.arrayBuffer()
    }
    const last = await call(url, key, 'list')
    assert.equal(takenOf(last.headers), 7)
    assert.equal(await stop(child), 0)
    const { bytes, downloadBytes, day, ...counted } = await usage('--days', '2')
    assert.deepEqual(counted, {
      id: keyId,
      name: 'nightly',
      calls: 7,
      failed: 2,
      methods: {
        'projects/describe': { calls: 1, failed: 0 },
        'projects/export': { calls: 1, failed: 0 },
        'projects/list': { calls: 2, failed: 0 },
        'projects/query': { calls: 2, failed: 1 },
        unknown: { calls: 1, failed: 1 },
      },
      rows: 6,
      downloads: 2,
    })
    assert.ok(Number(downloadBytes) > 200 && Number(bytes) > Number(downloadBytes) / 2)
    assert.equal(day, last.headers.get('date') && new Date(last.headers.get('date') ?? '').toISOString().slice(0, 10))
  })

  it('is printed as a table, and keys with their last use', async () => {
    const [head = '', line = ''] = (await output(folder, 'usage')).split('\n')
    assert.match(head, /^DAY +KEY +NAME +CALLS +FAILED +LIST +DESCRIBE +QUERY +EXPORT +ROWS +BYTES +DOWNLOADS$/)
    assert.match(line, /^\d{4}-\d\d-\d\d +[\da-f-]{36} +nightly +7 +2 +2 +1 +2 +1 +6 +\d+ +2$/)
    const [listed] = await outputJson<{ lastUsedAt: string }[]>(folder, 'key', 'list')
    assert.ok(Date.now() - Date.parse(listed?.lastUsedAt ?? '') < 60_000)
    const [columns = ''] = (await output(folder, 'key', 'list')).split('\n')
    assert.match(columns, /LAST USED$/)
  })
})
