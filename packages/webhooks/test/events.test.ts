import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { WebhookEvent } from '#webhooks/outbox/webhook-events.js'
import { dbOf } from '#webhooks/tables.js'
import { createWebhook, listWebhooks, removeWebhook, testWebhook } from '#webhooks/webhooks.js'
import {
  endAssessment,
  listAssessments,
  recordAssessed,
  startAssessment,
} from '../../../server/dist/store/assessments.js'
import { createKey, revokeKey } from '../../../server/dist/store/keys.js'
import { newestSnapshot, recordSealed, setNewestSnapshot } from '../../../server/dist/store/newest-snapshots.js'
import { addProject } from '../../../server/dist/store/projects.js'
import { removeProject } from '../../../server/dist/store/removal.js'
import { addUser, findUser, grantOrganizations, revokeOrganizations } from '../../../server/dist/store/users.js'
import { ControlStore } from '../../../test/server/control.js'

const URL = 'https://hooks.example.org/'
const ADA = 'ada@example.org'
const BOB = 'bob@example.org'
const snapshotId = (number: number) => `${String(number).padStart(6, '0')}-11111111-1111-4111-8111-111111111111`

describe('the events for webhooks', () => {
  const control = new ControlStore()
  let project: string

  beforeEach(async () => {
    await control.addAda('north', 'south')
    await addUser(control.store, { email: BOB, organizations: ['south'] })
    project = (await addProject(control.store, { organization: 'north', name: 'One' })).projectId
  })

  const add = async (user: string, organizations: string[], events?: WebhookEvent[]) =>
    (await createWebhook(control.store, { user, url: URL, organizations, ...(events ? { events } : {}) })).id
  const queued = async () => {
    const rows = await dbOf(control.store)
      .selectFrom('webhook_deliveries')
      .select(['webhook_id', 'event', 'body', 'state'])
      .orderBy('created_at')
      .execute()
    return rows.map(({ webhook_id: to, event, body, state }) => ({ to, event, state, ...JSON.parse(body) }))
  }
  const sealed = (number: number) => ({
    projectId: project,
    snapshotId: snapshotId(number),
    sealedAt: '2026-10-31T10:00:00.000Z',
  })
  const complete = async (id = project) => {
    const assessment = (await startAssessment(control.store, id)).id
    await endAssessment(control.store, assessment, 'completed')
    return assessment
  }

  it('are told to the webhooks of the organization whose owners read it, and to no other', async () => {
    const ada = await add(ADA, ['north'])
    await add(ADA, ['south'])
    await add(ADA, ['north'], ['key.revoked'])
    await add(BOB, ['south'])
    const assessment = await complete()
    const timestamp = '2026-11-01T00:00:00.000Z'
    const data = { projectId: project, organization: 'north', assessmentId: assessment, completedAt: timestamp }
    const event = { event: 'assessment.completed', type: 'assessment.completed', state: 'pending' }
    assert.deepEqual(await queued(), [{ to: ada, ...event, timestamp, data }])
    await revokeOrganizations(control.store, ADA, ['north'])
    await complete()
    assert.equal((await queued()).length, 1)
    await grantOrganizations(control.store, ADA, ['north'])
    await complete()
    assert.equal((await queued()).length, 2)
  })

  it('tell nothing of an assessment that failed', async () => {
    await add(ADA, ['north'])
    await endAssessment(control.store, (await startAssessment(control.store, project)).id, 'failed')
    assert.deepEqual(await queued(), [])
  })

  it('tell of a key to the webhooks of its owner only, once', async () => {
    const ada = await add(ADA, ['south'])
    await add(BOB, ['south'])
    const { id } = await createKey(control.store, { user: ADA, organizations: ['north'] })
    await revokeKey(control.store, id.toUpperCase())
    control.now += 1000
    await revokeKey(control.store, id)
    const data = { keyId: id, revokedAt: '2026-11-01T00:00:00.000Z' }
    assert.deepEqual(
      (await queued()).map(each => [each.to, each.type, each.data]),
      [[ada, 'key.revoked', data]],
    )
  })

  it('tell of a snapshot once, whoever records it, and of no older one', async () => {
    const ada = await add(ADA, ['north'])
    await recordSealed(control.store, sealed(2))
    await recordSealed(control.store, sealed(2))
    await recordSealed(control.store, sealed(2))
    await recordSealed(control.store, sealed(1))
    const data = { projectId: project, organization: 'north', snapshotId: snapshotId(2) }
    assert.deepEqual(
      (await queued()).map(each => [each.to, each.type, each.data]),
      [[ada, 'snapshot.sealed', { ...data, sealedAt: '2026-10-31T10:00:00.000Z' }]],
    )
    await recordSealed(control.store, sealed(3))
    await setNewestSnapshot(control.store, project, snapshotId(1))
    await recordSealed(control.store, sealed(3))
    assert.equal((await queued()).length, 2)
  })

  it('tell of no snapshot that another process has overtaken, but of one that replaces a missing one', async () => {
    await add(ADA, ['north'])
    await recordSealed(control.store, sealed(3), null)
    await recordSealed(control.store, sealed(2), snapshotId(1))
    assert.equal(await newestSnapshot(control.store, project), snapshotId(3))
    await recordSealed(control.store, sealed(2), snapshotId(3))
    assert.equal(await newestSnapshot(control.store, project), snapshotId(2))
    assert.deepEqual(
      (await queued()).map(({ data }) => data.snapshotId),
      [snapshotId(3), snapshotId(2)],
    )
  })

  it('of a snapshot that is sealed in one step are those of an assessment only where users know of some', async () => {
    await add(ADA, ['north'])
    const record = (number: number, hasAssessments: boolean) =>
      recordAssessed(
        control.store,
        { manifest: sealed(number), unchanged: false, id: randomUUID(), startedAt: control.now },
        { hasAssessments },
      )
    const told = async () => (await queued()).map(({ type, data }) => `${type} ${data.snapshotId ?? ''}`.trim())
    assert.equal(await record(2, false), true)
    assert.deepEqual(await told(), [`snapshot.sealed ${snapshotId(2)}`])
    // The other one has ended before.
    assert.equal(await record(1, true), true)
    assert.deepEqual(await told(), [`snapshot.sealed ${snapshotId(2)}`, 'assessment.completed'])
    assert.equal(await newestSnapshot(control.store, project), snapshotId(2))
    const states = (await listAssessments(control.store, project)).map(({ state }) => state)
    assert.deepEqual(states, ['completed', 'completed'])
    await removeProject(control.store, project)
    assert.equal(await record(3, true), false)
    assert.equal((await told()).length, 2)
  })

  it('are of three types: what else the server tells its packages reaches no receiver', async () => {
    const ada = await add(ADA, ['north'])
    const { id: subject } = (await findUser(control.store, ADA)) ?? assert.fail('there is no Ada')
    const told = { subject, at: control.now, concerns: { userId: subject }, data: {} }
    for (const type of ['user.suspended', 'webhook.test', 'something.else']) await control.store.tell({ ...told, type })
    await control.store.tell({ ...told, type: 'something.else', concerns: { organization: 'north' } })
    assert.deepEqual(await queued(), [])
    await control.store.tell({ ...told, type: 'key.revoked' })
    assert.deepEqual(
      (await queued()).map(({ to, type }) => [to, type]),
      [[ada, 'key.revoked']],
    )
  })

  it('are told if and only if they have happened', async () => {
    await add(ADA, ['north'])
    const { id } = await startAssessment(control.store, project)
    await assert.rejects(
      control.store.transaction(async within => {
        await endAssessment(within, id, 'completed')
        throw new Error('on purpose')
      }),
      /on purpose/,
    )
    assert.deepEqual(await queued(), [])
    await control.store.db.schema.dropTable('webhook_deliveries').execute()
    await assert.rejects(endAssessment(control.store, id, 'completed'))
    await endAssessment(control.store, id, 'failed')
  })

  it('are not told to a webhook that is removed, which also loses its secret', async () => {
    const ada = await add(ADA, ['north'])
    await complete()
    await removeWebhook(control.store, ada.toUpperCase())
    await complete()
    assert.deepEqual(
      (await queued()).map(({ state }) => state),
      ['cancelled'],
    )
    assert.deepEqual(await listWebhooks(control.store), [])
    const { secret } = await dbOf(control.store).selectFrom('webhooks').select('secret').executeTakeFirstOrThrow()
    assert.equal(secret, '')
    await assert.rejects(removeWebhook(control.store, ada), /no webhook with the id ".*": see "foldgate webhook list"/)
  })
})

describe('a webhook', () => {
  const control = new ControlStore()
  beforeEach(() => control.addAda('north'))
  const add = (organization = 'north') =>
    createWebhook(control.store, { user: ADA, url: URL, organizations: [organization] })

  it('has a secret of Standard Webhooks, which is shown only when it is created', async () => {
    const { secret, ...webhook } = await add()
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const listed = await listWebhooks(control.store, ADA)
    assert.deepEqual(listed, [webhook])
    const events = ['assessment.completed', 'key.revoked', 'snapshot.sealed']
    assert.deepEqual(webhook, {
      ...{ id: webhook.id, user: ADA, url: URL, events, organizations: ['north'], reads: ['north'] },
      ...{ createdAt: control.now, disabledAt: null, disabledFor: null },
    })
    assert.notEqual((await add()).secret, secret)
  })

  it('is refused for an organization that its owner does not read, and as the eleventh of a user', async () => {
    await control.addOrganizations('west')
    await assert.rejects(add('west'), /does not read the organization "west"/)
    await assert.rejects(add('nowhere'), /no organization "nowhere"/)
    const made = []
    for (let count = 0; count < 10; count++) made.push(await add())
    await assert.rejects(add(), /has 10 webhooks, and can have no more: remove one first/)
    await removeWebhook(control.store, made[0]?.id ?? '')
    await add()
  })

  it('is not tested while its owner reads none of its organizations', async () => {
    await control.addOrganizations('south')
    await grantOrganizations(control.store, ADA, ['south'])
    const [north, south] = [await add('north'), await add('south')]
    await revokeOrganizations(control.store, ADA, ['north'])
    await assert.rejects(
      testWebhook(control.store, north.id),
      /reads none of the organizations .* ask the administrator/,
    )
    assert.match(await testWebhook(control.store, south.id), /^msg_/)
    await grantOrganizations(control.store, ADA, ['north'])
    assert.match(await testWebhook(control.store, north.id), /^msg_/)
  })

  it('has one test at a time', async () => {
    const { id } = await add()
    assert.match(await testWebhook(control.store, id), /^msg_/)
    await assert.rejects(testWebhook(control.store, id), /is still being sent: wait for its outcome/)
    await assert.rejects(testWebhook(control.store, randomUUID()), /There is no webhook/)
  })
})
