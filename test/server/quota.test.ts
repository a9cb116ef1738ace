import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Caller, memoryQuota } from 'foldgate'
import { sql } from 'kysely'
import { openStore, type Store } from '#server/database/store.js'
import { storedQuota } from '#server/store/quota.js'
import { sharedQuota } from '#server/store/quota-windows.js'
import { output, outputJson, scratchFolder } from './command.js'
import { call, serve, stop } from './server.js'
import { storeAt, unexpected } from './stores.js'

const signal = AbortSignal.timeout(60_000)
const scratch = scratchFolder()

/** Small enough that each level is exhausted at times. */
const LEVELS = { calls: 4, callsPerOwner: 6, callsPerOrganization: 3, windowMs: 1000 }
const EVERY_LEVEL = ['key', 'organization', 'owner'].flatMap(level => [`${level} false`, `${level} true`])

/** Three keys of Ada, who reads two organizations, and one of Bob, who reads one of them and another one. */
const callers: readonly [Caller, Caller, Caller, Caller] = [
  { keyId: 'one', ownerId: 'ada', organizations: ['north', 'south'] },
  { keyId: 'two', ownerId: 'ada', organizations: ['north', 'south'] },
  { keyId: 'three', ownerId: 'ada', organizations: ['south'] },
  { keyId: 'four', ownerId: 'bob', organizations: ['south', 'west'] },
]

describe('quota in the store', () => {
  const start = Date.UTC(2026, 10, 21, 12)
  const clock = { now: () => now }
  let now: number
  let store: Store
  let location: string
  let opened = 0

  beforeEach(async () => {
    now = start
    location = await storeAt(join(scratch.path, `${++opened}.db`))
    store = await openStore(location, { clock })
  })

  afterEach(() => store.close())

  /** The state of a key's quota after `times` calls to a server that then ends. */
  async function takeOnce(quota: { calls: number; windowMs: number }, times = 1) {
    const { take, close } = await storedQuota(store, quota, unexpected)
    let state = await take(callers[0], signal)
    for (let time = 1; time < times; time++) state = await take(callers[0], signal)
    await close()
    return state
  }

  it('equals that of one endless process, whatever the clock does and however often the server restarts', async () => {
    const endless = memoryQuota({ ...LEVELS, clock })
    let stored = await storedQuota(store, LEVELS, unexpected)
    let random = 1
    const next = (below: number) => {
      random = (random * 48_271) % 2_147_483_647
      return random % below
    }
    const seen = new Set<string>()
    for (let step = 0; step < 400; step++) {
      now += next(20) === 0 ? -next(1500) : next(120)
      const caller = callers[next(callers.length)] ?? callers[0]
      const state = await stored.take(caller, signal)
      assert.deepEqual(state, await endless.take(caller, signal), `step ${step}`)
      seen.add(`${state.level} ${state.allowed}`)
      if (next(10) > 0) continue
      await stored.close()
      stored = await storedQuota(store, LEVELS, unexpected)
    }
    await stored.close()
    assert.deepEqual([...seen].sort(), EVERY_LEVEL)
    const rows = await store.db.selectFrom('call_windows').select('id').execute()
    assert.equal(rows.length, 4 + 2 + 3)
  })

  it('continues its window after the number of calls was changed', async () => {
    const windowMs = 60_000
    assert.equal((await takeOnce({ calls: 10, windowMs }, 5)).remaining, 5)
    now += 10_000
    const lowered = { allowed: false, limit: 3, remaining: 0, level: 'key', windowMs, resetMs: 50_000 }
    assert.deepEqual(await takeOnce({ calls: 3, windowMs }), lowered)
    assert.equal((await takeOnce({ calls: 20, windowMs })).remaining, 14)
  })

  it('continues its window after the length was changed', async () => {
    await takeOnce({ calls: 9, windowMs: 60_000 }, 3)
    now += 10_000
    assert.deepEqual(
      [await takeOnce({ calls: 9, windowMs: 20_000 }), await takeOnce({ calls: 9, windowMs: 10_000 })].map(
        ({ remaining, resetMs }) => [remaining, resetMs],
      ),
      [
        [5, 10_000],
        [8, 10_000],
      ],
    )
    now += 15_000
    assert.equal((await takeOnce({ calls: 9, windowMs: 30_000 })).remaining, 7)
  })

  describe('shared by several servers', () => {
    const storeClock = () => sql<number>`${sql.lit(now)}`

    it('equals that of one process, whichever server takes each call', async () => {
      const endless = memoryQuota({ ...LEVELS, clock })
      const other = await openStore(location)
      const servers = [store, other].map(each => sharedQuota(each, LEVELS, storeClock))
      let random = 1
      const next = (below: number) => {
        random = (random * 48_271) % 2_147_483_647
        return random % below
      }
      const seen = new Set<string>()
      for (let step = 0; step < 400; step++) {
        now += next(40) === 0 ? -5000 : next(120)
        const caller = callers[next(callers.length)] ?? callers[0]
        const state = await servers[next(2)]?.take(caller, signal)
        assert.deepEqual(state, await endless.take(caller, signal), `step ${step}`)
        seen.add(`${state?.level} ${state?.allowed}`)
      }
      assert.deepEqual([...seen].sort(), EVERY_LEVEL)
      await other.close()
    })

    it('is exact when they take units at once', async () => {
      const quota = { calls: 50, windowMs: 60_000 }
      const stores = [store, await openStore(location), await openStore(location)]
      const servers = stores.map(each => sharedQuota(each, quota, storeClock))
      const [key, , , another] = callers
      const takes = Array.from({ length: 120 }, (_, at) => servers[at % 3]?.take(at % 12 === 0 ? another : key, signal))
      const states = await Promise.all(takes)
      const left = states.flatMap((state, at) => (at % 12 > 0 && state?.allowed ? [state.remaining] : []))
      assert.deepEqual(
        left.sort((a, b) => a - b),
        Array.from({ length: 50 }, (_, at) => at),
      )
      assert.equal(states.filter((state, at) => at % 12 === 0 && state?.allowed).length, 10)
      await Promise.all(stores.slice(1).map(each => each.close()))
    })

    it('is exact for an owner and for organizations when they take units at once, and takes none in vain', async () => {
      const quota = { calls: 30, callsPerOwner: 45, callsPerOrganization: 40, windowMs: 60_000 }
      const stores = [store, await openStore(location), await openStore(location)]
      const servers = stores.map(each => sharedQuota(each, quota, storeClock))
      const [one, two, , another] = callers
      const takers = Array.from({ length: 140 }, (_, at) => (at % 5 === 4 ? another : at % 2 === 0 ? one : two))
      const states = await Promise.all(takers.map((caller, at) => servers[at % 3]?.take(caller, signal)))
      const granted = (...of: Caller[]) =>
        states.filter((state, at) => of.includes(takers[at] as Caller) && state?.allowed)
      assert.equal(granted(one, two).length, 45)
      assert.equal(granted(another).length, 28) // all of Bob's calls
      const rows = await store.db.selectFrom('call_windows').select(['level', 'taken']).execute()
      const taken = (level: string) => rows.reduce((sum, row) => sum + (row.level === level ? row.taken : 0), 0)
      assert.deepEqual(['key', 'owner', 'organization'].map(taken), [73, 73, 73])
      assert.ok(rows.every(row => row.level !== 'organization' || row.taken <= 40))
      await Promise.all(stores.slice(1).map(each => each.close()))
    })

    it('counts a call that another call overtook in the current window', async () => {
      const { take } = sharedQuota(store, { calls: 3, windowMs: 1000 }, storeClock)
      const left = []
      for (const late of [0, 15, 0, 3]) {
        now -= late
        const { allowed, remaining, resetMs } = await take(callers[0], signal)
        left.push([allowed, remaining, resetMs])
        now += late
      }
      assert.deepEqual(left, [
        [true, 2, 1000],
        [true, 1, 1000],
        [true, 0, 1000],
        [false, 0, 1000],
      ])
    })
  })
})

describe('quota of a server', () => {
  const limits = { quota: '3/60s' }
  let folder: string
  let url: string
  let child: ChildProcess
  let key: string

  before(async () => {
    folder = scratch.path
    await output(folder, 'organization', 'add', 'north', '--name', 'The North')
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'north')
    key = await makeKey()
    ;({ url, child } = await serve(folder, limits))
  })

  after(() => child.kill('SIGKILL'))

  function makeKey(): Promise<string> {
    return output(folder, 'key', 'create', '--user', 'ada@example.org', '--organization', 'north')
  }

  it('loses at most one second of calls and of usage when the server is killed', async () => {
    assert.match((await call(url, key, 'list')).headers.get('ratelimit') ?? '', /^"calls";r=2;t=60$/)
    const used = () => outputJson<{ calls: number }[]>(folder, 'usage')
    const deadline = performance.now() + 3000
    while ((await used()).length === 0 && performance.now() < deadline) await setTimeout(50)
    await stop(child, 'SIGKILL')
    assert.equal((await used())[0]?.calls, 1)
    ;({ url, child } = await serve(folder, limits))
    const { headers } = await call(url, key, 'list')
    assert.match(headers.get('ratelimit') ?? '', /^"calls";r=1;t=5\d$/)
  })

  it('answers the fourth call RATE_LIMITED with the time to retry, whatever the outcome of the others', async () => {
    const third = await call(url, key, 'nothing')
    assert.deepEqual([third.status, third.class], [404, 'METHOD_NOT_FOUND'])
    const { status, headers, class: failure, data } = await call(url, key, 'list')
    assert.deepEqual([status, failure], [429, 'RATE_LIMITED'])
    const seconds = Number(data?.retryAfterSeconds)
    assert.ok(Number.isInteger(seconds) && seconds > 40 && seconds < 60)
    assert.equal(headers.get('retry-after'), String(seconds))
    assert.equal(headers.get('ratelimit-policy'), '"calls";q=3;w=60')
    assert.equal(headers.get('ratelimit'), `"calls";r=0;t=${seconds}`)
    assert.equal((await call(url, await makeKey(), 'list')).status, 200)
  })

  it('is written completely when the server ends', async () => {
    assert.equal(await stop(child), 0)
    const store = await openStore(await storeAt(join(folder, 'foldgate-data', 'control.db')))
    const rows = await store.db.selectFrom('call_windows').select(['level', 'taken']).orderBy('taken').execute()
    await store.close()
    assert.deepEqual(
      rows.map(row => [row.level, row.taken]),
      [
        ['key', 1],
        ['key', 3],
        ['owner', 4],
      ],
    )
  })
})
