import assert from 'node:assert/strict'
import type { Caller } from 'foldgate'
import { type PluginTransformQueryArgs, type PluginTransformResultArgs, sql } from 'kysely'
import { openStore, type Store } from '#server/database/store.js'
import { storedQuota } from '#server/store/quota.js'
import { forgetWindows, sharedQuota } from '#server/store/quota-windows.js'
import { ControlStore } from './control.js'
import { isEmbedded, unexpected } from './stores.js'

const signal = AbortSignal.timeout(60_000)
const ada: Caller = { keyId: 'one', ownerId: 'ada', organizations: ['north', 'south'] }

describe('quota windows', () => {
  const control = new ControlStore()

  it('are forgotten a day after they ended, and no others', async () => {
    const windowMs = 60_000
    const at = isEmbedded ? control.now : Date.now()
    const ages = {
      ended: 86_400_000 + windowMs + 5000,
      recent: 86_400_000 + windowMs - 5000,
      running: 10,
      ahead: -5000,
    }
    const windows = Object.entries(ages).map(([id, age]) => ({
      level: 'key' as const,
      id,
      started_at: at - age,
      taken: 1,
    }))
    const old = Array.from({ length: 2_500 }, (_, place) => ({
      ...windows[0],
      id: `old ${place}`,
      level: 'owner' as const,
    }))
    for (let first = 0; first < old.length; first += 500)
      await control.store.db
        .insertInto('call_windows')
        .values(old.slice(first, first + 500).map(each => ({ taken: 1, ...each, started_at: at - ages.ended })))
        .execute()
    await control.store.db.insertInto('call_windows').values(windows).execute()
    await forgetWindows(control.store, windowMs)
    const left = await control.store.db.selectFrom('call_windows').select('id').orderBy('id').execute()
    assert.deepEqual(
      left.map(({ id }) => id),
      ['ahead', 'recent', 'running'],
    )
  })

  it('are exact while some are forgotten', async () => {
    const clock = () => control.store.dialect.clock ?? sql<number>`${sql.lit(control.now)}`
    const quota = { calls: 50, callsPerOwner: 60, callsPerOrganization: 70, windowMs: 60_000 }
    const stores = [control.store, await openStore(control.file, { clock: { now: () => control.now } })]
    const servers = stores.map(each => sharedQuota(each, quota, clock))
    const old = { started_at: 1, taken: 50 }
    for (const [level, id] of [
      ['key', 'one'],
      ['owner', 'ada'],
      ['organization', 'north'],
      ['organization', 'south'],
    ] as const)
      await control.store.db
        .insertInto('call_windows')
        .values({ level, id, ...old })
        .execute()
    let isOver = false
    const forgetting = async () => {
      while (!isOver) await forgetWindows(stores[1] as Store, quota.windowMs)
    }
    const forgotten = forgetting()
    const states = await Promise.all(Array.from({ length: 90 }, (_, at) => servers[at % 2]?.take(ada, signal)))
    isOver = true
    await forgotten
    assert.equal(states.filter(state => state?.allowed).length, 50)
    await stores[1]?.close()
  })

  it('are asked by fewer statements than there are calls at once, each of which is told what it has left', async () => {
    const clock = () => control.store.dialect.clock ?? sql<number>`${sql.lit(control.now)}`
    let asked = 0
    const plugin = {
      transformQuery({ node }: PluginTransformQueryArgs) {
        asked += 1
        return node
      },
      transformResult: async ({ result }: PluginTransformResultArgs) => result,
    }
    const counted = { ...control.store, db: control.store.db.withPlugin(plugin) }
    const { take } = sharedQuota(counted, { calls: 40, callsPerOwner: 35, windowMs: 60_000 }, clock)
    const bob: Caller = { ...ada, keyId: 'two', ownerId: 'bob' }
    const atOnce = (caller: Caller, count: number) =>
      Promise.all(Array.from({ length: count }, () => take(caller, signal)))
    for (const caller of [ada, bob]) assert.equal((await take(caller, signal)).remaining, 34)
    asked = 0
    const [first, other] = await Promise.all([atOnce(ada, 20), atOnce(bob, 7)])
    assert.equal(asked, 4) // of each, the first one and then all that have waited for it
    const left = (states: readonly { remaining: number }[]) => states.map(({ remaining }) => remaining)
    assert.deepEqual(
      left(first),
      Array.from({ length: 20 }, (_, at) => 33 - at),
    )
    assert.deepEqual(left(other), [33, 32, 31, 30, 29, 28, 27])
    const last = await atOnce(ada, 20)
    assert.equal(last.filter(({ allowed }) => allowed).length, 14)
    assert.deepEqual(left(last.filter(({ allowed }) => !allowed)), [0, 0, 0, 0, 0, 0])
  })

  it('are read by a server that starts only if they run', async () => {
    await control.store.db
      .insertInto('call_windows')
      .values(
        Array.from({ length: 50 }, (_, minutes) => ({
          level: 'key' as const,
          id: minutes === 0 ? ada.keyId : `${minutes}`,
          started_at: control.now - minutes * 60_000 - 1,
          taken: 3,
        })),
      )
      .execute()
    let read = 0
    const plugin = {
      transformQuery: ({ node }: PluginTransformQueryArgs) => node,
      async transformResult({ result }: PluginTransformResultArgs) {
        read += result.rows.length
        return result
      },
    }
    const counted = { ...control.store, db: control.store.db.withPlugin(plugin) }
    const { take, close } = await storedQuota(counted, { calls: 9, windowMs: 600_000 }, unexpected)
    assert.equal((await take(ada, signal)).remaining, 5)
    await close()
    assert.equal(read, 11) // those of ten minutes, and of one more in case that the clock is set back
  })
})
