import assert from 'node:assert/strict'
import { join } from 'node:path'
import { mock } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { UsageRecord } from 'foldgate'
import { openStore, type Store } from '#server/database/store.js'
import { writeBehind } from '#server/database/write-behind.js'
import type { Report } from '#server/operation/log.js'
import { createKey, listKeys } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { type DayUsage, readUsage, usagePort } from '#server/store/usage.js'
import { sumUsage, type UsageGroup } from '#server/store/usage-sums.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from './command.js'
import { storeAt, unexpected } from './stores.js'
import { used } from './used.js'

const DAY_MS = 86_400_000
/** Longer than the delay of any write. */
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

  const call = (given: Partial<UsageRecord> = {}) => used({ keyId: keys[0] ?? '', at: today, ...given })

  async function record(...records: Partial<UsageRecord>[]): Promise<void> {
    const usage = usagePort(store, unexpected)
    for (const each of records) usage.record(call(each))
    await usage.close()
  }

  const calls = (usage: readonly DayUsage[]) => usage.reduce((sum, day) => sum + day.calls, 0)

  it('is counted by key, day and method, and later counts are added', async () => {
    const failed = { outcome: 'INVALID_QUERY', rows: 0, bytes: 0 }
    await record({}, {}, failed, { method: 'projects/list', rows: 4 }, { keyId: keys[1] as string })
    await record({ at: today + 1 }, { ...failed, method: 'unknown' }, { method: 'download', rows: 0, bytes: 7 })
    const usage = await readUsage(store, { days: 1 })
    const { keyName, ...first } = usage.find(day => day.keyId === keys[0]) as DayUsage
    assert.ok(['first', 'second'].includes(keyName ?? ''))
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

  it('is read for a number of days including today, earliest first, for all keys or one', async () => {
    await record(...[0, 1, 29, 30].map(daysAgo => ({ at: today - daysAgo * DAY_MS })), { keyId: keys[1] as string })
    const days = async (query: { key?: string; days: number }) =>
      (await readUsage(store, query)).map(({ day, keyId }) => `${day} ${keys.indexOf(keyId)}`)
    assert.deepEqual((await days({ days: 1 })).sort(), ['2026-11-21 0', '2026-11-21 1'])
    const [key = ''] = keys
    assert.deepEqual(await days({ key: key.toUpperCase(), days: 30 }), ['2026-10-23 0', '2026-11-20 0', '2026-11-21 0'])
    assert.equal((await days({ days: 31 })).length, 5)
    await assert.rejects(days({ key: 'none', days: 1 }), /no key with the id "none": see "foldgate key list"/)
  })

  it('is added up by what it is of, what took the engine most first', async () => {
    const [one = '', other = ''] = keys
    const project = { projectId: '11111111-1111-4111-8111-111111111111' }
    const spent = { processorMs: 40, phasesMs: { wait: 1.4, build: 2, query: 30 } }
    await record(
      { ...project, ...spent, relations: ['sites', 'shares'] },
      { ...project, ...spent, method: 'queries/revenue@2', relations: ['sites'] },
      { keyId: other, outcome: 'QUERY_TIMEOUT', rows: 0, bytes: 0, processorMs: 900, relations: ['shares'] },
      { keyId: other, organization: null, projectId: 'sent by a caller', method: 'projects/list' },
      { ...project, method: 'download', rows: 0, bytes: 7 },
      { keyId: '["south"]', organization: 'south' },
    )
    const sums = async (by: UsageGroup) =>
      (await sumUsage(store, { by, days: 1 })).map(each => [each.id, each.calls, each.failed, each.engineMs])
    assert.deepEqual(await sums('organization'), [
      ['north', 3, 1, 980],
      ['', 1, 0, 0],
      ['south', 1, 0, 0],
    ])
    assert.deepEqual(await sums('owner'), [
      ['ada@example.org', 4, 1, 980],
      ['["south"]', 1, 0, 0],
    ])
    assert.deepEqual(await sums('key'), [
      [other, 2, 1, 900],
      [one, 2, 0, 80],
      ['["south"]', 1, 0, 0],
    ])
    assert.deepEqual(await sums('project'), [
      ['', 3, 1, 900],
      [project.projectId, 2, 0, 80],
    ])
    assert.deepEqual(await sums('query'), [['queries/revenue@2', 1, 0, 40]])
    assert.deepEqual(await sums('relation'), [
      ['shares', 2, 1, 940],
      ['sites', 2, 0, 80],
    ])
    const [sum] = await sumUsage(store, { by: 'project', days: 1, key: one })
    assert.deepEqual(sum, {
      ...{ id: project.projectId, calls: 2, failed: 0, rows: 20, bytes: 200, downloads: 1, downloadBytes: 7 },
      ...{ waitMs: 2, buildMs: 4, runMs: 60, engineMs: 80 },
    })
    const unknown = { by: 'project', days: 1, key: 'nobody' } as const
    await assert.rejects(sumUsage(store, unknown), /There is no key with the id "nobody"/)
    assert.equal(calls(await readUsage(store, { days: 1 })), 5, 'what relations were read counts no call twice')
  })

  it('says when a key was last used', async () => {
    await record({ at: today - DAY_MS }, { at: today - 5 }, { method: 'download', at: today - 3 })
    const lastUsed = new Map((await listKeys(store)).map(key => [key.id, key.lastUsedAt]))
    assert.deepEqual(
      keys.map(key => lastUsed.get(key)),
      [today - 3, null],
    )
  })

  it('is written after another process has finished writing the same, and blocks nothing until then', async () => {
    await record({})
    const counters = await openStore(file, { blockingWaitMs: 0 })
    const usage = usagePort(counters, unexpected)
    const other = await openStore(file)
    await other.transaction(async within => {
      await within.db.updateTable('usage').set({ rows: 4 }).execute()
      usage.record(call())
      let longestMs = 0
      for (const end = performance.now() + WRITTEN_AFTER_MS; performance.now() < end; ) {
        const before = performance.now()
        await setTimeout(1)
        assert.equal(calls(await readUsage(store, { days: 1 })), 1)
        longestMs = Math.max(longestMs, performance.now() - before)
      }
      assert.ok(longestMs < 500, `${longestMs} ms`)
    })
    await usage.close()
    assert.deepEqual(
      (await readUsage(store, { days: 1 })).map(day => [day.calls, day.rows]),
      [[2, 14]],
    )
    await Promise.all([counters.close(), other.close()])
  })

  it('is kept, and the failure reported once, while it cannot be written', async () => {
    const reported: string[] = []
    const report: Report = (what, cause) => reported.push(`${what}: ${(cause as Error).message}`)
    mock.timers.enable({ apis: ['setTimeout'] })
    let attempts = 0
    const transaction = () => {
      const begun = store.db.transaction()
      return { execute: (work: Parameters<typeof begun.execute>[0]) => begun.execute(work).finally(() => attempts++) }
    }
    const db = Object.assign(Object.create(store.db), { transaction }) as Store['db']
    const usage = usagePort({ ...store, db }, report)
    try {
      await store.db.schema.alterTable('usage').renameTo('away').execute()
      for (let time = 1; time <= 3; time++) {
        usage.record(call())
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

  it('takes memory for at most 20,000 counters', async () => {
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
})
