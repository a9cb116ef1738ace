import assert from 'node:assert/strict'
import { MAX_SQL_BYTES } from 'foldgate/internal'
import {
  findSavedQuery,
  type ListedQuery,
  listSavedQueries,
  MOST_SAVED_QUERIES,
  type QueryToSave,
  removeSavedQuery,
  type SavedQuery,
  saveQuery,
} from '#explore/server/saved-queries.js'
import { MAX_SAVED_SQL_BYTES } from '#explore/server/saved-statement.js'
import { dbOf } from '#explore/server/tables.js'
import { openStore, type Store } from '../../../server/dist/database/store.js'
import { addProject } from '../../../server/dist/store/projects.js'
import { addUser, grantOrganizations, revokeOrganizations, type User } from '../../../server/dist/store/users.js'
import { ControlStore } from '../../../test/server/control.js'

describe('saved queries', () => {
  const control = new ControlStore()
  let ada: User
  let bob: User
  let eve: User
  let projects: Record<string, string>

  beforeEach(async () => {
    await control.addOrganizations('north', 'south', 'west')
    const add = (name: string, ...organizations: string[]) =>
      addUser(control.store, { email: `${name}@example.org`, organizations })
    ada = await add('ada', 'north', 'south')
    bob = await add('bob', 'north')
    eve = await add('eve', 'west')
    projects = {}
    for (const key of ['north', 'south', 'west'])
      projects[key] = (await addProject(control.store, { organization: key, name: `Project of ${key}` })).projectId
  })

  const projectOf = (key: string) => projects[key] ?? ''
  const save = (change: Partial<QueryToSave> = {}, store = control.store) =>
    saveQuery(store, {
      ...{ user: ada, name: 'Sites', sql: 'SELECT 1', projectId: projectOf('north'), organization: null },
      ...change,
    })
  const list = async (user: User) => (await listSavedQueries(control.store, user)).queries
  const namesOf = async (user: User) => (await list(user)).map(({ name }) => name)
  const withoutSql = ({ sql: _, parameters: __, ...listed }: SavedQuery): ListedQuery => listed

  it('are listed with all that was saved, newest first', async () => {
    const name = 'Größe <b>"&\u{1F984}'
    const sql = "SELECT 'ä\u{1F984}',\r\n\t1 -- <script>\n"
    const first = await save({ name: `  ${name} `, sql, projectId: projectOf('north').toUpperCase() })
    control.now += 1
    const second = await save({ organization: 'north' })
    assert.deepEqual(first, {
      ...{ id: first.id, name, sql, parameters: {}, projectId: projectOf('north'), organization: null },
      ...{ owner: 'ada@example.org', isOwn: true, savedAt: control.now - 1 },
    })
    assert.deepEqual(second.organization, { key: 'north', name: 'The north' })
    assert.deepEqual(await list(ada), [second, first].map(withoutSql))
    assert.deepEqual(await list(bob), [withoutSql({ ...second, isOwn: false })])
    assert.deepEqual(await list(eve), [])
  })

  it('are read one by one with their SQL, by those who see them', async () => {
    const shared = await save({ organization: 'north' })
    const own = await save({ name: 'Own', sql: 'SELECT 2' })
    assert.deepEqual(await findSavedQuery(control.store, ada, own.id.toUpperCase()), own)
    assert.deepEqual(await findSavedQuery(control.store, bob, shared.id), { ...shared, isOwn: false })
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const id of [own.id, unknown, '', 'x', '\0']) assert.equal(await findSavedQuery(control.store, bob, id), null)
    assert.equal(await findSavedQuery(control.store, eve, shared.id), null)
    await revokeOrganizations(control.store, bob.email, ['north'])
    assert.equal(await findSavedQuery(control.store, bob, shared.id), null)
  })

  it('keep what was typed for their parameters, until they are saved without', async () => {
    const parameters = {
      since: { type: 'DATE', value: '2026-11-20' },
      country: { value: 'ä\u0000"' },
      none: { value: null },
    }
    const saved = await save({ sql: 'SELECT $since', organization: 'north', parameters: JSON.stringify(parameters) })
    assert.deepEqual(saved.parameters, parameters)
    assert.deepEqual((await findSavedQuery(control.store, bob, saved.id))?.parameters, parameters)
    assert.deepEqual((await save({ sql: 'SELECT 1' })).parameters, {})
  })

  it('are listed for one project, those of the user before those of others', async () => {
    await save({ name: 'mine, early' })
    control.now += 1
    await save({ name: 'mine, of the south', projectId: projectOf('south') })
    await save({ name: 'shared by bob', user: bob, organization: 'north' })
    const names = async (project: string) =>
      (await listSavedQueries(control.store, ada, { projectId: project })).queries.map(({ name }) => name)
    assert.deepEqual(await names(projectOf('north').toUpperCase()), ['mine, early', 'shared by bob'])
    assert.deepEqual(await names(projectOf('south')), ['mine, of the south'])
    for (const project of [projectOf('west'), 'nothing', '']) assert.deepEqual(await names(project), [])
  })

  it('may be as long as a statement', async () => {
    assert.equal(MAX_SAVED_SQL_BYTES, MAX_SQL_BYTES)
    const sql = 'ä'.repeat(MAX_SQL_BYTES / 2)
    assert.equal((await save({ sql })).sql, sql)
    await assert.rejects(save({ sql: `${sql}x` }), /The SQL of the query is longer than 64 KiB: shorten it/)
  })

  it('replace the one with the same name, project and owner, and no other', async () => {
    const { id } = await save({ organization: 'north' })
    control.now += 5
    const again = await save({ sql: 'SELECT 2' })
    assert.deepEqual([again.id, again.sql, again.savedAt], [id, 'SELECT 2', control.now])
    assert.equal(again.organization, null)
    assert.deepEqual(await namesOf(bob), [], 'it is private now')
    await save({ user: bob })
    await save({ projectId: projectOf('south') })
    await save({ name: 'sites' })
    assert.deepEqual((await namesOf(ada)).sort(), ['Sites', 'Sites', 'sites'])
    assert.deepEqual(await namesOf(bob), ['Sites'])
  })

  it('are hidden as soon as access to their organization is lost, and only as long', async () => {
    await save({ name: 'shared', organization: 'north' })
    await save({ name: 'private' })
    await save({ name: 'south', projectId: projectOf('south'), organization: 'south' })
    assert.deepEqual(await namesOf(bob), ['shared'])
    await revokeOrganizations(control.store, bob.email, ['north'])
    assert.deepEqual(await namesOf(bob), [])
    await revokeOrganizations(control.store, ada.email, ['north'])
    assert.deepEqual(await namesOf(ada), ['south'], 'those that she saved herself, too')
    await assert.rejects(save(), /You have access to no project/, 'whatever her session says')
    await grantOrganizations(control.store, ada.email, ['north'])
    assert.deepEqual((await namesOf(ada)).sort(), ['private', 'shared', 'south'])
  })

  it('cannot be saved where their owner has no access, and the words are those for what does not exist', async () => {
    const wordsOf = async (projectId: string, organization: string | null) => {
      const error = await save({ projectId, organization }).then(
        () => assert.fail('it was saved'),
        (cause: Error) => cause,
      )
      assert.equal(error.name, 'Refusal')
      return error.message.replace(projectId, 'ID')
    }
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const organization of [null, 'west', 'north', 'nowhere'])
      assert.equal(await wordsOf(projectOf('west'), organization), await wordsOf(unknown, organization))
    const foreign = await wordsOf(projectOf('north'), 'west')
    assert.match(
      foreign,
      /can be shared only with its organization, "north": choose that one, or keep the query private/,
    )
    for (const organization of ['nowhere', 'south', 'NORTH', '\0'])
      assert.equal(await wordsOf(projectOf('north'), organization), foreign)
    assert.deepEqual(await list(ada), [])
  })

  const wrong: [Partial<QueryToSave>, RegExp][] = [
    [{ name: ' ' }, /The name of the query is empty/],
    [{ name: 'x'.repeat(101) }, /The name of the query is longer than 100 characters/],
    [{ name: 'a\nb' }, /The name of the query has a control character/],
    [{ name: 'a\0' }, /The name of the query has a control character/],
    [{ sql: '\n' }, /The SQL of the query is empty/],
    [{ sql: 'SELECT \0' }, /The SQL of the query has a NUL character in it/],
    [{ projectId: '' }, /is not a UUID/],
    [{ projectId: '\0' }, /is not a UUID/],
  ]
  for (const [change, message] of wrong)
    it(`are refused with ${JSON.stringify(change).slice(0, 40)}`, async () => {
      await assert.rejects(save(change), message)
      assert.deepEqual(await list(ada), [])
    })

  it('are removed by their owner only', async () => {
    const { id } = await save({ organization: 'north' })
    assert.equal(await removeSavedQuery(control.store, bob, id), false)
    assert.equal(await removeSavedQuery(control.store, eve, id), false)
    for (const other of ['', '\0', "' OR 1=1", '00000000-0000-4000-8000-000000000000'])
      assert.equal(await removeSavedQuery(control.store, ada, other), false)
    assert.deepEqual(await namesOf(bob), ['Sites'])
    assert.equal(await removeSavedQuery(control.store, ada, id.toUpperCase()), true)
    assert.equal(await removeSavedQuery(control.store, ada, id), false)
    assert.deepEqual(await namesOf(bob), [])
  })

  it('disappear with their owner, project and organization', async () => {
    const { db } = control.store
    await save({ user: bob, organization: 'north' })
    await db.deleteFrom('memberships').where('user_id', '=', bob.id).execute()
    await db.deleteFrom('users').where('id', '=', bob.id).execute()
    await save({ projectId: projectOf('south'), organization: 'south' })
    await db.deleteFrom('projects').where('organization_key', '=', 'south').execute()
    assert.deepEqual(await dbOf(control.store).selectFrom('saved_queries').select('id').execute(), [])
  })

  describe('of one user', () => {
    async function fill(store: Store, count: number): Promise<void> {
      await dbOf(store)
        .insertInto('saved_queries')
        .values(
          Array.from({ length: count }, (_, at) => ({
            ...{ id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`, user_id: ada.id, name: `Query ${at}` },
            ...{ project_id: projectOf('north'), organization_key: null, sql: 'SELECT 1', saved_at: 0 },
          })),
        )
        .execute()
    }

    it('are at most 200, without those that the user cannot see any more', async () => {
      await fill(control.store, MOST_SAVED_QUERIES)
      await assert.rejects(save(), /You have 200 saved queries, and can have no more: remove one first/)
      assert.equal((await save({ name: 'Query 7', sql: 'SELECT 2' })).sql, 'SELECT 2')
      await save({ user: bob })
      await revokeOrganizations(control.store, ada.email, ['north'])
      await save({ projectId: projectOf('south') })
    })

    it('are at most 200 and have different names, even if two processes save at once', async () => {
      await fill(control.store, MOST_SAVED_QUERIES - 2)
      const other = await openStore(control.file)
      try {
        const stores = [control.store, other]
        const same = await Promise.all([0, 1, 2, 3].map(at => save({ sql: `SELECT ${at}` }, stores[at % 2])))
        assert.equal(new Set(same.map(({ id }) => id)).size, 1)
        const names = Array.from({ length: 6 }, (_, at) => save({ name: `Late ${at}` }, stores[at % 2]))
        const outcomes = await Promise.allSettled(names)
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        const { count } = await dbOf(control.store)
          .selectFrom('saved_queries')
          .select(({ fn }) => fn.countAll().as('count'))
          .executeTakeFirstOrThrow()
        assert.equal(Number(count), MOST_SAVED_QUERIES)
      } finally {
        await other.close()
      }
    })
  })
})
