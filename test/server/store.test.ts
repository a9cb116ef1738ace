import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { endAssessment, listAssessments, requireRunningAssessment, startAssessment } from '#server/store/assessments.js'
import { formatInstant, parseInstant } from '#server/store/instants.js'
import { createKey, listKeys, revokeKey } from '#server/store/keys.js'
import { addOrganization, listOrganizations } from '#server/store/organizations.js'
import { hashPassword, verifyPassword } from '#server/store/passwords.js'
import { keyPort, projectPort } from '#server/store/ports.js'
import { addProject, listProjects, projectState, requireProject } from '#server/store/projects.js'
import { sealingSecrets } from '#server/store/secrets.js'
import { openStore, type Store } from '#server/store/store.js'
import { addUser, grantOrganizations, listUsers, revokeOrganizations } from '#server/store/users.js'
import { scratchFolder } from './command.js'
import { isEmbedded, storeAt } from './stores.js'

const signal = AbortSignal.timeout(60_000)
const scratch = scratchFolder()
let opened = 0
let file: string
let now: number
let store: Store

beforeEach(async () => {
  now = Date.UTC(2026, 10, 1)
  file = await storeAt(join(scratch.path, `${++opened}.db`))
  store = await openStore(file, { clock: { now: () => now } })
})

afterEach(() => store.close())

async function withOrganizations(...keys: string[]): Promise<void> {
  for (const key of keys) await addOrganization(store, { key, name: `The ${key}` })
}

async function withUser(...organizations: string[]): Promise<void> {
  await withOrganizations(...organizations)
  await addUser(store, { email: 'ada@example.org', organizations })
}

function makeKey(...organizations: string[]) {
  return createKey(store, { user: 'ada@example.org', organizations })
}

describe('the control store', () => {
  it('keeps what is in it when opened again', async () => {
    await withOrganizations('north')
    await store.close()
    store = await openStore(file)
    assert.deepEqual(
      (await listOrganizations(store)).map(each => each.key),
      ['north'],
    )
  })

  it('is refused when a newer version has changed it, naming the change', async () => {
    await sql`INSERT INTO migrations VALUES ('9999-from-the-future', 0)`.execute(store.db)
    await assert.rejects(
      openStore(file),
      /newer version of foldgate \(change "9999-from-the-future"\): run that version, or/,
    )
  })

  it('is refused when its file is no database', async () => {
    const junk = join(scratch.path, 'junk.db')
    await writeFile(junk, 'this is no database at all\n'.repeat(100))
    await assert.rejects(openStore(junk), /is no database: move it away, or name another folder/)
  })

  it('shows each process at once what another has changed', async () => {
    const other = await openStore(file)
    try {
      await withUser('north')
      const { key, id } = await makeKey('north')
      assert.ok(await keyPort(other).authenticate(key, signal))
      await revokeKey(other, id)
      assert.equal(await keyPort(store).authenticate(key, signal), null)
    } finally {
      await other.close()
    }
  })

  it('does all of a transaction or nothing', async () => {
    const failing = store.transaction(async within => {
      await addOrganization(within, { key: 'north', name: 'North' })
      throw new Error('on purpose')
    })
    await assert.rejects(failing, /on purpose/)
    assert.deepEqual(await listOrganizations(store), [])
  })

  it('makes the sealing secret once, also for two processes', async () => {
    const other = await openStore(file)
    const [first, second] = await Promise.all([sealingSecrets(store), sealingSecrets(other)])
    await other.close()
    assert.deepEqual(first, second)
    assert.equal(first.length, 1)
    assert.ok((first[0]?.length ?? 0) >= 32)
  })
})

describe('passwords', () => {
  it('are kept as a salted scrypt hash that says how it was made', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    assert.match(one, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    assert.notEqual(one, two)
    assert.equal(await verifyPassword('correct horse', one), true)
    assert.equal(await verifyPassword('correct horsf', one), false)
    assert.equal(await verifyPassword('correct horse', 'md5$abc'), false)
  })

  it('are refused when too short', async () => {
    await assert.rejects(hashPassword('1234567'), /7 characters: take 8 to 1000/)
  })
})

describe('users', () => {
  it('have their address in lower case, once', async () => {
    await withOrganizations('north')
    await addUser(store, { email: 'Ada@Example.org', organizations: ['north'] })
    const again = addUser(store, { email: 'ada@example.ORG', organizations: ['north'] })
    await assert.rejects(again, /ada@example\.org is there already/)
    assert.deepEqual(
      (await listUsers(store)).map(user => [user.email, user.organizations, user.hasPassword]),
      [['ada@example.org', ['north'], false]],
    )
  })

  it('are not added at all with an organization that is not there', async () => {
    await withOrganizations('north')
    const adding = addUser(store, { email: 'ada@example.org', organizations: ['north', 'nowhere'] })
    await assert.rejects(adding, /no organization "nowhere".*foldgate organization add/)
    assert.deepEqual(await listUsers(store), [])
  })

  for (const email of ['', 'ada', 'ada@', '@example.org', 'a da@example.org', 'ada@example..org', 'ada@x@y']) {
    it(`are refused with the address ${JSON.stringify(email)}`, async () => {
      await assert.rejects(addUser(store, { email, organizations: [] }), /is not an e-mail address: write it as/)
    })
  }

  it('can be granted an organization twice and lose only what they read', async () => {
    await withUser('north')
    await withOrganizations('south')
    await grantOrganizations(store, 'ada@example.org', ['south'])
    const user = await grantOrganizations(store, 'ada@example.org', ['south'])
    assert.deepEqual(user.organizations, ['north', 'south'])
    assert.deepEqual((await revokeOrganizations(store, 'ada@example.org', ['north'])).organizations, ['south'])
    const again = revokeOrganizations(store, 'ada@example.org', ['north'])
    await assert.rejects(again, /does not read the organization "north" \(they read south\)/)
  })
})

describe('keys', () => {
  it('are long, random and nowhere in what is stored', async () => {
    await withUser('north')
    const [one, two] = [await makeKey('north'), await makeKey('north')]
    assert.match(one.key, /^fg_[\w-]{43}$/)
    assert.notEqual(one.key, two.key)
    const stored = isEmbedded
      ? (await readdir(scratch.path)).filter(name => name.startsWith(`${opened}.db`))
      : [JSON.stringify(await store.db.selectFrom('keys').selectAll().execute())]
    assert.ok(stored.length > 0)
    for (const text of stored) {
      const bytes = isEmbedded ? await readFile(join(scratch.path, text)) : text
      assert.equal(bytes.includes(one.key) || bytes.includes(one.key.slice(3)), false)
    }
  })

  it('are for organizations that their owner reads', async () => {
    await withUser('north')
    await withOrganizations('south')
    await assert.rejects(makeKey('south'), /does not read the organization "south".*foldgate user grant/)
    await assert.rejects(makeKey('nowhere'), /no organization "nowhere"/)
    await assert.rejects(
      createKey(store, { user: 'bob@example.org', organizations: ['north'] }),
      /no user bob@example\.org/,
    )
    assert.deepEqual(await listKeys(store), [])
  })

  it('name their caller, and nobody when unknown', async () => {
    await withUser('north', 'south')
    const { key, id } = await makeKey('south', 'north', 'south')
    const [owner] = await listUsers(store)
    assert.deepEqual(await keyPort(store).authenticate(key, signal), {
      keyId: id,
      ownerId: owner?.id,
      organizations: ['north', 'south'],
    })
    for (const other of ['', 'fg_', key.slice(0, -1), key.toUpperCase(), `${key} `])
      assert.equal(await keyPort(store).authenticate(other, signal), null)
  })

  it('shrink at once with what their owner reads, to nothing, and grow back', async () => {
    await withUser('north', 'south')
    const { key } = await makeKey('north', 'south')
    const reads = async () => (await keyPort(store).authenticate(key, signal))?.organizations
    await revokeOrganizations(store, 'ada@example.org', ['north'])
    assert.deepEqual(await reads(), ['south'])
    await revokeOrganizations(store, 'ada@example.org', ['south'])
    assert.deepEqual(await reads(), [])
    await withOrganizations('west')
    await grantOrganizations(store, 'ada@example.org', ['north', 'west'])
    assert.deepEqual(await reads(), ['north'])
    const [listed] = await listKeys(store)
    assert.deepEqual([listed?.organizations, listed?.reads], [['north', 'south'], ['north']])
  })

  it('end at their expiry, which lies ahead', async () => {
    await withUser('north')
    const wanted = { user: 'ada@example.org', organizations: ['north'] }
    await assert.rejects(createKey(store, { ...wanted, expiresAt: now }), /is in the past: name a time to come/)
    const { key } = await createKey(store, { ...wanted, expiresAt: now + 1000 })
    now += 999
    assert.ok(await keyPort(store).authenticate(key, signal))
    now += 1
    assert.equal(await keyPort(store).authenticate(key, signal), null)
  })

  it('end for good when revoked, at the time of the first revocation', async () => {
    await withUser('north')
    const { key, id } = await makeKey('north')
    const revokedAt = now
    assert.equal((await revokeKey(store, id)).revokedAt, revokedAt)
    now += 1000
    assert.equal((await revokeKey(store, id.toUpperCase())).revokedAt, revokedAt)
    assert.equal(await keyPort(store).authenticate(key, signal), null)
    await assert.rejects(revokeKey(store, 'nothing'), /no key with the id "nothing".*foldgate key list/)
  })
})

describe('projects', () => {
  const ID = '6F9619FF-8B86-D011-B42D-00C04FC964FF'

  it('have a UUID, lower case and once', async () => {
    await withOrganizations('north')
    const project = await addProject(store, { organization: 'north', name: ' One ', id: ID })
    assert.deepEqual([project.projectId, project.name], [ID.toLowerCase(), 'One'])
    const again = addProject(store, { organization: 'north', name: 'Two', id: ID.toLowerCase() })
    await assert.rejects(again, /is there already: leave the id out or choose another/)
    const wrong = addProject(store, { organization: 'north', name: 'Two', id: 'not-a-uuid' })
    await assert.rejects(wrong, /"not-a-uuid" is not a UUID: write it as/)
    await assert.rejects(addProject(store, { organization: 'nowhere', name: 'Two' }), /no organization "nowhere"/)
    await assert.rejects(addProject(store, { organization: 'north', name: ' ' }), /name of the project is empty/)
    assert.equal((await listProjects(store)).length, 1)
  })

  it('are listed to callers by organization, in the order of registration, page by page', async () => {
    await withOrganizations('north', 'south', 'west')
    for (const [at, organization] of ['north', 'south', 'west', 'north', 'south'].entries())
      await addProject(store, { organization, name: `${at}`, createdAt: 1000 - at })
    const page = async (after: number, limit: number, ...organizations: string[]) =>
      await projectPort(store).list({ organizations, after, limit }, signal)
    const first = await page(0, 2, 'south', 'north')
    assert.deepEqual(
      first.map(project => project.name),
      ['0', '1'],
    )
    const rest = await page(first.at(-1)?.sequence ?? 0, 10, 'south', 'north')
    assert.deepEqual(
      rest.map(project => project.name),
      ['3', '4'],
    )
    assert.deepEqual(await page(0, 10), [])
  })

  it('are found by any case of their id', async () => {
    await withOrganizations('north')
    await addProject(store, { organization: 'north', name: 'One', id: ID })
    assert.equal((await projectPort(store).find(ID, signal))?.name, 'One')
    assert.equal(await projectPort(store).find(ID.replace('6F', '7F'), signal), null)
    assert.equal(await projectPort(store).find('nothing', signal), null)
  })

  it('have the state that follows from their assessments', async () => {
    await withOrganizations('north')
    const { projectId } = await addProject(store, { organization: 'north', name: 'One' })
    const state = async () => projectState(await requireProject(store, projectId))
    const states = [await state()]
    for (const end of ['failed', 'completed', 'failed'] as const) {
      const { id } = await startAssessment(store, projectId)
      states.push(await state())
      await endAssessment(store, id, end)
      states.push(await state())
    }
    const failedOnly = ['notComputed', 'computing', 'notComputed']
    assert.deepEqual(states, [...failedOnly, 'computing', 'computed', 'computed', 'computed'])
  })
})

describe('assessments', () => {
  it('run one at a time in a project and end once', async () => {
    await withOrganizations('north')
    const { projectId } = await addProject(store, { organization: 'north', name: 'One' })
    const { id } = await startAssessment(store, projectId)
    await assert.rejects(startAssessment(store, projectId), /is running, and a project has one at a time: end it first/)
    now += 1000
    const ended = await endAssessment(store, id, 'completed')
    assert.deepEqual([ended.state, ended.startedAt, ended.endedAt], ['completed', now - 1000, now])
    await assert.rejects(endAssessment(store, id, 'failed'), /has completed: start a new one/)
    await assert.rejects(requireRunningAssessment(store, 'nothing'), /no assessment "nothing"/)
    await startAssessment(store, projectId)
    assert.deepEqual(
      (await listAssessments(store, projectId)).map(each => each.state),
      ['completed', 'running'],
    )
  })

  it('cannot run twice in the database itself', async () => {
    await withOrganizations('north')
    const { projectId } = await addProject(store, { organization: 'north', name: 'One' })
    await startAssessment(store, projectId)
    const row = { id: 'x', project_id: projectId, state: 'running', started_at: now, ended_at: null } as const
    await assert.rejects(store.db.insertInto('assessments').values(row).execute(), /unique/i)
  })
})

describe('instants', () => {
  const accepted: [string, string][] = [
    ['2026-11-21T09:00:00Z', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21t09:00:00z', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21 09:00:00+02:00', '2026-11-21T07:00:00.000Z'],
    ['2024-02-29T23:59:59.123456-01:30', '2024-03-01T01:29:59.123Z'],
  ]
  for (const [text, instant] of accepted)
    it(`read ${text}`, () => assert.equal(formatInstant(parseInstant(text) ?? 0), instant))

  const refused = [
    '2026-11-21',
    '2026-11-21T09:00Z',
    '2026-11-21T09:00:00',
    '2026-02-29T09:00:00Z',
    '2026-13-01T09:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T09:00:60Z',
    '2026-11-21T09:00:00+2:00',
    'tomorrow',
  ]
  for (const text of refused) it(`do not read ${text}`, () => assert.equal(parseInstant(text), null))
})
