import assert from 'node:assert/strict'
import { claimDeliveries } from '#webhooks/outbox/deliveries.js'
import { forgetDeliveries } from '#webhooks/outbox/ended-deliveries.js'
import { dbOf } from '#webhooks/tables.js'
import { listWebhooks, removeWebhook, testWebhook } from '#webhooks/webhooks.js'
import { openStore } from '../../../server/dist/database/store.js'
import { grantOrganizations, revokeOrganizations } from '../../../server/dist/store/users.js'
import { until } from '../../../test/until.js'
import { ADA, Deliveries } from './deliveries.js'

const DAY_MS = 86_400_000

describe('the deliveries to webhooks', () => {
  const given = new Deliveries()

  it('are signed as Standard Webhooks has it, with the id of the delivery and the time of the attempt', async () => {
    const assessmentId = await given.happen()
    await given.deliver()
    const [event] = given.receiver.received
    assert.equal(event?.headers['content-type'], 'application/json')
    assert.equal(event?.headers['webhook-timestamp'], String(given.control.now / 1000))
    const delivery = await given.last()
    assert.deepEqual([delivery?.state, delivery?.status, delivery?.outcome], ['delivered', 204, 'answered 204'])
    assert.equal(event?.headers['webhook-id'], delivery?.id)
    const timestamp = new Date(given.control.now).toISOString()
    const data = { projectId: given.project, organization: 'north', assessmentId, completedAt: timestamp }
    assert.deepEqual(JSON.parse(event?.body ?? ''), { type: 'assessment.completed', timestamp, data })
    assert.deepEqual(given.counted, ['delivered'])
    await given.deliver()
    assert.equal(given.receiver.received.length, 1)
  })

  it('are repeated nine times over a day with the same id, and then fail', async () => {
    await given.happen()
    given.receiver.answerWith(500)
    const start = given.control.now
    const pauses: number[] = []
    for (let attempt = 1; attempt <= 9; attempt++) {
      await given.deliver()
      assert.equal(given.receiver.received.length, attempt)
      const delivery = await given.last()
      assert.equal(delivery?.attempts, attempt)
      if (!delivery?.nextAt) break
      given.control.now = delivery.nextAt - 1
      await given.deliver()
      assert.equal(given.receiver.received.length, attempt, 'none before it is due')
      pauses.push(delivery.nextAt - start)
      given.control.now = delivery.nextAt
    }
    const least = [5, 65, 365, 2165, 9365, 27_365, 56_165, 92_165].map(seconds => seconds * 1000)
    assert.equal(pauses.length, 8)
    for (const [at, pause] of pauses.entries()) {
      const floor = least[at] ?? 0
      assert.ok(pause >= floor && pause <= floor * 1.2, `${pause} after ${floor}`)
    }
    assert.ok(given.control.now - start > DAY_MS)
    assert.equal(new Set(given.receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(given.receiver.received.map(({ headers }) => headers['webhook-signature'])).size, 9)
    const { state, outcome, status, nextAt } = await given.last()
    assert.deepEqual([state, outcome, status, nextAt], ['failed', 'answered 500', 500, null])
    assert.deepEqual(given.counted, [...Array(8).fill('retried'), 'failed'])
  })

  it('are logged when they fail, with the host but neither the path nor the query nor the secret', async () => {
    await given.happen()
    given.receiver.answerWith(503)
    await given.deliver()
    const [line] = given.logged
    const { host } = new URL(given.webhook.url)
    const { id: deliveryId } = await given.last()
    const fields = {
      type: 'webhook',
      webhookId: given.webhook.id,
      deliveryId,
      event: 'assessment.completed',
      attempts: 1,
      host,
    }
    assert.deepEqual(line, { fields, message: 'delivery failed, and it is repeated later: answered 503' })
  })

  it('end with the webhook disabled if its receiver answers 410', async () => {
    await given.happen()
    await given.happen()
    given.receiver.answerWith(410)
    await given.deliver()
    const [gone] = await listWebhooks(given.control.store)
    assert.equal(gone?.disabledAt, given.control.now)
    const ended = await given.list()
    assert.deepEqual(ended.map(({ state }) => state).sort(), ['cancelled', 'failed'])
    assert.equal(given.receiver.received.length, 1)
    await given.happen()
    given.control.now += DAY_MS
    await given.deliver()
    assert.equal(given.receiver.received.length, 1)
    await assert.rejects(
      testWebhook(given.control.store, given.webhook.id),
      /is switched off: switch it on again first/,
    )
  })

  it('are cancelled if the owner has lost the organization, or the webhook is removed, before they are sent', async () => {
    await given.happen()
    await revokeOrganizations(given.control.store, ADA, ['north'])
    await given.deliver()
    const { state, outcome } = await given.last()
    assert.deepEqual([state, outcome], ['cancelled', 'the owner no longer reads the organization'])
    await grantOrganizations(given.control.store, ADA, ['north'])
    await testWebhook(given.control.store, given.webhook.id)
    await removeWebhook(given.control.store, given.webhook.id)
    await given.deliver()
    assert.deepEqual(given.receiver.received, [])
    assert.deepEqual(given.counted, ['cancelled'])
  })

  it('are claimed by one of several servers', async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => openStore(given.control.file, { clock: given.control.store.clock })),
    )
    try {
      for (let count = 0; count < 10; count++) await given.happen()
      const claims = await Promise.all(
        others.map(store => claimDeliveries(store, { busy: [], inHand: new Map(), most: 9 })),
      )
      const ids = claims.flat().map(({ id }) => id)
      assert.equal(new Set(ids).size, ids.length)
      given.control.now += 60_000 // the leases end
      const workers = others.map(store => given.worker({}, store))
      await Promise.all(workers.map(each => each.look()))
      await Promise.all(workers.map(each => each.idle()))
      await until(async () => {
        await given.deliver(workers[0])
        return (await given.list()).every(({ state }) => state === 'delivered')
      }, 'all are delivered')
      assert.equal(given.receiver.received.length, 10)
      assert.equal(new Set(given.receiver.received.map(({ headers }) => headers['webhook-id'])).size, 10)
    } finally {
      for (const store of others) await store.close()
    }
  })

  it('are repeated at once if the server stopped in the middle', async () => {
    await given.happen()
    given.receiver.answer = () => {}
    const stopping = given.worker()
    await stopping.look()
    await until(() => given.receiver.received.length === 1, 'it arrived')
    await stopping.stop()
    const { state, attempts, nextAt } = await given.last()
    assert.deepEqual([state, attempts, nextAt], ['pending', 0, given.control.now])
    given.receiver.answerWith(200)
    await given.deliver(stopping)
    assert.equal(given.receiver.received.length, 1, 'a stopped worker sends nothing')
    await given.deliver()
    assert.equal((await given.last()).state, 'delivered')
  })

  it('are forgotten after 30 days, and removed webhooks with them', async () => {
    await given.happen()
    await given.deliver()
    await removeWebhook(given.control.store, given.webhook.id)
    const rows = () => dbOf(given.control.store).selectFrom('webhooks').select('id').execute()
    for (const [days, left] of [
      [29, 1],
      [2, 0],
    ] as const) {
      given.control.now += days * DAY_MS
      await forgetDeliveries(given.control.store)
      assert.deepEqual([(await given.list()).length, (await rows()).length], [left, left])
    }
  })

  it('are forgotten however many there are', async () => {
    await given.happen()
    const db = dbOf(given.control.store)
    const [ended] = await db.selectFrom('webhook_deliveries').selectAll().execute()
    if (!ended) throw new Error('there is a delivery')
    const many = Array.from({ length: 1_200 }, (_, at) => ({
      ...ended,
      id: `${at}`,
      subject: `${at}`,
      state: 'delivered' as const,
      next_at: null,
      ended_at: given.control.now,
    }))
    for (let from = 0; from < many.length; from += 400)
      await db
        .insertInto('webhook_deliveries')
        .values(many.slice(from, from + 400))
        .execute()
    given.control.now += 31 * DAY_MS
    await forgetDeliveries(given.control.store)
    const left = await db.selectFrom('webhook_deliveries').select('id').execute()
    assert.deepEqual(left, [{ id: ended.id }], 'one is pending')
  })
})
