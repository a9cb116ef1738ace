import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type ListedQuery, MOST_SAVED_QUERIES, saveQuery } from '#explore/server/saved-queries.js'
import { MAX_SAVED_SQL_BYTES } from '#explore/server/saved-statement.js'
import { createKey } from '../../../../../server/dist/store/keys.js'
import { listProjects } from '../../../../../server/dist/store/projects.js'
import { addUser, findUser, revokeOrganizations } from '../../../../../server/dist/store/users.js'
import { ADA, cheapHash, type Site, startPages } from '../../../../../test/check/pages/site.js'
import { hiddenFields, type Shown, Visitor } from '../../../../../test/check/pages/visitor.js'
import { scratchFolder } from '../../../../../test/server/command.js'

const PATH = '/explore/queries'
const BOB = { email: 'bob@example.org', password: 'battery staple' }
const EVE = { email: 'eve@example.org', password: 'tr0ub4dor&3' }
const NOW = Date.UTC(2026, 10, 21, 12)
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const NORTH = { key: 'north', name: 'The “North” & <b>Sons</b>' }
const scratch = scratchFolder()

interface Listed {
  queries: (Omit<ListedQuery, 'savedAt'> & { savedAt: string })[]
  organizations: { key: string; name: string }[]
}

describe('the saved queries of the query page', () => {
  let site: Site
  let ada: Visitor
  let bob: Visitor
  let eve: Visitor
  let projects: Record<string, string>
  let opened = 0

  beforeEach(async () => {
    site = await startPages(join(scratch.path, `${++opened}.db`), () => NOW)
    for (const { user, organization } of [
      { user: BOB, organization: 'north' },
      { user: EVE, organization: 'west' },
    ]) {
      await addUser(site.store, { email: user.email, organizations: [organization] })
      const password_hash = cheapHash(user.password)
      await site.store.db.updateTable('users').set({ password_hash }).where('email', '=', user.email).execute()
    }
    ada = await new Visitor(site.url).enter()
    bob = await new Visitor(site.url).enter(BOB)
    eve = await new Visitor(site.url).enter(EVE)
    projects = {}
    for (const { organization, projectId } of await listProjects(site.store)) projects[organization] = projectId
  })

  afterEach(() => site.close())

  const tokenOf = async (visitor: Visitor) => hiddenFields((await visitor.get('/')).html, '/logout').token ?? ''
  const fieldsOf = (change: object = {}) => ({
    ...{ name: 'Sites', sql: 'SELECT 1', project: projects.north ?? '', organization: '' },
    ...change,
  })
  const save = async (visitor: Visitor, change: object = {}, headers: Record<string, string> = {}) =>
    visitor.post(PATH, { token: await tokenOf(visitor), ...fieldsOf(change) }, headers)
  const remove = async (visitor: Visitor, id: string, token?: string) =>
    visitor.post(`${PATH}/${id}/remove`, { token: token ?? (await tokenOf(visitor)) })
  const list = async (visitor: Visitor): Promise<Listed> => JSON.parse((await visitor.get(PATH)).html)
  const namesOf = async (visitor: Visitor) => (await list(visitor)).queries.map(({ name }) => name)
  const idOf = (saved: Shown): string => JSON.parse(saved.html).query.id

  function assertJson({ status, headers, html }: Shown, expected: number, body: unknown): void {
    assert.deepEqual([status, JSON.parse(html)], [expected, body])
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  }

  it('are answered as saved, to their owner and to those with whom they are shared', async () => {
    const organizations = [NORTH, { key: 'south', name: 'The South' }]
    assertJson(await ada.get(PATH), 200, { queries: [], organizations })
    const name = '<script>"Größe" & \u{1F984}</script>'
    const sql = "SELECT '</script>', 'ä+%20\u{1F984}'\r\n\t-- &amp;\n"
    const parameters = { country: { value: '&=%\u{1F984}' }, since: { type: 'DATE', value: null } }
    const wanted = { name: ` ${name} `, sql, parameters: JSON.stringify(parameters), organization: 'north' }
    const saved = await save(ada, wanted)
    const query = {
      ...{ id: idOf(saved), name, sql, parameters, projectId: projects.north, organization: NORTH },
      ...{ owner: ADA.email, isOwn: true, savedAt: '2026-11-21T12:00:00.000Z' },
    }
    assertJson(saved, 201, { query })
    const { sql: _, parameters: __, ...listed } = query
    assertJson(await ada.get(PATH), 200, { queries: [listed], organizations })
    assertJson(await bob.get(PATH), 200, { queries: [{ ...listed, isOwn: false }], organizations: [NORTH] })
    assertJson(await eve.get(PATH), 200, { queries: [], organizations: [{ key: 'west', name: 'The West' }] })
    assertJson(await bob.get(`${PATH}/${query.id}`), 200, { query: { ...query, isOwn: false } })
  })

  it('are private unless they are shared', async () => {
    assert.equal((await save(ada)).status, 201)
    assert.deepEqual([await namesOf(ada), await namesOf(bob), await namesOf(eve)], [['Sites'], [], []])
  })

  it('are hidden from a session whose user has lost access', async () => {
    await save(ada, { organization: 'north' })
    assert.deepEqual(await namesOf(bob), ['Sites'])
    await revokeOrganizations(site.store, BOB.email, ['north'])
    assertJson(await bob.get(PATH), 200, { queries: [], organizations: [] })
    assert.equal((await save(bob)).status, 422)
  })

  it('replace the one of the same name', async () => {
    const first = idOf(await save(ada, { organization: 'north' }))
    const { query } = JSON.parse((await save(ada, { sql: 'SELECT 2' })).html)
    assert.deepEqual([query.id, query.sql, query.organization], [first, 'SELECT 2', null])
    assert.deepEqual(await namesOf(ada), ['Sites'])
    assert.deepEqual(await namesOf(bob), [])
  })

  it('are saved once if their form is sent several times at once', async () => {
    const fields = { token: await tokenOf(ada), ...fieldsOf() }
    const saved = await Promise.all(Array.from({ length: 8 }, () => ada.post(PATH, fields)))
    assert.deepEqual(new Set(saved.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(saved.map(idOf)).size, 1)
    assert.deepEqual(await namesOf(ada), ['Sites'])
  })

  const wrong: [string, object, string][] = [
    ['an empty name', { name: ' \t' }, 'The name of the query is empty: give one'],
    ['no name', { name: [] }, 'The name of the query is empty: give one'],
    ['a long name', { name: 'ä'.repeat(101) }, 'The name of the query is longer than 100 characters: shorten it'],
    ['a bell in the name', { name: 'a\x07b' }, 'The name of the query has a control character in it: leave it out'],
    ['blank SQL', { sql: ' \n' }, 'The SQL of the query is empty: write a statement'],
    ['no SQL', { sql: [] }, 'The SQL of the query is empty: write a statement'],
    [
      'long SQL',
      { sql: 'x'.repeat(MAX_SAVED_SQL_BYTES + 1) },
      'The SQL of the query is longer than 64 KiB: shorten it',
    ],
    ['no project', { project: [] }, '"" is not a UUID: write it as 8-4-4-4-12 hexadecimal digits'],
    [
      'an unknown project',
      { project: UNKNOWN },
      `You have access to no project with the id "${UNKNOWN}": choose one of your projects`,
    ],
    ...['south', 'west', 'nowhere'].map((organization): [string, object, string] => [
      `the organization ${JSON.stringify(organization)}`,
      { organization },
      'A query on this project can be shared only with its organization, "north": choose that one, or keep the query private',
    ]),
  ]
  for (const [name, change, message] of wrong)
    it(`are refused with ${name}`, async () => {
      assertJson(await save(ada, change), 422, { message })
      assert.deepEqual(await namesOf(ada), [])
    })

  it('on a project of another tenant are refused like those on an unknown one', async () => {
    const project = projects.west ?? ''
    const message = `You have access to no project with the id "${project}": choose one of your projects`
    for (const organization of ['', 'north', 'west'])
      assertJson(await save(ada, { project, organization }), 422, { message })
  })

  it('are at most 200 of a user', async () => {
    const user = await findUser(site.store, ADA.email)
    assert.ok(user)
    const some = { user, sql: 'SELECT 1', projectId: projects.north ?? '', organization: null }
    for (let at = 0; at < MOST_SAVED_QUERIES; at++) await saveQuery(site.store, { ...some, name: `Query ${at}` })
    const message = 'You have 200 saved queries, and can have no more: remove one first'
    assertJson(await save(ada), 422, { message })
    assert.equal((await save(ada, { name: 'Query 7' })).status, 201)
    assert.equal((await remove(ada, (await list(ada)).queries[0]?.id ?? '')).status, 204)
    assert.equal((await save(ada)).status, 201)
  })

  it('may be of any length that a statement may have, however they are encoded', async () => {
    for (const sql of ['"'.repeat(MAX_SAVED_SQL_BYTES), 'ä'.repeat(MAX_SAVED_SQL_BYTES / 2)]) {
      const { status, html } = await save(ada, { sql })
      assert.deepEqual([status, JSON.parse(html).query.sql], [201, sql])
    }
    const message = 'The form is too large: shorten what you typed.'
    assertJson(await save(ada, { sql: '"'.repeat(160_000) }), 413, { message })
    // Other forms have not become larger.
    const { id = '' } = (await list(ada)).queries[0] ?? {}
    assertJson(await remove(ada, id, 'x'.repeat(70_000)), 413, { message })
    assert.equal((await ada.submit('/', '/keys', { name: 'x'.repeat(70_000) })).status, 413)
  })

  it('are removed by their owner only', async () => {
    const id = idOf(await save(ada, { organization: 'north' }))
    for (const other of [bob, eve]) assertJson(await remove(other, id), 404, {})
    for (const unknown of [UNKNOWN, 'x', '..%2f']) assertJson(await remove(ada, unknown), 404, {})
    const { status, headers, html } = await remove(ada, id)
    assert.deepEqual([status, headers.get('cache-control'), html], [204, 'no-store', ''])
    assertJson(await remove(ada, id), 404, {})
    assert.deepEqual(await namesOf(bob), [])
  })

  it('need a session: a key does not open them', async () => {
    const id = idOf(await save(ada, { organization: 'north' }))
    const { key } = await createKey(site.store, { user: ADA.email, organizations: ['north'] })
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${site.url}${PATH}`, { headers, redirect: 'manual' })
    assert.deepEqual([response.status, await response.text()], [401, '{}'])
    const stranger = new Visitor(site.url)
    assertJson(await stranger.get(PATH), 401, {})
    const message = 'You are no longer logged in: log in, then reload this page.'
    const { token = '' } = hiddenFields((await stranger.get('/')).html, '/login')
    assertJson(await stranger.post(PATH, { token, ...fieldsOf() }, headers), 403, { message })
    assertJson(await stranger.post(`${PATH}/${id}/remove`, { token }, headers), 403, { message })
    const before = await tokenOf(ada)
    await ada.submit('/', '/logout')
    assertJson(await ada.get(PATH), 401, {})
    assertJson(await ada.post(PATH, { token: before, ...fieldsOf() }), 403, { message })
    assert.deepEqual(await namesOf(bob), ['Sites'])
  })

  it('are neither saved nor removed without the token of the session', async () => {
    const id = idOf(await save(ada))
    const message = 'This page was out of date, and nothing was done: reload it.'
    for (const token of ['', 'x', await tokenOf(bob), `${await tokenOf(ada)}x`]) {
      assertJson(await save(ada, { token, name: 'Other' }), 403, { message })
      assertJson(await remove(ada, id, token), 403, { message })
    }
    assertJson(await ada.post(PATH, fieldsOf()), 403, { message })
    assert.deepEqual(await namesOf(ada), ['Sites'])
  })

  it('are neither saved nor removed by another site, even with a valid token', async () => {
    const id = idOf(await save(ada))
    const message = 'Another site has sent this form, so nothing was done.'
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of foreign) {
      assertJson(await save(ada, { name: 'Other' }, headers), 403, { message })
      const token = await tokenOf(ada)
      assertJson(await ada.post(`${PATH}/${id}/remove`, { token }, headers), 403, { message })
    }
    assert.deepEqual(await namesOf(ada), ['Sites'])
    assert.equal((await save(ada, {}, { 'sec-fetch-site': 'same-origin', origin: site.url })).status, 201)
  })

  it('must be sent as a form, by POST', async () => {
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'content-type': 'application/json' }
    const response = await fetch(`${site.url}${PATH}`, { method: 'POST', body: '{}', headers })
    assert.equal(response.status, 415)
    assert.match(await response.text(), /^\{"message":"This page accepts only forms: /)
    assert.equal((await ada.get(`${PATH}/${UNKNOWN}/remove`)).status, 405)
  })
})
