import assert from 'node:assert/strict'
import { revokeOrganizations } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { call } from '../../server/server.js'
import { ADA, type Site, startSite } from './site.js'
import { Visitor } from './visitor.js'

const scratch = scratchFolder()

describe('a key of the page and the methods', () => {
  let site: Site
  let visitor: Visitor

  before(async () => {
    site = await startSite(scratch.path)
    visitor = await new Visitor(site.url).enter()
  })

  after(() => site.close())

  it('agree at once on what the key reads, and that it is revoked', async () => {
    const fields = { name: 'nightly', organization: ['north', 'south'], lifetime: 'never' }
    const { location } = await visitor.submit('/', '/keys', fields)
    const [key = ''] = /fg_[a-z0-9]{6}_[\w-]{43}/.exec((await visitor.get(location ?? '')).html) ?? []
    const projects = async () => (await call(site.url, key, 'list')).items.map(({ name }) => name)
    assert.deepEqual(await projects(), ['Project of north', 'Project of south'])
    await revokeOrganizations(site.store, ADA.email, ['south'])
    assert.deepEqual(await projects(), ['Project of north'])
    const path = (location ?? '').replace('created', 'revoke')
    assert.equal((await visitor.submit(path, path)).status, 303)
    const { status, class: failure } = await call(site.url, key, 'list')
    assert.deepEqual([status, failure], [401, 'UNAUTHENTICATED'])
  })

  it('share no credentials: a session cannot call methods', async () => {
    const token = visitor.cookies.get('foldgate') ?? ''
    assert.equal((await call(site.url, token, 'list')).status, 401)
    const headers = { cookie: `foldgate=${token}` }
    const method = await fetch(`${site.url}/public/v1/api/projects/list`, { method: 'POST', headers })
    assert.equal(method.status, 401)
  })
})
