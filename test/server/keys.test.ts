import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { forgetKeys } from '#server/store/ended-keys.js'
import { countKeys, createKey, listKeys, listSomeKeys, MOST_KEYS, revokeKey } from '#server/store/keys.js'
import { keyPort } from '#server/store/ports.js'
import { readUsage, usagePort } from '#server/store/usage.js'
import { addUser } from '#server/store/users.js'
import { ControlStore } from './control.js'
import { unexpected } from './stores.js'
import { used } from './used.js'

const ADA = 'ada@example.org'
const BOB = 'bob@example.org'
const DAY_MS = 86_400_000
const signal = AbortSignal.timeout(60_000)

describe('the keys of a user', () => {
  const control = new ControlStore()

  beforeEach(async () => {
    await control.addAda('north')
    await addUser(control.store, { email: BOB, organizations: ['north'] })
  })

  const create = (user: string, more: { name?: string; expiresAt?: number } = {}) =>
    createKey(control.store, { user, organizations: ['north'], ...more })

  it('are at most 100 that are neither revoked nor expired', async () => {
    const first = await create(ADA, { expiresAt: control.now + 1000 })
    for (let count = 1; count < MOST_KEYS; count++) await create(ADA)
    await assert.rejects(create(ADA), {
      name: 'Refusal',
      message:
        /has 100 active keys, and can have no more: revoke one first, on the page of keys or with "foldgate key revoke"/,
    })
    assert.equal((await listKeys(control.store, ADA)).length, MOST_KEYS)
    await create(BOB)
    control.now += 1000 // the first one expires
    const next = await create(ADA)
    await assert.rejects(create(ADA), /100 active keys/)
    await revokeKey(control.store, next.id)
    await create(ADA)
    assert.equal(await countKeys(control.store, { email: ADA, state: 'active' }), MOST_KEYS)
    assert.equal(await keyPort(control.store).authenticate(first.key, signal), null)
  })

  it('are not more than that when they are created at once', async () => {
    for (let count = 2; count < MOST_KEYS; count++) await create(ADA)
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => create(ADA)))
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 2)
  })

  it('are listed by pages, the newest first, and none of another user', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) {
      const { id } = await create(ADA, { name })
      await create(BOB)
      if (name === 'c') await revokeKey(control.store, id)
      control.now += 1
    }
    const some = async (state: 'active' | 'ended', skip: number) =>
      (await listSomeKeys(control.store, { email: ADA, state }, { skip, most: 2 })).map(({ name }) => name)
    assert.deepEqual(
      [await some('active', 0), await some('active', 2), await some('active', 4)],
      [['e', 'd'], ['b', 'a'], []],
    )
    assert.deepEqual(await some('ended', 0), ['c'])
  })

  describe('that ended 90 days ago', () => {
    const names = async () => (await listKeys(control.store, ADA)).map(({ name }) => name)

    it('are removed, and no others', async () => {
      const { id } = await create(ADA, { name: 'revoked' })
      await revokeKey(control.store, id)
      await create(ADA, { name: 'expired', expiresAt: control.now + 1 })
      await create(ADA, { name: 'expires later', expiresAt: control.now + 2 * DAY_MS })
      await create(ADA, { name: 'lasts' })
      control.now += 90 * DAY_MS - 1
      await forgetKeys(control.store)
      assert.equal((await names()).length, 4)
      control.now += 2
      await forgetKeys(control.store)
      assert.deepEqual((await names()).sort(), ['expires later', 'lasts'])
      const rows = await control.store.db.selectFrom('keys').select('id').execute()
      assert.equal(rows.length, 2)
    })

    it('leave their usage behind, which is reported by their names', async () => {
      const [first, other] = [await create(ADA, { name: 'Nightly report' }), await create(BOB, { name: 'Other' })]
      await revokeKey(control.store, first.id)
      const usage = usagePort(control.store, unexpected)
      for (const { id: keyId } of [first, other])
        usage.record(used({ keyId, method: 'projects/list', at: control.now }))
      await usage.close()
      control.now += 91 * DAY_MS
      const before = await readUsage(control.store, { days: 100 })
      await forgetKeys(control.store)
      await forgetKeys(control.store)
      assert.deepEqual(await names(), [])
      assert.deepEqual(await readUsage(control.store, { days: 100 }), before)
      const [day] = await readUsage(control.store, { key: first.id.toUpperCase(), days: 100 })
      assert.deepEqual([day?.keyName, day?.calls, day?.rows], ['Nightly report', 1, 10])
      assert.equal(await keyPort(control.store).authenticate(first.key, signal), null)
      assert.equal((await keyPort(control.store).authenticate(other.key, signal))?.keyId, other.id)
      await assert.rejects(readUsage(control.store, { key: randomUUID(), days: 1 }), /There is no key/)
    })

    it('are removed however many there are', async () => {
      for (let count = 0; count < 450; count++) {
        await create(ADA, { expiresAt: control.now + 1 })
        control.now += 1
      }
      control.now += 90 * DAY_MS
      await forgetKeys(control.store)
      assert.deepEqual(await names(), [])
    })
  })
})
