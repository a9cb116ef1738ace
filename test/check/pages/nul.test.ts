import assert from 'node:assert/strict'
import { join } from 'node:path'
import { listSavedQueries } from '#explore/server/saved-queries.js'
import { listKeys } from '#server/store/keys.js'
import { listProjects } from '#server/store/projects.js'
import { findUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, type Site, startPages } from './site.js'
import { hiddenFields, textOf, Visitor } from './visitor.js'

const ADDRESS = 'The address has a NUL character (%00) in it: leave it out.'
const FORM = 'The form has a NUL character in it, and nothing was done: leave it out.'
const scratch = scratchFolder()

describe('a NUL character', () => {
  let site: Site
  let ada: Visitor
  let token: string

  before(async () => {
    site = await startPages(join(scratch.path, 'nul.db'), Date.now)
    ada = await new Visitor(site.url).enter()
    token = hiddenFields((await ada.get('/')).html, '/logout').token ?? ''
  })
  after(() => site.close())

  /** Paths of every page and of every route of its scripts, with a text of the caller in each place for one. */
  const pathsWith = (text: string) => [
    ...['/', '/explore', '/password', '/webhooks'].map(path => `${path}?x=${text}`),
    ...[`/?revoked=${text}`, `/webhooks?removed=${text}`, `/?${text}`],
    ...['created', 'revoke'].map(what => `/keys/${text}/${what}`),
    ...['', '/created', '/remove'].map(what => `/webhooks/${text}${what}`),
  ]
  const scriptsWith = (text: string) => [
    ...['project', 'cursor', text].map(name => `/explore/queries?${name}=${text}`),
    `/explore/queries?project=a&project=${text}`,
    `/explore/queries/${text}`,
  ]

  for (const text of ['%00', 'a%00b'])
    it(`is refused in an address, as ${text}`, async () => {
      for (const visitor of [ada, new Visitor(site.url)]) {
        for (const path of pathsWith(text)) {
          const { status, html } = await visitor.get(path)
          assert.equal(status, 400, path)
          assert.ok(textOf(html).includes(ADDRESS), path)
          assert.match(html, /<a href="\/webhooks">Webhooks<\/a>/, path)
        }
        for (const path of scriptsWith(text)) {
          const { status, html } = await visitor.get(path)
          assert.deepEqual([status, JSON.parse(html)], [400, { message: ADDRESS }], path)
        }
      }
      for (const path of [`/keys/${text}/revoke`, `/webhooks/${text}/test`, `/webhooks/${text}/remove`])
        assert.equal((await ada.post(path, { token })).status, 400, path)
      const { status, html } = await ada.post(`/explore/queries/${text}/remove`, { token })
      assert.deepEqual([status, JSON.parse(html)], [400, { message: ADDRESS }])
    })

  it('is not seen in the letters %00 of an address', async () => {
    for (const path of [...pathsWith('%2500'), ...scriptsWith('%2500')])
      assert.ok([200, 404, 422].includes((await ada.get(path)).status), path)
  })

  it('is refused in a form, in each field and in its name', async () => {
    const projectId = (await listProjects(site.store))[0]?.projectId ?? ''
    const forms: Record<string, Record<string, string>> = {
      '/login': { ...ADA },
      '/keys': { name: 'nightly', organization: 'north', lifetime: '30d', once: 'x' },
      '/password': { current: ADA.password, new: 'battery staple', again: 'battery staple' },
      '/webhooks': { url: 'https://example.org/', organization: 'north', event: 'snapshot.sealed', once: 'x' },
      '/explore/key': {},
      '/explore/queries': { name: 'Sites', sql: 'SELECT 1', project: projectId, organization: 'north' },
    }
    const keys = (await listKeys(site.store)).length
    for (const [path, fields] of Object.entries(forms)) {
      const own = path === '/login' ? hiddenFields((await new Visitor(site.url).get('/')).html, path) : { token }
      for (const name of [...Object.keys(fields), 'token', 'more']) {
        const value = { ...fields, ...own }[name] ?? ''
        for (const wrong of [{ [name]: `${value}\0` }, { [name]: `\0${value}` }, { [`${name}\0`]: value }]) {
          const { status, html } = await ada.post(path, { ...fields, ...own, ...wrong })
          assert.equal(status, 400, `${path} ${name}`)
          assert.ok(path === '/explore/queries' ? JSON.parse(html).message === FORM : textOf(html).includes(FORM), path)
        }
      }
    }
    assert.equal((await listKeys(site.store)).length, keys)
    const user = (await findUser(site.store, ADA.email)) ?? assert.fail('Ada is not there')
    assert.deepEqual((await listSavedQueries(site.store, user)).queries, [])
    assert.equal((await new Visitor(site.url).enter()).cookies.size, 1, 'the password is as before')
  })

  it('in a cookie or a key is one of nobody', async () => {
    for (const value of ['%00', `${'x'.repeat(42)}%00`, 'x'.repeat(43)]) {
      const stranger = new Visitor(site.url)
      stranger.cookies.set('foldgate', value)
      assert.equal((await stranger.get('/explore/queries')).status, 401)
    }
  })
})
