import assert from 'node:assert/strict'
import { dbOf } from '#webhooks/tables.js'
import { type CreatedWebhook, createWebhook } from '#webhooks/webhooks.js'
import { openStore, type Store } from '../../../../server/dist/database/store.js'
import { endAssessment, startAssessment } from '../../../../server/dist/store/assessments.js'
import { addOrganization } from '../../../../server/dist/store/organizations.js'
import { addProject } from '../../../../server/dist/store/projects.js'
import { addUser } from '../../../../server/dist/store/users.js'
import { Service } from '../../../../test/check/servers/service.js'
import { scratchFolder } from '../../../../test/server/command.js'
import { postgresUrl, storeInPostgres } from '../../../../test/server/stores.js'
import { until } from '../../../../test/until.js'
import { TestReceiver } from '../receiver.js'

const scratch = scratchFolder()
const EVENTS = 40

describe('the webhooks of three servers on one PostgreSQL', () => {
  const receivers = Array.from({ length: 4 }, () => new TestReceiver())
  let service: Service
  let store: Store
  let webhooks: CreatedWebhook[]
  let project: string

  before(async function () {
    if (!postgresUrl) this.skip()
    const url = await storeInPostgres(scratch.path)
    store = await openStore(url)
    await addOrganization(store, { key: 'north', name: 'North' })
    await addUser(store, { email: 'ada@example.org', organizations: ['north'] })
    project = (await addProject(store, { organization: 'north', name: 'One' })).projectId
    webhooks = []
    for (const receiver of receivers) {
      const given = { user: 'ada@example.org', url: await receiver.listen(), organizations: ['north'] }
      webhooks.push(await createWebhook(store, given))
    }
    service = new Service(scratch.path, url, '--webhook-allow', '127.0.0.1')
    await Promise.all(['one', 'two', 'three'].map(name => service.start(name)))
  })
  after(async () => {
    service?.killAll()
    await store?.close()
    if (postgresUrl) for (const receiver of receivers) await receiver.close()
  })

  const complete = async () => {
    const { id } = await startAssessment(store, project)
    await endAssessment(store, id, 'completed')
    return id
  }

  it('are each sent once', async () => {
    const completed: string[] = []
    for (let count = 0; count < EVENTS; count++) completed.push(await complete())
    await until(async () => {
      const left = await dbOf(store)
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('state', '=', 'pending')
        .limit(1)
        .execute()
      return left.length === 0
    }, 'all are sent')
    for (const [at, receiver] of receivers.entries()) {
      const told = receiver.events(webhooks[at]?.secret ?? '').map(({ data }) => String(data.assessmentId))
      assert.deepEqual(told.sort(), completed.toSorted())
    }
  })

  it('are sent by another server if the one that sent them is killed, once its lease has ended', async () => {
    const [receiver] = receivers
    assert.ok(receiver)
    receiver.received.length = 0
    receiver.answer = () => {}
    const id = await complete()
    await until(() => receiver.received.length === 1, 'one server has sent it')
    // The one that is sending is unknown: all others are stopped in turn too.
    for (const name of ['one', 'two', 'three']) await service.kill(name)
    receiver.answerWith(204)
    await service.start('four')
    await dbOf(store)
      .updateTable('webhook_deliveries')
      .set(({ eb }) => ({ next_at: eb('next_at', '-', 60_000) }))
      .where('claimed_at', 'is not', null)
      .execute()
    await until(() => receiver.received.length === 2, 'another server has sent it')
    const [first, second] = receiver.events(webhooks[0]?.secret ?? '')
    assert.equal(first?.id, second?.id)
    assert.equal(second?.data.assessmentId, id)
  })
})
