import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { UsageRecord } from 'foldgate'
import { openStore, type Store } from '#server/database/store.js'
import { forgetKeys } from '#server/store/ended-keys.js'
import { createKey, listKeys, revokeKey } from '#server/store/keys.js'
import { readUsage, usagePort } from '#server/store/usage.js'
import { retainUsage } from '#server/store/usage-retention.js'
import { until } from '../until.js'
import { output, outputJson } from './command.js'
import { ControlStore } from './control.js'
import { storeAt, unexpected } from './stores.js'
import { used } from './used.js'

const ADA = 'ada@example.org'
const DAY_MS = 86_400_000
const KEPT = { days: 40, months: 6 }
/** A process that adds usage up by month, and is killed in the third transaction once it has taken rows away. */
const KILLED = `
const { openStore } = await import('#server/database/store.js')
const { retainUsage } = await import('#server/store/usage-retention.js')
const [file, now] = process.argv.slice(1)
const store = await openStore(file, { clock: { now: () => Number(now) } })
let begun = 0
const plugin = {
  transformQuery({ node }) {
    if (node.kind === 'InsertQueryNode' && ++begun === 3) process.kill(process.pid, 'SIGKILL')
    return node
  },
  transformResult: async ({ result }) => result,
}
await retainUsage({ ...store, db: store.db.withPlugin(plugin) }, ${JSON.stringify(KEPT)})
`

describe('old usage', () => {
  const control = new ControlStore()
  let keyId: string

  beforeEach(async () => {
    await control.addAda('north')
    keyId = await newKey()
    control.now = Date.UTC(2026, 10, 21, 12)
  })

  const newKey = async () => (await createKey(control.store, { user: ADA, organizations: ['north'] })).id
  const retain = (store = control.store) => retainUsage(store, KEPT)
  const all = () => readUsage(control.store, { days: 3650 })
  const daysAgo = (days: number) => control.now - days * DAY_MS

  async function record(records: Partial<UsageRecord>[], store: Store = control.store): Promise<void> {
    const usage = usagePort(store, unexpected)
    for (const each of records) usage.record(used({ keyId, at: control.now, ...each }))
    await usage.close()
  }

  /** The sums of everything, by key, method and outcome. */
  async function sums(): Promise<Map<string, number[]>> {
    const rows = await control.store.db.selectFrom('usage').selectAll().execute()
    const found = new Map<string, number[]>()
    for (const { key_id, method, outcome, calls, rows: count, bytes } of rows) {
      const id = `${key_id} ${method} ${outcome}`
      const sum = found.get(id) ?? [0, 0, 0]
      found.set(
        id,
        [calls, count, bytes].map((each, at) => each + (sum[at] ?? 0)),
      )
    }
    return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** Calls of several keys, methods and outcomes on the last 60 days: more than one transaction moves. */
  async function recordMuch(): Promise<void> {
    const keys = [keyId, await newKey(), await newKey()]
    const outcomes = ['OK', 'INVALID_QUERY'] as const
    await record(
      Array.from({ length: 60 }, (_, days) => daysAgo(days)).flatMap(at =>
        keys.flatMap(key =>
          ['projects/list', 'projects/query', 'download'].flatMap(method =>
            outcomes.map(outcome => ({ keyId: key, method, outcome, at, rows: 3 })),
          ),
        ),
      ),
    )
  }

  const dayRows = async () =>
    (await control.store.db.selectFrom('usage').select('day').where('day', 'like', '____-__-__').execute()).length

  it('is one record per month, and that of newer days stays as it is', async () => {
    const failed = { outcome: 'INVALID_QUERY' as const, rows: 0, bytes: 0 }
    await record([
      { at: daysAgo(39) },
      { at: daysAgo(40) },
      { at: daysAgo(41), rows: 5 },
      { at: daysAgo(41), ...failed },
    ])
    await record([{ at: daysAgo(60) }, { at: daysAgo(60), method: 'download', bytes: 7 }, { at: daysAgo(0) }])
    const before = await all()
    await retain()
    const usage = await all()
    assert.deepEqual(
      usage.map(({ day, calls, failed: broken, rows, bytes, downloads, downloadBytes }) => [
        ...[day, calls, broken, rows, bytes],
        ...[downloads, downloadBytes],
      ]),
      [
        ['2026-09', 1, 0, 10, 100, 1, 7],
        ['2026-10', 3, 1, 15, 200, 0, 0],
        ['2026-10-13', 1, 0, 10, 100, 0, 0],
        ['2026-11-21', 1, 0, 10, 100, 0, 0],
      ],
    )
    assert.deepEqual(usage.slice(2), before.slice(-2))
    await retain()
    assert.deepEqual(await all(), usage)
  })

  it('has the sum of a month whatever part of it is asked for, and is added to when a counter comes late', async () => {
    await record([{ at: daysAgo(45) }, { at: daysAgo(80) }])
    await retain()
    const [month, ...others] = await readUsage(control.store, { days: 42 })
    assert.deepEqual([month?.day, month?.calls, others], ['2026-10', 1, []])
    await record([{ at: daysAgo(44) }])
    await retain()
    assert.deepEqual(
      (await all()).map(({ day, calls }) => [day, calls]),
      [
        ['2026-09', 1],
        ['2026-10', 2],
      ],
    )
  })

  it('is removed after the months that are kept, with the keys that were forgotten; the last use of others stays', async () => {
    const [ended, unused] = [await newKey(), await newKey()]
    await revokeKey(control.store, ended)
    const lastUse = daysAgo(185) // 20 May: the six months before November begin with it
    await record([{ keyId: ended, at: daysAgo(210) }, { at: daysAgo(210) }, { at: lastUse }])
    control.now += 91 * DAY_MS
    await forgetKeys(control.store)
    const keys = async () => (await control.store.db.selectFrom('keys').select('id').execute()).map(({ id }) => id)
    assert.deepEqual((await keys()).sort(), [keyId, ended, unused].sort())
    await retain()
    assert.deepEqual(await all(), [])
    assert.deepEqual((await keys()).sort(), [keyId, unused].sort())
    const lastUsed = new Map((await listKeys(control.store)).map(key => [key.id, key.lastUsedAt]))
    assert.deepEqual([lastUsed.get(keyId), lastUsed.get(unused)], [lastUse, null])
    await record([{}])
    assert.equal((await listKeys(control.store)).find(({ id }) => id === keyId)?.lastUsedAt, control.now)
  })

  it('is counted once when two servers add it up while counters of the same days are written', async () => {
    await recordMuch()
    const before = await sums()
    const other = await openStore(control.file, { clock: { now: () => control.now } })
    const late = { at: daysAgo(50), rows: 1, bytes: 1 }
    const writing = async () => {
      for (let time = 0; time < 20; time++) await record([{ ...late }, { ...late, at: daysAgo(55) }], other)
    }
    await Promise.all([retain(), retain(other), writing(), retain()])
    await retain() // what was being written meanwhile
    await other.close()
    const [calls = 0, rows = 0, bytes = 0] = before.get(`${keyId} projects/query OK`) ?? []
    const expected = before.set(`${keyId} projects/query OK`, [calls + 40, rows + 40, bytes + 40])
    assert.deepEqual(await sums(), expected)
    assert.equal(await dayRows(), 3 * 3 * 2 * KEPT.days)
  })

  it('is counted once when the process is killed in between', async () => {
    await recordMuch()
    const before = await sums()
    const rows = await dayRows()
    const child = spawn(process.execPath, ['--input-type=module', '-e', KILLED, control.file, String(control.now)])
    const [, killedBy] = await once(child, 'exit')
    assert.equal(killedBy, 'SIGKILL')
    // All of September in one transaction, and some of October in another.
    assert.equal(await dayRows(), rows - 3 * 3 * 2 * 8 - 200)
    assert.deepEqual(await sums(), before)
    // PostgreSQL may hold the rows of the process that was killed for a moment; they are left for the next time.
    await until(async () => {
      await retain()
      return (await dayRows()) === 3 * 3 * 2 * KEPT.days
    }, 'all of it is added up')
    assert.deepEqual(await sums(), before)
  })

  it('is shown by month by the command', async () => {
    const folder = join(control.folder, control.name.replace('.', '-'))
    await mkdir(folder)
    await output(folder, 'organization', 'add', 'north', '--name', 'North')
    await output(folder, 'user', 'add', ADA, '--organization', 'north')
    const store = await openStore(await storeAt(join(folder, 'foldgate-data', 'control.db')))
    const { id } = await createKey(store, { user: ADA, organizations: ['north'], name: 'Report' })
    const at = Date.now() - 50 * DAY_MS
    await record(
      [
        { keyId: id, at },
        { keyId: id, at: Date.now() },
      ],
      store,
    )
    await retain(store)
    await store.close()
    const month = new Date(at).toISOString().slice(0, 7)
    const usage = await outputJson<{ day: string; calls: number }[]>(folder, 'usage', '--days', '60')
    assert.deepEqual([usage.length, usage[0]?.day, usage[0]?.calls], [2, month, 1])
    const [headings, first] = (await output(folder, 'usage', '--days', '60')).split('\n')
    assert.match(headings ?? '', /^DAY +KEY +NAME +CALLS /)
    assert.match(first ?? '', new RegExp(`^${month}     ${id}  Report  1 `))
    assert.equal((await outputJson<[]>(folder, 'usage', '--days', '3')).length, 1)
  })
})
