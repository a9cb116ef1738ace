import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { MOST_SAVED_QUERIES, saveQuery } from '#explore/server/saved-queries.js'
import { MAX_SAVED_SQL_BYTES } from '#explore/server/saved-statement.js'
import { dbOf } from '#explore/server/tables.js'
import { listProjects } from '../../../../../server/dist/store/projects.js'
import { findUser, revokeOrganizations } from '../../../../../server/dist/store/users.js'
import { ADA, enterAs, type Site, startPages } from '../../../../../test/check/pages/site.js'
import { type Shown, Visitor } from '../../../../../test/check/pages/visitor.js'
import { scratchFolder } from '../../../../../test/server/command.js'

const PATH = '/explore/queries'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const scratch = scratchFolder()

describe('the lists of saved queries', () => {
  let site: Site
  let ada: Visitor
  let projects: Record<string, string>
  let opened = 0

  beforeEach(async () => {
    site = await startPages(join(scratch.path, `${++opened}.db`), Date.now)
    ada = await new Visitor(site.url).enter()
    projects = {}
    for (const { organization, projectId } of await listProjects(site.store)) projects[organization] = projectId
  })

  afterEach(() => site.close())

  const owner = async () => (await findUser(site.store, ADA.email)) ?? assert.fail('Ada is not there')
  const save = async (name: string, organization: string | null = null) =>
    saveQuery(site.store, { user: await owner(), name, sql: 'SELECT 1', projectId: projects.north ?? '', organization })

  function assertAnswer({ status, headers, html }: Shown, expected: number, body: unknown): void {
    assert.deepEqual([status, JSON.parse(html)], [expected, body])
    assert.equal(headers.get('cache-control'), 'no-store')
  }

  it('lead to each query, and are as silent about those of others as about unknown ones', async () => {
    const [bob, eve] = [await enterAs(site, 'bob', 'north'), await enterAs(site, 'eve', 'west')]
    const [own, shared] = [(await save('Own')).id, (await save('Shared', 'north')).id]
    const paths = [UNKNOWN, 'x', own, shared].map(id => `${PATH}/${id}`)
    for (const answer of await Promise.all(paths.map(path => eve.get(path)))) assertAnswer(answer, 404, {})
    assertAnswer(await bob.get(`${PATH}/${own}`), 404, {})
    assert.equal((await bob.get(`${PATH}/${shared}`)).status, 200)
    await revokeOrganizations(site.store, 'bob@example.org', ['north'])
    assertAnswer(await bob.get(`${PATH}/${shared}`), 404, {})
    assertAnswer(await new Visitor(site.url).get(`${PATH}/${shared}`), 401, {})
  })

  it('come in pages without SQL, however many and long the queries are', async () => {
    const sql = '\x01'.repeat(MAX_SAVED_SQL_BYTES)
    const place = {
      user_id: (await owner()).id,
      project_id: projects.north ?? '',
      organization_key: 'north',
      saved_at: 0,
    }
    const rows = Array.from({ length: MOST_SAVED_QUERIES }, (_, at) => ({
      ...{ ...place, id: randomUUID(), name: `${'\u{1F984}'.repeat(48)}${at}`, sql },
    }))
    for (const row of rows) await dbOf(site.store).insertInto('saved_queries').values(row).execute()
    const seen: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const asked = new URLSearchParams({ project: projects.north ?? '', ...(cursor === '' ? {} : { cursor }) })
      const { html } = await ada.get(`${PATH}?${asked}`)
      assert.ok(html.length < 64 * 1024, `${html.length} characters`)
      const page: { queries: { id: string }[]; nextCursor?: string } = JSON.parse(html)
      seen.push(...page.queries.map(({ id }) => id))
      cursor = page.nextCursor
    }
    assert.deepEqual(seen.sort(), rows.map(({ id }) => id).sort())
    const message = 'The cursor of the list is not one that the list has returned: start without a cursor'
    assertAnswer(await ada.get(`${PATH}?cursor=x`), 422, { message })
  })
})
