import assert from 'node:assert/strict'
import type { CallerLimits } from 'foldgate'
import { createKey } from '#server/store/keys.js'
import { listProjects, setEngine } from '#server/store/projects.js'
import { readUsage } from '#server/store/usage.js'
import { scratchFolder } from '../../server/command.js'
import { call } from '../../server/server.js'
import { until } from '../../until.js'
import { ADA, type Site, startSite } from './site.js'

const scratch = scratchFolder()

describe('the warnings of a project on the query page', () => {
  let site: Site
  let north: string
  let west: string
  before(async () => {
    site = await startSite(scratch.path, { quota: '4/60s' })
    const projects = await listProjects(site.store)
    const idOf = (key: string) => projects.find(({ organization }) => organization === key)?.projectId ?? ''
    north = idOf('north')
    west = idOf('west')
  })
  after(() => site.close())

  const newKey = async () => (await createKey(site.store, { user: ADA.email, organizations: ['north'] })).key
  const get = async (key: string, project: string, method = 'GET') => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${site.url}/explore/warnings/${project}`, { method, headers })
    return { status: response.status, headers: response.headers, body: JSON.parse((await response.text()) || '{}') }
  }

  it('take a unit of the quota of the key, found or not, and none of other keys', async () => {
    const [key, other] = [await newKey(), await newKey()]
    const found = await get(key, north.toUpperCase())
    assert.deepEqual([found.status, found.body], [200, { warnings: [] }])
    assert.match(found.headers.get('ratelimit') ?? '', /^"calls";r=3;/)
    assert.equal(found.headers.get('cache-control'), 'no-store')
    const [foreign, unknown] = [await get(key, west), await get(key, '00000000-0000-4000-8000-000000000000')]
    assert.deepEqual([foreign.status, foreign.body.class], [404, 'NOT_FOUND'])
    assert.deepEqual(foreign.body, unknown.body)
    assert.equal((await call(site.url, key, 'list')).status, 200)
    const refused = await get(key, north)
    assert.deepEqual([refused.status, refused.body.class], [429, 'RATE_LIMITED'])
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await call(site.url, key, 'list')).status, 429)
    assert.equal((await get(other, north)).status, 200)
  })

  it('name the SQL of a project that is not on the default engine', async () => {
    await setEngine(site.store, north, 'trino')
    try {
      assert.deepEqual((await get(await newKey(), north)).body, { warnings: [], dialect: 'Trino' })
    } finally {
      await setEngine(site.store, north, null)
    }
    assert.deepEqual((await get(await newKey(), north)).body, { warnings: [] })
  })

  it('need a key, and are read with GET or HEAD', async () => {
    const nobody = await get('fg_none', north)
    assert.deepEqual([nobody.status, nobody.body.class], [401, 'UNAUTHENTICATED'])
    assert.equal((await get(await newKey(), north, 'HEAD')).status, 200)
    const posted = await get(await newKey(), north, 'POST')
    assert.deepEqual([posted.status, posted.body.class], [400, 'INVALID_REQUEST'])
  })

  it('are not told to a key that is limited to other projects, or to methods', async () => {
    const projects = (await listProjects(site.store)).filter(({ organization }) => organization === 'north')
    const [{ projectId = '' } = {}, other] = projects
    const limited = async (limits: CallerLimits) =>
      (await createKey(site.store, { user: ADA.email, organizations: ['north'], limits })).key
    assert.equal((await get(await limited({ projects: [projectId] }), projectId)).status, 200)
    const ids = other ? [other.projectId] : []
    const hidden = await get(await limited({ projects: ids }), projectId)
    const unknown = await get(await newKey(), '00000000-0000-4000-8000-000000000000')
    assert.deepEqual([hidden.status, hidden.body], [404, unknown.body])
    assert.equal((await get(await limited({ methods: ['projects/query'] }), projectId)).status, 403)
  })

  it('are refused where a NUL is in their address', async () => {
    for (const path of ['%00', `${north}%00`]) {
      const { status, body } = await get(await newKey(), path)
      assert.deepEqual([status, body.class], [400, 'INVALID_REQUEST'])
    }
  })

  it('are counted among the calls of the key', async () => {
    const { key, id } = await createKey(site.store, { user: ADA.email, organizations: ['north'] })
    await get(key, north)
    await get(key, west)
    await until(async () => {
      const [day] = await readUsage(site.store, { key: id, days: 1 })
      const { calls, failed } = day?.methods['explore/warnings'] ?? { calls: 0, failed: 0 }
      return calls === 2 && failed === 1
    }, 'both calls are counted, and one of them as failed')
  })
})
