import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { saveQuery } from '#explore/server/saved-queries.js'
import { dbOf as exploreDbOf } from '#explore/server/tables.js'
import { startAssessment } from '#server/store/assessments.js'
import { createKey, listKeys } from '#server/store/keys.js'
import { recordSealed } from '#server/store/newest-snapshots.js'
import { listOrganizations, renameOrganization } from '#server/store/organizations.js'
import { keyPort, projectPort } from '#server/store/ports.js'
import { addProject, listProjects, renameProject } from '#server/store/projects.js'
import { orphanedExports, recordedExports } from '#server/store/recorded-exports.js'
import { organizationRemoval, removeOrganization, removeProject } from '#server/store/removal.js'
import { changePassword, logIn, readSession, setPassword } from '#server/store/sessions.js'
import { readUsage, usagePort } from '#server/store/usage.js'
import { removeUser, resumeUser, suspendUser, userRemoval } from '#server/store/user-removal.js'
import { addUser, findUser, listUsers, renameUser } from '#server/store/users.js'
import { dbOf } from '#webhooks/tables.js'
import { createWebhook, listWebhooks, testWebhook } from '#webhooks/webhooks.js'
import { ControlStore } from './control.js'
import { unexpected } from './stores.js'
import { used } from './used.js'

const ADA = 'ada@example.org'
const BOB = 'bob@example.org'
const PASSWORD = 'correct horse'
const CALL = { method: 'projects/list', rows: 1, bytes: 2 }
const signal = AbortSignal.timeout(60_000)

describe('what is removed from the store', () => {
  const control = new ControlStore()
  let keys: Record<'ada' | 'both' | 'bob', { id: string; key: string }>
  let projects: { north: string; south: string }

  beforeEach(async () => {
    const { store } = control
    await control.addOrganizations('north', 'south')
    await addUser(store, { email: ADA, organizations: ['north', 'south'], password: PASSWORD })
    await addUser(store, { email: BOB, organizations: ['north'] })
    const make = (user: string, ...organizations: string[]) => createKey(store, { user, organizations, name: user })
    keys = { ada: await make(ADA, 'north'), both: await make(ADA, 'north', 'south'), bob: await make(BOB, 'north') }
    const add = async (organization: string) => (await addProject(store, { organization, name: 'One' })).projectId
    projects = { north: await add('north'), south: await add('south') }
    const usage = usagePort(store, unexpected)
    for (const { id: keyId } of Object.values(keys)) usage.record(used({ ...CALL, keyId, at: control.now }))
    await usage.close()
    for (const email of [ADA, BOB]) await save(email, projects.north)
    await webhook(ADA, 'north', 'south')
    await webhook(BOB, 'north')
  })

  const owner = async (email: string) => (await findUser(control.store, email)) ?? assert.fail(`no user ${email}`)
  const save = async (email: string, projectId: string) =>
    saveQuery(control.store, { user: await owner(email), name: 'Q', sql: 'SELECT 1', projectId, organization: null })
  const webhook = (user: string, ...organizations: string[]) =>
    createWebhook(control.store, { user, url: 'https://hooks.example.org/', organizations })
  const reads = async (who: keyof typeof keys) =>
    (await keyPort(control.store).authenticate(keys[who].key, signal))?.organizations ?? null
  const put = async (projectId: string, email: string) => {
    const exportId = randomUUID()
    const stored = { put: async () => {}, open: async () => null }
    const { id: ownerId } = await owner(email)
    await recordedExports(control.store, stored).put({ exportId, path: '', bytes: 0, projectId, ownerId }, signal)
    return exportId
  }
  const deliveries = () =>
    dbOf(control.store).selectFrom('webhook_deliveries').select(['event', 'state', 'outcome']).orderBy('id').execute()

  it('is a project: it, its queries and its running assessment, and nothing of another', async () => {
    await startAssessment(control.store, projects.north)
    const [mine, other] = [await put(projects.north, ADA), await put(projects.south, ADA)]
    await save(ADA, projects.south)
    const goes = await removeProject(control.store, projects.north.toUpperCase())
    assert.deepEqual(goes, { projectIds: [projects.north], assessments: 1, exports: 1, savedQueries: 2 })
    assert.equal(await projectPort(control.store).find(projects.north, signal), null)
    assert.deepEqual(
      (await listProjects(control.store)).map(({ projectId }) => projectId),
      [projects.south],
    )
    assert.deepEqual(await orphanedExports(control.store), [mine])
    assert.notEqual(mine, other)
    const rows = await exploreDbOf(control.store).selectFrom('saved_queries').select('project_id').execute()
    assert.deepEqual(rows, [{ project_id: projects.south }])
    await assert.rejects(removeProject(control.store, projects.north), /no project/)
    const again = addProject(control.store, { organization: 'north', name: 'Two', id: projects.north })
    await assert.rejects(again, /some of its files are still there: remove them with "foldgate project remove/)
  })

  it('is a project that is being sealed: its snapshot is to be removed too', async () => {
    await removeProject(control.store, projects.north)
    await control.store.db.deleteFrom('removed_projects').execute()
    const snapshotId = `000001-${randomUUID()}`
    await recordSealed(control.store, { projectId: projects.north, snapshotId, sealedAt: null })
    const removed = await control.store.db.selectFrom('removed_projects').select('project_id').execute()
    assert.deepEqual(removed, [{ project_id: projects.north }])
    assert.deepEqual(await control.store.db.selectFrom('newest_snapshots').selectAll().execute(), [])
  })

  it('is a user: keys, sessions, webhooks, queries; usage keeps ids without names', async () => {
    const token = await logIn(control.store, { email: ADA, password: PASSWORD })
    const exportId = await put(projects.south, ADA)
    const { id } = await owner(ADA)
    const { user, ...goes } = await removeUser(control.store, ADA.toUpperCase())
    const counts = { keys: 2, sessions: 1, exports: 1, savedQueries: 1, webhooks: 1, lastOf: ['south'] }
    assert.deepEqual([user.id, goes], [id, counts])
    assert.deepEqual([await reads('ada'), await reads('both'), await reads('bob')], [null, null, ['north']])
    assert.equal(await readSession(control.store, token ?? ''), null)
    assert.equal(await logIn(control.store, { email: ADA, password: PASSWORD }), null)
    assert.deepEqual(await orphanedExports(control.store), [exportId])
    assert.deepEqual(
      (await listUsers(control.store)).map(({ email }) => email),
      [BOB],
    )
    assert.deepEqual(
      (await listKeys(control.store)).map(each => each.id),
      [keys.bob.id],
    )
    assert.deepEqual(
      (await listWebhooks(control.store)).map(each => each.user),
      [BOB],
    )
    const usage = await readUsage(control.store, { days: 1 })
    assert.deepEqual(new Map(usage.map(({ keyId, keyName }) => [keyId, keyName])), names(null, BOB))
    assert.equal((await readUsage(control.store, { key: keys.ada.id, days: 1 })).length, 1)
    const { db } = control.store
    const rows = [await db.selectFrom('users').selectAll().execute(), await db.selectFrom('keys').selectAll().execute()]
    assert.ok(!JSON.stringify(rows).includes(ADA))
    // Calls that ended just now are still counted, and the address is free.
    const late = usagePort(control.store, unexpected)
    late.record(used({ ...CALL, keyId: keys.ada.id, at: control.now }))
    await late.close()
    await addUser(control.store, { email: ADA, organizations: ['north'] })
    assert.notEqual((await owner(ADA)).id, id)
    assert.deepEqual([await reads('ada'), (await userRemoval(control.store, ADA)).keys], [null, 0])
  })

  const names = (ada: string | null, bob: string) =>
    new Map([
      [keys.ada.id, ada],
      [keys.both.id, ada],
      [keys.bob.id, bob],
    ])

  it('is an organization: its projects, and keys and webhooks that are for no other', async () => {
    await testWebhook(control.store, (await listWebhooks(control.store, BOB))[0]?.id ?? '')
    await webhook(ADA, 'south')
    const goes = await removeOrganization(control.store, 'north')
    const counts = { assessments: 0, exports: 0, savedQueries: 2, keys: 2, webhooks: 1, usersWithoutAny: 1 }
    assert.deepEqual(goes, { key: 'north', name: 'The north', projectIds: [projects.north], ...counts })
    assert.deepEqual([await reads('ada'), await reads('both'), await reads('bob')], [null, ['south'], null])
    assert.deepEqual((await owner(BOB)).organizations, [])
    const listed = await listKeys(control.store)
    assert.deepEqual(
      listed.map(key => [key.organizations, key.revokedAt !== null]).sort(),
      [
        [[], true],
        [[], true],
        [['south'], false],
      ].sort(),
    )
    const webhooks = (await listWebhooks(control.store)).map(each => [each.user, each.organizations])
    assert.deepEqual(webhooks, [
      [ADA, ['south']],
      [ADA, ['south']],
    ])
    // The receivers that stay are told of the key of their owner; what waited for one that went is cancelled.
    const events = (await deliveries()).map(({ event, state }) => `${event} ${state}`).sort()
    assert.deepEqual(events, ['key.revoked pending', 'key.revoked pending', 'webhook.test cancelled'])
    assert.deepEqual(
      (await listOrganizations(control.store)).map(({ key }) => key),
      ['south'],
    )
    await control.addOrganizations('north')
    assert.equal((await organizationRemoval(control.store, 'north')).keys, 0)
    assert.deepEqual([await reads('ada'), await reads('both')], [null, ['south']])
  })

  it('is nothing when it fails halfway', async () => {
    const stubborn = control.store.transaction(async within => {
      await removeOrganization(within, 'north')
      await removeUser(within, ADA)
      throw new Error('the power is out')
    })
    await assert.rejects(stubborn, /the power is out/)
    assert.deepEqual([await reads('ada'), await reads('both')], [['north'], ['north', 'south']])
    assert.equal((await listProjects(control.store)).length, 2)
    assert.equal((await listWebhooks(control.store)).length, 2)
  })

  it('comes back only for those who are suspended: logins, keys, and webhooks from then on', async () => {
    const credentials = { email: ADA, password: PASSWORD }
    const token = (await logIn(control.store, credentials)) ?? ''
    const hook = (await listWebhooks(control.store, ADA))[0]?.id ?? ''
    await testWebhook(control.store, hook)
    const { id: userId } = await owner(ADA)
    const changing = changePassword(control.store, { userId, current: PASSWORD, next: 'another horse' })
    assert.equal((await suspendUser(control.store, ADA)).suspendedAt, control.now)
    assert.equal(await changing, null)
    assert.deepEqual([await reads('ada'), await reads('bob')], [null, ['north']])
    assert.deepEqual([await logIn(control.store, credentials), await readSession(control.store, token)], [null, null])
    assert.deepEqual(
      [...(await listKeys(control.store, ADA)), ...(await listWebhooks(control.store, ADA))].map(each => each.reads),
      [[], [], []],
    )
    await assert.rejects(suspendUser(control.store, ADA), /is already suspended/)
    const snapshotId = `000001-${randomUUID()}`
    await recordSealed(control.store, { projectId: projects.north, snapshotId, sealedAt: null })
    const told = await deliveries()
    assert.deepEqual(told.map(({ event, state }) => `${event} ${state}`).sort(), [
      'snapshot.sealed pending', // Bob's
      'webhook.test cancelled',
    ])
    assert.equal((await resumeUser(control.store, ADA)).suspendedAt, null)
    assert.deepEqual(await reads('ada'), ['north'])
    assert.ok(await logIn(control.store, credentials))
    assert.equal(await readSession(control.store, token), null)
    await assert.rejects(resumeUser(control.store, ADA), /is not suspended/)
    await removeUser(control.store, ADA)
    await assert.rejects(suspendUser(control.store, ADA), /There is no user/)
  })

  it('has another name from then on when it is renamed, unless the name is taken or empty', async () => {
    assert.equal((await renameOrganization(control.store, 'north', ' Pole ')).name, 'Pole')
    await renameProject(control.store, projects.north, 'Two')
    assert.equal((await projectPort(control.store).find(projects.north, signal))?.name, 'Two')
    await assert.rejects(renameProject(control.store, projects.north, ' '), /name of the project is empty/)
    await assert.rejects(renameOrganization(control.store, 'west', 'x'), /no organization "west"/)
    await assert.rejects(renameUser(control.store, ADA, BOB), /bob@example\.org already exists/)
    assert.equal((await renameUser(control.store, ADA, 'Ann@example.org')).email, 'ann@example.org')
    assert.ok(await logIn(control.store, { email: 'ann@example.org', password: PASSWORD }))
    assert.equal(await logIn(control.store, { email: ADA, password: PASSWORD }), null)
    assert.deepEqual(await reads('ada'), ['north'])
  })

  it('is what goes with a new password, if that is wanted: keys, webhooks or both', async () => {
    const none = { revokedKeys: 0, removedWebhooks: 0 }
    assert.deepEqual((await setPassword(control.store, ADA, 'new password 1')).ended, none)
    assert.deepEqual(await reads('ada'), ['north'])
    const { ended } = await setPassword(control.store, ADA, 'new password 2', { keys: true })
    assert.deepEqual(ended, { revokedKeys: 2, removedWebhooks: 0 })
    assert.deepEqual([await reads('ada'), await reads('both'), await reads('bob')], [null, null, ['north']])
    assert.equal((await deliveries()).filter(({ event }) => event === 'key.revoked').length, 2)
    const { id: userId } = await owner(ADA)
    const next = { userId, current: 'new password 2', next: 'new password 3', also: { webhooks: true } }
    assert.deepEqual((await changePassword(control.store, next))?.ended, { revokedKeys: 0, removedWebhooks: 1 })
    assert.ok((await deliveries()).every(({ state }) => state === 'cancelled'))
    assert.deepEqual(
      (await listWebhooks(control.store)).map(each => each.user),
      [BOB],
    )
  })
})
