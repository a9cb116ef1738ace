import assert from 'node:assert/strict'
import { dbOf } from '#webhooks/tables.js'
import { createWebhook, MOST_WEBHOOKS } from '#webhooks/webhooks.js'
import { addUser } from '../../../server/dist/store/users.js'
import { until } from '../../../test/until.js'
import { Deliveries } from './deliveries.js'
import { TestReceiver } from './receiver.js'

const HANGING_USERS = 7
const EVENTS = 6
const TIMEOUT_MS = 400

describe('receivers that hang', () => {
  const given = new Deliveries()

  for (const [what, answer] of [
    ['has never failed', []],
    ['has just failed', [500]],
  ] as const)
    it(`keep one that ${what} waiting for as long as an attempt takes, and not until nothing waits for them`, async () => {
      const hanging = new TestReceiver()
      hanging.answer = () => {}
      const url = await hanging.listen()
      const worker = given.worker({ timeoutMs: TIMEOUT_MS })
      try {
        for (let user = 0; user < HANGING_USERS; user++) {
          const email = `${user}@example.org`
          await addUser(given.control.store, { email, organizations: ['north'] })
          for (let count = 0; count < MOST_WEBHOOKS; count++)
            await createWebhook(given.control.store, { user: email, url, organizations: ['north'] })
        }
        for (const status of answer) {
          await given.happen()
          given.receiver.answerWith(status)
          await given.deliver(worker)
          given.receiver.answerWith(204)
          given.control.now += 10_000
        }
        for (let count = 0; count < EVENTS; count++) await given.happen()
        given.control.now += 1 // all others are older, and would be sent first
        await dbOf(given.control.store)
          .updateTable('webhook_deliveries')
          .set({ next_at: given.control.now })
          .where('webhook_id', '=', given.webhook.id)
          .where('state', '=', 'pending')
          .execute()
        const before = given.receiver.received.length
        await worker.look()
        await until(() => given.receiver.received.length > before, 'it is told')
        // Of 70 webhooks with 6 events each, 50 hang at first, and then 25 at once.
        const tried = hanging.received.length
        assert.ok(tried <= 3 * HANGING_USERS * MOST_WEBHOOKS, `${tried} attempts before`)
      } finally {
        await worker.stop()
        await hanging.close()
      }
    })
})
