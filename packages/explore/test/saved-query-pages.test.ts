import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { listSavedQueries, removeSavedQuery, SAVED_QUERIES_PER_PAGE } from '#explore/server/saved-queries.js'
import { dbOf } from '#explore/server/tables.js'
import { addProject } from '../../../server/dist/store/projects.js'
import { addUser, revokeOrganizations, type User } from '../../../server/dist/store/users.js'
import { ControlStore } from '../../../test/server/control.js'

describe('saved queries in pages', () => {
  const control = new ControlStore()
  let ada: User
  let bob: User
  let eve: User
  let north: string
  let south: string

  beforeEach(async () => {
    await control.addOrganizations('north', 'south', 'west')
    const add = (name: string, ...organizations: string[]) =>
      addUser(control.store, { email: `${name}@example.org`, organizations })
    ada = await add('ada', 'north', 'south')
    bob = await add('bob', 'north')
    eve = await add('eve', 'west')
    const project = async (organization: string) =>
      (await addProject(control.store, { organization, name: `Project of ${organization}` })).projectId
    north = await project('north')
    south = await project('south')
  })

  const numbered = (what: string, count: number) => Array.from({ length: count }, (_, at) => `${what} ${at}`)

  /** Saves queries of these names in turn, shared with the organization of their project. */
  async function save(user: User, names: readonly string[], everyMs: number, projectId = north): Promise<void> {
    const organization_key = projectId === north ? 'north' : 'south'
    const place = { user_id: user.id, project_id: projectId, organization_key, sql: 'SELECT 1' }
    const rows = names.map((name, at) => ({ id: randomUUID(), name, ...place, saved_at: control.now + at * everyMs }))
    await dbOf(control.store).insertInto('saved_queries').values(rows).execute()
  }

  /** The names on each page, read until a page has no `nextCursor`; `between` runs before each page but the first. */
  async function pagesOf(user: User, projectId?: string, between = async () => {}): Promise<string[][]> {
    const pages: string[][] = []
    for (let cursor: string | undefined; ; await between()) {
      const page = await listSavedQueries(control.store, user, { projectId, cursor })
      pages.push(page.queries.map(({ name }) => name))
      cursor = page.nextCursor
      if (cursor === undefined) return pages
    }
  }
  it('come whole, each once and in order: one’s own first, then those of others, the newest first', async () => {
    const [mine, others] = [numbered('mine', SAVED_QUERIES_PER_PAGE + 7), numbered('others', 60)]
    await save(ada, mine, 1)
    await save(bob, others, 1)
    await save(ada, ['elsewhere'], 0, south)
    const pages = await pagesOf(ada, north)
    assert.deepEqual(pages.flat(), [...mine.toReversed(), ...others.toReversed()])
    assert.deepEqual(
      pages.map(page => page.length),
      [SAVED_QUERIES_PER_PAGE, SAVED_QUERIES_PER_PAGE, 17],
    )
  })

  it('come whole even if all were saved at the same moment', async () => {
    await save(ada, numbered('mine', SAVED_QUERIES_PER_PAGE), 0)
    await save(bob, numbered('others', SAVED_QUERIES_PER_PAGE + 1), 0)
    const names = (await pagesOf(ada)).flat()
    assert.equal(names.length, 2 * SAVED_QUERIES_PER_PAGE + 1)
    assert.equal(new Set(names).size, names.length)
    assert.ok(names.slice(0, SAVED_QUERIES_PER_PAGE).every(name => name.startsWith('mine')))
  })

  it('end with a page that is exactly full', async () => {
    await save(ada, numbered('mine', SAVED_QUERIES_PER_PAGE), 1)
    assert.deepEqual(
      (await pagesOf(ada)).map(page => page.length),
      [SAVED_QUERIES_PER_PAGE],
    )
  })

  it('go on after the last one that was listed, even if it is removed, and see access that was lost', async () => {
    const mine = numbered('mine', SAVED_QUERIES_PER_PAGE + 3)
    await save(ada, mine, 1)
    await save(bob, ['other'], 1)
    const last = (await listSavedQueries(control.store, ada)).queries.at(-1)
    const between = async () => {
      await removeSavedQuery(control.store, ada, last?.id ?? '')
      await revokeOrganizations(control.store, bob.email, ['north'])
    }
    const [, next] = await pagesOf(ada, undefined, between)
    assert.deepEqual(next, [...mine.slice(0, 3).toReversed(), 'other'], 'bob has shared it while he had access')
    await revokeOrganizations(control.store, ada.email, ['north'])
    assert.deepEqual(await pagesOf(ada), [[]])
  })

  it('are refused with a cursor that is none', async () => {
    const id = '00000000-0000-4000-8000-000000000000'
    for (const cursor of [
      '',
      '0',
      `2.1.${id}`,
      `0.x.${id}`,
      `0.1.${id}x`,
      `0.1.${'x'.repeat(36)}`,
      `0.${'9'.repeat(16)}.${id}`,
    ])
      await assert.rejects(listSavedQueries(control.store, ada, { cursor }), /The cursor of the list is not one/)
    assert.deepEqual((await listSavedQueries(control.store, ada, { cursor: `1.1.${id}` })).queries, [])
  })

  it('of others show nothing of the cursor’s place: a stranger’s cursor leads to one’s own queries only', async () => {
    await save(ada, numbered('mine', SAVED_QUERIES_PER_PAGE + 1), 1)
    const { nextCursor } = await listSavedQueries(control.store, ada)
    assert.ok(nextCursor)
    assert.deepEqual((await listSavedQueries(control.store, eve, { cursor: nextCursor })).queries, [])
  })
})
