import assert from 'node:assert/strict'
import { boundPendingOfHosts, countDropped, MOST_PENDING } from '#webhooks/outbox/bounds.js'
import { deliveryOf } from '#webhooks/outbox/webhook-events.js'
import { enableWebhook } from '#webhooks/switch.js'
import { dbOf } from '#webhooks/tables.js'
import { createWebhook, listWebhooks, MOST_WEBHOOKS } from '#webhooks/webhooks.js'
import { createKey, revokeKey } from '../../../server/dist/store/keys.js'
import { addUser } from '../../../server/dist/store/users.js'
import { until } from '../../../test/until.js'
import { ADA, Deliveries } from './deliveries.js'
import { TestReceiver } from './receiver.js'

const BOB = 'bob@example.org'
const HOUR_MS = 3_600_000

describe('the deliveries that wait', () => {
  const given = new Deliveries()

  beforeEach(() => addUser(given.control.store, { email: BOB, organizations: ['north'] }))

  const webhookOf = (user: string, url: string) =>
    createWebhook(given.control.store, { user, url, organizations: ['north'] })
  const states = async (webhookId: string) => {
    const rows = await dbOf(given.control.store)
      .selectFrom('webhook_deliveries')
      .select(['state', 'subject'])
      .where('webhook_id', '=', webhookId)
      .orderBy('created_at')
      .execute()
    return rows.map(({ state, subject }) => `${subject} ${state}`)
  }
  const waiting = async (webhookId: string) =>
    (await states(webhookId)).filter(each => each.endsWith(' pending')).length

  /** Queues deliveries to a webhook, as they may be in a store of an earlier version. */
  async function queue(webhookId: string, count: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, at) => {
      const row = { webhookId, event: 'key.revoked', subject: `${at}`, organization: null, data: {} }
      return deliveryOf({ ...row, at: given.control.now - 10_000 + at })
    })
    for (let at = 0; at < count; at += 500)
      await dbOf(given.control.store)
        .insertInto('webhook_deliveries')
        .values(rows.slice(at, at + 500))
        .execute()
  }

  /** Revokes a key of a user, of which all their webhooks are told. */
  async function revoke(user: string): Promise<string> {
    const { id } = await createKey(given.control.store, { user, organizations: ['north'] })
    await revokeKey(given.control.store, id)
    return id
  }

  it('are bounded for a webhook: the oldest are dropped', async () => {
    const bob = await webhookOf(BOB, 'https://bob.example/')
    await revoke(BOB)
    await queue(given.webhook.id, MOST_PENDING.webhook + 2)
    const newest = await revoke(ADA)
    const found = await states(given.webhook.id)
    assert.deepEqual(found.slice(0, 4), ['0 dropped', '1 dropped', '2 dropped', '3 pending'])
    assert.equal(found.at(-1), `${newest} pending`)
    assert.equal(await waiting(given.webhook.id), MOST_PENDING.webhook)
    assert.equal(await countDropped(given.control.store, given.webhook.id), 3)
    assert.deepEqual([await waiting(bob.id), await countDropped(given.control.store, bob.id)], [1, 0])
  })

  it('are bounded for a user: those of the webhooks with the most are dropped', async () => {
    const bob = await webhookOf(BOB, 'https://bob.example/')
    await revoke(BOB)
    const webhooks = [given.webhook]
    for (let count = 0; count < 3; count++) webhooks.push(await given.add(`https://ada-${count}.example/`))
    const counts = [400, 390, 380, 50]
    for (const [at, { id }] of webhooks.entries()) await queue(id, counts[at] ?? 0)
    await revoke(ADA)
    const left = []
    for (const { id } of webhooks) left.push(await waiting(id))
    assert.deepEqual(left, [317, 316, 316, 51])
    assert.equal(await waiting(bob.id), 1)
  })

  it('are bounded for a host, and those of users with few stay', async () => {
    const bob = await webhookOf(BOB, 'https://hooks.example:8443/bob')
    const elsewhere = await webhookOf(BOB, 'https://other.example/')
    await queue(bob.id, 3)
    await queue(elsewhere.id, 3)
    const flooding = []
    for (let user = 0; user < 5; user++) {
      const email = `user-${user}@example.org`
      await addUser(given.control.store, { email, organizations: ['north'] })
      const { id } = await webhookOf(email, `https://hooks.example/${user}`)
      await queue(id, MOST_PENDING.webhook)
      flooding.push(id)
    }
    await boundPendingOfHosts(given.control.store)
    const counts = []
    for (const id of flooding) counts.push(await waiting(id))
    assert.equal(counts.reduce((sum, each) => sum + each) + 3, MOST_PENDING.host)
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1)
    assert.deepEqual([await waiting(bob.id), await waiting(elsewhere.id)], [3, 3])
  })

  it('are dropped only if they are not being sent', async () => {
    await queue(given.webhook.id, MOST_PENDING.webhook)
    let answer = () => {}
    given.receiver.answer = response => {
      answer = () => response.writeHead(204).end()
    }
    const worker = given.worker()
    await worker.look()
    await until(() => given.receiver.received.length === 1, 'the first one is sent')
    await revoke(ADA)
    assert.deepEqual((await states(given.webhook.id)).slice(0, 3), ['0 pending', '1 dropped', '2 pending'])
    given.receiver.answerWith(204)
    answer()
    await worker.stop()
    assert.equal((await states(given.webhook.id))[0], '0 delivered')
  })

  it('of one user never occupy all places, however many webhooks hang', async () => {
    const hanging = new TestReceiver()
    hanging.answer = () => {}
    const url = await hanging.listen()
    for (let count = 1; count < MOST_WEBHOOKS; count++) await queue((await given.add(url)).id, 100)
    const bobs = new TestReceiver()
    const bob = await webhookOf(BOB, await bobs.listen())
    given.control.now += 1 // all others are older
    await revoke(BOB)
    const worker = given.worker({ timeoutMs: 400 })
    try {
      await worker.look()
      await until(() => bobs.received.length === 1, 'the other user is told')
      assert.ok(hanging.received.length <= 5)
      await until(async () => (await waiting(bob.id)) === 0, 'it is noted')
    } finally {
      await worker.stop()
      await Promise.all([hanging.close(), bobs.close()])
    }
  })
})

describe('a webhook whose deliveries fail', () => {
  const given = new Deliveries()

  const switched = async (id = given.webhook.id) => {
    const webhook = (await listWebhooks(given.control.store)).find(each => each.id === id)
    return webhook?.disabledFor ?? null
  }

  it('is switched off after a day, with the reason, until it is switched on again', async () => {
    const fine = new TestReceiver()
    const other = await given.add(await fine.listen())
    given.receiver.answerWith(503)
    await given.happen()
    await given.deliver()
    for (let quarter = 0; quarter < 4; quarter++) {
      assert.equal(await switched(), null)
      given.control.now += 6 * HOUR_MS
      await given.happen()
      await given.deliver()
    }
    assert.equal(await switched(), 'all deliveries of a day failed, the last one because: answered 503')
    assert.ok(given.logged.some(({ message }) => message.startsWith('webhook switched off: ')))
    const waits = (await given.list()).filter(({ state }) => state === 'pending')
    assert.deepEqual(waits, [])
    const before = given.receiver.received.length
    await given.happen()
    await given.deliver()
    assert.equal(given.receiver.received.length, before)
    assert.equal(await switched(other.id), null)
    assert.equal((await given.last(other.id)).state, 'delivered')
    await fine.close()

    given.receiver.answerWith(204)
    await enableWebhook(given.control.store, given.webhook.id)
    given.control.now += 1000 // the newest one is listed first
    assert.equal(await switched(), null)
    await given.happen()
    await given.deliver()
    assert.equal((await given.last()).state, 'delivered')
  })

  it('stays on if one of them succeeds, and has a day again after it', async () => {
    const send = async (status: number) => {
      given.receiver.answerWith(status)
      await given.happen()
      await given.deliver()
    }
    for (const status of [503, 503, 503, 204, 503, 503, 503, 503]) {
      await send(status)
      given.control.now += 6 * HOUR_MS
    }
    assert.equal(await switched(), null)
    await send(500)
    assert.match((await switched()) ?? '', /answered 50[03]$/)
  })
})
