import assert from 'node:assert/strict'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '#server/database/store.js'
import { actingAs } from '#server/operation/actor.js'
import { keepAuditLog } from '#server/serving/audit-log.js'
import { readConfig } from '#server/settings/config.js'
import { pruneSnapshots } from '#server/snapshots/pruning.js'
import { type AuditFilter, forgetAudit, readAudit } from '#server/store/audit.js'
import { FailedLogins } from '#server/store/failed-logins.js'
import { FirstUses } from '#server/store/first-uses.js'
import { createKey, revokeKey } from '#server/store/keys.js'
import { acceptSnapshot, recordSealed } from '#server/store/newest-snapshots.js'
import { renameOrganization } from '#server/store/organizations.js'
import { keyPort } from '#server/store/ports.js'
import { addProject, renameProject, setEngine } from '#server/store/projects.js'
import { removeOrganization, removeProject } from '#server/store/removal.js'
import { changePassword, logIn, logOut, setPassword } from '#server/store/sessions.js'
import { removeUser, resumeUser, suspendUser } from '#server/store/user-removal.js'
import { grantOrganizations, renameUser, revokeOrganizations } from '#server/store/users.js'
import { until } from '../until.js'
import { ControlStore } from './control.js'
import { unexpected } from './stores.js'

const ADA = 'ada@example.org'
const PROJECT = '11111111-1111-4111-8111-111111111111'
const SNAPSHOT = '000001-22222222-2222-4222-8222-222222222222'
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const signal = AbortSignal.timeout(60_000)

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = []
  for await (const item of items) read.push(item)
  return read
}

describe('the audit', () => {
  const control = new ControlStore()

  const read = (filter: AuditFilter = {}) => readAll(readAudit(control.store, filter))
  const actions = async (filter: AuditFilter = {}) => (await read(filter)).map(({ action }) => action)
  const makeKey = () => createKey(control.store, { user: ADA, organizations: ['north'] })

  it('records what changes users, organizations, keys, projects and snapshots, in order', async () => {
    const { store } = control
    await control.addAda('north', 'south')
    await renameOrganization(store, 'north', 'The far north')
    await grantOrganizations(store, ADA, ['north'])
    await revokeOrganizations(store, ADA, ['south'])
    await renameUser(store, ADA, 'eve@example.org')
    await renameUser(store, 'eve@example.org', ADA)
    const { id } = await makeKey()
    await revokeKey(store, id)
    await revokeKey(store, id) // it is revoked already
    await addProject(store, { organization: 'north', name: 'One', id: PROJECT })
    await renameProject(store, PROJECT, 'Two')
    await setEngine(store, PROJECT, 'trino')
    await recordSealed(store, { projectId: PROJECT, snapshotId: SNAPSHOT, sealedAt: null })
    await pruneSnapshots(store, { prune: async () => ['older'] }, PROJECT, 1)
    await pruneSnapshots(store, { prune: async () => [] }, PROJECT, 1)
    await acceptSnapshot(store, PROJECT, null)
    await suspendUser(store, ADA)
    await resumeUser(store, ADA)
    await removeProject(store, PROJECT)
    await removeOrganization(store, 'south')
    await removeUser(store, ADA)
    const expected =
      'organization.made organization.made user.made organization.renamed user.granted user.revoked user.renamed ' +
      'user.renamed key.made key.revoked project.made project.renamed project.engine-set snapshot.sealed snapshot.pruned ' +
      'snapshot.accepted user.suspended user.resumed project.removed organization.removed user.removed'
    assert.deepEqual(await actions(), expected.split(' '))
    const [made] = await read({ action: 'key.made' })
    assert.equal(made?.at, '2026-11-01T00:00:00.000Z')
    assert.match(made?.who ?? '', /^command:./)
    assert.ok(made?.from)
    assert.deepEqual([made?.subject, made?.organizations, made?.details.email], [id, ['north'], ADA])
  })

  it('records logins, logouts and passwords, and none of what is secret', async () => {
    const { store } = control
    await control.addAda('north')
    const { user } = await setPassword(store, ADA, 'correct horse', { keys: true })
    const token = await logIn(store, { email: ADA, password: 'correct horse' })
    const given = { userId: user.id, current: 'correct horse', next: 'battery staple' }
    const changed = await actingAs(ADA, () => changePassword(store, given))
    const { key } = await actingAs(ADA, makeKey)
    await actingAs(ADA, () => logOut(store, changed?.token ?? ''))
    await logOut(store, changed?.token ?? '') // it has ended already
    const records = await read({ who: ADA })
    assert.deepEqual(
      records.map(({ action }) => action),
      ['login', 'user.password-changed', 'key.made', 'logout'],
    )
    const all = JSON.stringify(await read())
    for (const secret of [token, changed?.token, key, 'correct horse', 'battery staple'])
      assert.ok(secret && !all.includes(secret))
  })

  it('has no record of what was rolled back', async () => {
    await control.addAda('north')
    const failing = control.store.transaction(async within => {
      await createKey(within, { user: ADA, organizations: ['north'] })
      throw new Error('rolled back')
    })
    await assert.rejects(failing, /rolled back/)
    assert.deepEqual(await actions({ action: 'key' }), [])
  })

  it('refuses statements that change a record', async () => {
    await control.addOrganizations('north')
    await assert.rejects(
      control.store.db.updateTable('audit').set({ who: 'nobody' }).execute(),
      /rows of the table audit cannot be changed/,
    )
  })

  it('is read by time, action, who, organization and project, and the newest of it', async () => {
    const { store } = control
    const begun = control.now
    await control.addOrganizations('North', 'north', 'n_rth')
    control.now += MINUTE_MS
    await actingAs(ADA, () => addProject(store, { organization: 'n_rth', name: 'One', id: PROJECT }))
    const names = async (filter: AuditFilter) => (await read(filter)).map(({ subject }) => subject)
    assert.deepEqual(await names({ until: begun + 1 }), ['North', 'north', 'n_rth'])
    assert.deepEqual(await names({ since: begun + 1 }), [PROJECT])
    assert.deepEqual(await names({ action: 'organization' }), ['North', 'north', 'n_rth'])
    assert.deepEqual(await names({ action: 'project.made' }), [PROJECT])
    assert.deepEqual(await names({ action: 'project.removed' }), [])
    assert.deepEqual(await names({ who: ADA }), [PROJECT])
    assert.deepEqual(await names({ organization: 'north' }), ['north'])
    assert.deepEqual(await names({ organization: 'n_rth' }), ['n_rth', PROJECT])
    assert.deepEqual(await names({ project: PROJECT }), [PROJECT])
    assert.deepEqual(await names({ limit: 2 }), ['n_rth', PROJECT])
    assert.deepEqual(await names({ limit: 1, action: 'organization' }), ['n_rth'])
    assert.deepEqual(await names({ limit: 10 }), ['North', 'north', 'n_rth', PROJECT])
  })

  it('has what happens to the keys of an organization and to the users who read it', async () => {
    const { store } = control
    await control.addAda('north', 'south')
    const { id, key } = await makeKey()
    const uses = new FirstUses(store, unexpected)
    await keyPort(store, used => uses.note(used)).authenticate(key, signal)
    await uses.close()
    await revokeKey(store, id)
    await suspendUser(store, ADA)
    await resumeUser(store, ADA)
    await setPassword(store, ADA, 'correct horse')
    await renameUser(store, ADA, 'eve@example.org')
    const ofUser = ['user.suspended', 'user.resumed', 'user.password-changed', 'user.renamed']
    for (const [organization, expected] of [
      ['north', ['organization.made', 'user.made', 'key.made', 'key.used', 'key.revoked', ...ofUser]],
      ['south', ['organization.made', 'user.made', ...ofUser]],
    ] as const)
      assert.deepEqual(await actions({ organization }), expected)
  })

  it('forgets records after as many days as it is told, and no others', async () => {
    await control.addOrganizations('old')
    control.now += DAY_MS
    await control.addOrganizations('new')
    control.now += 9 * DAY_MS + 1
    await forgetAudit(control.store, 10)
    assert.deepEqual(
      (await read()).map(({ subject }) => subject),
      ['new'],
    )
  })

  it('records the first use of a key once, also when two servers are called at once', async () => {
    const { store } = control
    await control.addAda('north')
    const { id, key } = await makeKey()
    const other = await openStore(control.file)
    try {
      const uses = [new FirstUses(store, unexpected), new FirstUses(other, unexpected)] as const
      const ports = [keyPort(store, used => uses[0].note(used)), keyPort(other, used => uses[1].note(used))]
      for (const port of [...ports, ...ports]) assert.equal((await port.authenticate(key, signal))?.keyId, id)
      await Promise.all(uses.map(each => each.close()))
      const used = await read({ action: 'key.used' })
      assert.deepEqual(
        used.map(({ subject, who }) => [subject, who]),
        [[id, `key:${id}`]],
      )
      const late = keyPort(store, () => assert.fail('its first use is recorded'))
      assert.equal((await late.authenticate(key, signal))?.keyId, id)
    } finally {
      await other.close()
    }
  })

  describe('of failed logins', () => {
    const failed = { email: ADA, network: '192.0.2.1', isRefused: false }

    it('has the first of a user from a network, and counts the others until the window ends', async () => {
      await control.addAda('north')
      const logins = new FailedLogins(control.store, unexpected)
      for (let count = 0; count < 10; count++) logins.note(failed)
      for (let count = 0; count < 90; count++) logins.note({ ...failed, isRefused: true })
      logins.note({ ...failed, email: 'my secret password' })
      logins.note({ ...failed, email: 'another@example.org' })
      await logins.stop()
      assert.deepEqual(
        (await read({ action: 'login' })).map(({ action, who, from, details }) => [action, who, from, details.count]),
        [
          ['login.failed', ADA, '192.0.2.1', 1],
          ['login.refused', 'unknown', '192.0.2.1', 1],
          ['login.failed', 'unknown', '192.0.2.1', 1],
          ['login.failed', ADA, '192.0.2.1', 9],
          ['login.refused', 'unknown', '192.0.2.1', 89],
          ['login.failed', 'unknown', '192.0.2.1', 1],
        ],
      )
      assert.ok(!JSON.stringify(await read()).includes('my secret password'))
    })

    it('counts those that could not be recorded when it can be written again', async () => {
      const reported: string[] = []
      const logins = new FailedLogins(control.store, what => reported.push(what))
      const { schema } = control.store.db
      await schema.alterTable('audit').renameTo('away').execute()
      for (let count = 0; count < 3; count++) logins.note(failed)
      await until(() => reported.length > 0, 'a failed record')
      await schema.alterTable('away').renameTo('audit').execute()
      await logins.stop()
      const records = await read({ action: 'login' })
      assert.deepEqual([records.map(({ details }) => details.count), reported], [[3], ['recording a failed login']])
    })

    it('reports at its end what cannot be recorded', async () => {
      const reported: string[] = []
      const logins = new FailedLogins(control.store, what => reported.push(what))
      const { schema } = control.store.db
      await schema.alterTable('audit').renameTo('away').execute()
      logins.note(failed)
      await logins.stop()
      await schema.alterTable('away').renameTo('audit').execute()
      assert.deepEqual(reported, ['recording a failed login', 'recording failed logins'])
    })

    it('counts networks together beyond those that it counts apart', async () => {
      const logins = new FailedLogins(control.store, unexpected, 10)
      for (let network = 0; network < 500; network++)
        logins.note({ email: '', network: String(network), isRefused: true })
      await logins.stop()
      const records = await read({ action: 'login' })
      assert.equal(records.length, 12)
      const others = records.filter(({ subject }) => subject === 'others')
      assert.deepEqual(
        others.map(({ from, details }) => [from, details.count]),
        [
          [null, 1],
          [null, 489],
        ],
      )
    })
  })

  describe('in a file', () => {
    const records = async (file: string) =>
      (await readFile(file, 'utf8'))
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as { action: string; subject: string })

    it('has a line for each record that any process makes, and only its owner may read it', async () => {
      await control.addOrganizations('before')
      const file = join(control.folder, 'audit.log')
      const log = await keepAuditLog(control.store, file, unexpected)
      const other = await openStore(control.file)
      try {
        await control.addOrganizations('north')
        await renameOrganization(other, 'north', 'By another process')
      } finally {
        await other.close()
      }
      await log.stop()
      assert.deepEqual(
        (await records(file)).map(({ action, subject }) => [action, subject]),
        [
          ['organization.made', 'north'],
          ['organization.renamed', 'north'],
        ],
      )
      assert.equal((await stat(file)).mode & 0o777, 0o600)
    })

    it('is caught up with when it can be written again, and the failure is reported once', async () => {
      const folder = join(control.folder, 'unmounted')
      const file = join(folder, 'audit.log')
      const reported: string[] = []
      const log = await keepAuditLog(control.store, file, (what, cause) => reported.push(`${what}: ${cause}`))
      await control.addOrganizations('north')
      await until(() => reported.length > 0, 'the failure')
      await control.addOrganizations('south')
      await mkdir(folder)
      await until(async () => (await stat(file).catch(() => null)) !== null, 'the file')
      await log.stop()
      assert.deepEqual(
        (await records(file)).map(({ subject }) => subject),
        ['north', 'south'],
      )
      assert.match(reported.join('\n'), /^writing the log of the audit: .*ENOENT[^\n]*$/)
      await rm(folder, { recursive: true })
    })
  })

  it('tells settings as they were written, and of secrets only that they are set', async () => {
    const environment = { FOLDGATE_STORE: 'postgres://ada:secret@db/one', FOLDGATE_PROXIES: '1' }
    const given = { quota: '5/1s', connections: 2 }
    const written = readConfig({ port: '80' }, environment, given).written([])
    const { store, proxies, port, quota, connections, host, trino } = written
    assert.deepEqual(
      { store, proxies, port, quota, connections, host, trino },
      { store: 'set', proxies: '1', port: '80', quota: '5/1s', connections: '2', host: '127.0.0.1', trino: undefined },
    )
    assert.ok(!JSON.stringify(written).includes('secret'))
  })
})
