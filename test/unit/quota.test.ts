import assert from 'node:assert/strict'
import { type Caller, memoryQuota } from 'foldgate'
import type { QuotaWindow } from '#lib/call/memory-quota.js'
import type { QuotaHolder } from '#lib/call/quota-levels.js'
import { rateLimited } from '#lib/call/quota-levels.js'

const signal = AbortSignal.timeout(60_000)
const windowMs = 1000

class StoppedClock {
  at = 1_000_000

  now(): number {
    return this.at
  }
}

const caller = (keyId: string, ownerId: string, ...organizations: string[]): Caller => ({
  keyId,
  ownerId,
  organizations,
})

describe('a quota with levels', () => {
  /** A quota, and how often a caller is allowed before the first refusal, with that. */
  function counting(limits: Partial<Parameters<typeof memoryQuota>[0]>) {
    const clock = new StoppedClock()
    const quota = memoryQuota({ calls: 100, windowMs, clock, ...limits })
    const take = (of: Caller) => quota.take(of, signal)
    async function spend(of: Caller) {
      for (let count = 0; count < 1000; count++) {
        const state = await take(of)
        if (!state.allowed) return { count, level: state.level, limit: state.limit }
      }
      throw new Error('is never refused')
    }
    return { clock, take, spend }
  }

  it('bounds the sum of the keys of an owner, and leaves the keys of others alone', async () => {
    const { spend } = counting({ calls: 3, callsPerOwner: 10 })
    const refused = []
    for (let key = 0; key < 5; key++) refused.push(await spend(caller(`ada ${key}`, 'ada')))
    const own = { count: 3, level: 'key', limit: 3 }
    const none = { count: 0, level: 'owner', limit: 10 }
    assert.deepEqual(refused, [own, own, own, { ...none, count: 1 }, none])
    assert.deepEqual(await spend(caller('bob', 'bob')), own)
  })

  it('takes a unit from the organization with the most left, and refuses only when all have none', async () => {
    const { spend } = counting({ callsPerOrganization: 4 })
    const none = { level: 'organization', limit: 4 }
    assert.deepEqual(await spend(caller('ada', 'ada', 'north', 'south')), { count: 8, ...none })
    assert.deepEqual(await spend(caller('bob', 'bob', 'north')), { count: 0, ...none })
    assert.deepEqual(await spend(caller('eve', 'eve', 'south', 'west')), { count: 4, ...none })
    assert.deepEqual(await spend(caller('joe', 'joe', 'east')), { count: 4, ...none })
  })

  it('never lets one organization use up what users of another one need', async () => {
    const { spend, take } = counting({ callsPerOrganization: 4 })
    await spend(caller('eve', 'eve', 'north'))
    // Ada reads both: her calls are taken from the other one.
    assert.equal((await take(caller('ada', 'ada', 'north', 'south'))).remaining, 3)
    assert.equal((await spend(caller('bob', 'bob', 'south'))).count, 3)
  })

  it('counts only the key and the owner of a caller without organizations', async () => {
    const { spend } = counting({ callsPerOwner: 5, callsPerOrganization: 1 })
    assert.deepEqual(await spend(caller('ada', 'ada')), { count: 5, level: 'owner', limit: 5 })
  })

  it('takes nothing at any level when one has none left', async () => {
    const { spend, take, clock } = counting({ calls: 2, callsPerOwner: 3, callsPerOrganization: 10 })
    const [first, second] = [caller('1', 'ada', 'north'), caller('2', 'ada', 'north')]
    await spend(first)
    await spend(second)
    for (let count = 0; count < 50; count++) await take(second)
    // Of the second key, one unit was taken, and three of the organization.
    assert.deepEqual(await spend(caller('2', 'bob', 'west')), { count: 1, level: 'key', limit: 2 })
    assert.equal((await take(caller('3', 'bob', 'north'))).allowed, true)
    clock.at += windowMs
    assert.equal((await take(second)).remaining, 1)
  })

  it('tells of the level with the fewest calls left, and of the key among several', async () => {
    const { take } = counting({ calls: 4, callsPerOwner: 5, callsPerOrganization: 9 })
    const left = async (of: Caller) => {
      const { level, remaining, limit } = await take(of)
      return [level, remaining, limit]
    }
    assert.deepEqual(await left(caller('1', 'ada', 'north')), ['key', 3, 4])
    assert.deepEqual(await left(caller('2', 'ada', 'north')), ['key', 3, 4])
    assert.deepEqual(await left(caller('3', 'ada', 'north')), ['owner', 2, 5])
    for (let key = 0; key < 5; key++) await take(caller(`${key}`, `${key}`, 'north'))
    assert.deepEqual(await left(caller('4', 'bob', 'north')), ['organization', 0, 9])
  })

  it('has a window per holder, whatever their ids are', async () => {
    const { take } = counting({ calls: 2, callsPerOwner: 2, callsPerOrganization: 2 })
    for (const id of ['same', '__proto__']) assert.equal((await take(caller(id, id, id))).remaining, 1)
  })

  it('allows a key no more than the quota of its caller, which raises nothing', async () => {
    const { spend, take, clock } = counting({ calls: 4, callsPerOwner: 9, callsPerOrganization: 20 })
    const limited = (quota: number) => ({ ...caller('1', 'ada', 'north'), quota })
    assert.deepEqual(await spend(limited(2)), { count: 2, level: 'key', limit: 2 })
    // Another token of the same subject counts in the same window.
    assert.deepEqual(await spend(limited(3)), { count: 1, level: 'key', limit: 3 })
    assert.deepEqual(await spend(limited(1_000)), { count: 1, level: 'key', limit: 4 })
    const { level, limit, remaining } = await take({ ...caller('2', 'ada', 'north'), quota: 1_000 })
    assert.deepEqual([level, limit, remaining], ['key', 4, 3])
    clock.at += windowMs
    assert.equal((await take(limited(2))).remaining, 1)
  })

  it('resumes the windows of each level', async () => {
    const kept: [QuotaHolder, QuotaWindow][] = []
    const clock = new StoppedClock()
    const limits = { calls: 9, callsPerOwner: 2, callsPerOrganization: 5, windowMs, clock }
    const first = memoryQuota({ ...limits, onTake: (holder, window) => kept.push([holder, { ...window }]) })
    const ada = caller('1', 'ada', 'north')
    await first.take(ada, signal)
    const again = memoryQuota({ ...limits, windows: kept })
    assert.deepEqual(await again.take(ada, signal), {
      ...{ allowed: true, level: 'owner', limit: 2, remaining: 0, windowMs, resetMs: windowMs },
    })
    assert.equal((await again.take(caller('2', 'ada', 'north'), signal)).allowed, false)
  })

  it('says in the refusal whose calls are used up', () => {
    const state = { allowed: false, limit: 7, remaining: 0, windowMs: 2000, resetMs: 1500 }
    const message = (level?: 'key' | 'owner' | 'organization') =>
      rateLimited({ ...state, ...(level && { level }) }).message
    assert.match(message(), /^The key has used its 7 calls in 2 seconds\. Retry in 2 s\.$/)
    assert.equal(message('key'), message())
    assert.match(message('owner'), /^The keys of this owner have together used their 7 calls /)
    assert.match(message('organization'), /^The keys of every organization that this key reads have together used /)
  })

  for (const name of ['callsPerOwner', 'callsPerOrganization'])
    it(`refuses ${name} that is not a number of calls`, () => {
      for (const value of [0, -1, 1.5, Number.NaN, '5', null])
        assert.throws(() => memoryQuota({ calls: 1, windowMs, [name]: value as number }), {
          message: `quota: ${name} must be a whole number above 0`,
        })
    })
})
