import assert from 'node:assert/strict'
import { resolveLimits } from '#lib/call/limits.js'
import { ExportQuota } from '#lib/exports/quota.js'

const DAY_MS = 86_400_000
/** Time until the last file of a step is gone, at most. */
const STEP_MS = DAY_MS / 100

describe('the files of exports that are kept', () => {
  let now: number
  const quotaOf = (owner: number, organization: number) => {
    now = 1_000 * DAY_MS
    const limits = resolveLimits({
      exportBytes: 10,
      exportBytesPerOwner: owner,
      exportBytesPerOrganization: organization,
    })
    return new ExportQuota(limits, { now: () => now }, DAY_MS)
  }
  const store = (quota: ExportQuota, bytes: number, owner = 'ada', organization = 'north') => {
    const counted = quota.begin(owner, organization)
    counted.stored(bytes, now + DAY_MS)
    counted.end()
  }
  /** Seconds after which a refused export may begin; null when it is not refused. */
  const waitOf = (quota: ExportQuota, owner = 'ada', organization = 'north') => {
    try {
      quota.begin(owner, organization).end()
      return null
    } catch (cause) {
      const { class: errorClass, data } = cause as { class: string; data?: { retryAfterSeconds: number } }
      assert.equal(errorClass, 'UNAVAILABLE')
      return data?.retryAfterSeconds
    }
  }

  it('count for their owner until their retention is over, and the time that is told is when there is room', () => {
    const quota = quotaOf(30, 1000)
    store(quota, 10)
    now += DAY_MS / 2
    store(quota, 9)
    store(quota, 2)
    const waitSeconds = waitOf(quota) as number
    assert.ok(waitSeconds * 1000 >= DAY_MS / 2 && waitSeconds * 1000 <= DAY_MS / 2 + STEP_MS, `${waitSeconds} s`)
    assert.equal(waitOf(quota, 'bob'), null)
    now += waitSeconds * 1000 - 1000
    assert.equal(waitOf(quota), 1)
    now += 1000
    assert.equal(waitOf(quota), null)
  })

  it('count for their organization, whoever owns them', () => {
    const quota = quotaOf(30, 40)
    for (const owner of ['ada', 'bob', 'cyd', 'dan']) store(quota, 10, owner)
    assert.ok(waitOf(quota, 'eve'))
    assert.equal(waitOf(quota, 'eve', 'south'), null)
    assert.equal(waitOf(quota, 'ada', 'south'), null)
  })

  it('count with the bound per file while they run, and not at all when they fail', () => {
    const quota = quotaOf(30, 1000)
    const running = [1, 2, 3].map(() => quota.begin('ada', 'north'))
    assert.equal(waitOf(quota), undefined, 'no time is known')
    for (const each of running) each.end()
    for (const each of running) each.end()
    assert.equal(waitOf(quota), null)
    for (let count = 0; count < 3; count++) quota.begin('ada', 'north')
    assert.equal(waitOf(quota), undefined, 'one that ends twice counts once')
  })

  it('never exceed a bound, in any order of beginnings and ends', () => {
    const quota = quotaOf(35, 50)
    const running: { owner: string; counted: ReturnType<ExportQuota['begin']> }[] = []
    const stored: { owner: string; bytes: number; at: number }[] = []
    let [seed, begun, refused] = [1, 0, 0]
    const next = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    for (let turn = 0; turn < 5_000; turn++) {
      now += next(STEP_MS * 4)
      const owner = `owner-${next(3)}`
      if (next(2) === 0) {
        try {
          running.push({ owner, counted: quota.begin(owner, 'north') })
          begun += 1
        } catch {
          refused += 1
        }
      } else {
        const [ended] = running.splice(next(running.length || 1), 1)
        const bytes = next(11)
        if (ended && next(4) > 0) {
          ended.counted.stored(bytes, now + DAY_MS)
          stored.push({ owner: ended.owner, bytes, at: now })
        }
        ended?.counted.end()
      }
      const alive = stored.filter(({ at }) => at + DAY_MS > now)
      const sum = (of: typeof alive) => of.reduce((total, { bytes }) => total + bytes, 0)
      assert.ok(sum(alive) + 10 * running.length <= 50)
      for (const each of ['owner-0', 'owner-1', 'owner-2']) {
        const own = running.filter(one => one.owner === each).length
        assert.ok(sum(alive.filter(one => one.owner === each)) + 10 * own <= 35)
      }
    }
    assert.ok(begun > 500 && refused > 500, `${begun} begun, ${refused} refused`)
  })

  it('have defaults that leave room for an export, and refuse bounds that leave none', () => {
    const large = resolveLimits({ exportBytes: 2 ** 40 })
    assert.deepEqual([large.exportBytesPerOwner, large.exportBytesPerOrganization], [2 ** 40, 2 ** 40])
    assert.throws(
      () => resolveLimits({ exportBytes: 10, exportBytesPerOwner: 9 }),
      /^TypeError: limits\.exportBytesPerOwner must be at least limits\.exportBytes, which is 10$/,
    )
  })
})
