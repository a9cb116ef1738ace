import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createAnalyticsApi, defineCatalogue, defineFold, directoryExports, duckdbEngine } from 'foldgate'
import { LIBRARY_VERSION } from '#lib/call/paths-and-headers.js'
import { ENTITIES, KEYS, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

const APP = 'https://app.example'
const SQL = 'SELECT i FROM range(30) t(i) ORDER BY i'
const { catalogue, fold } = VENDOR
const FOLD = `FROM ${fold.name} ORDER BY ALL`
/** Points of view, which catalogues without a tree do not have. */
const views = (...params: object[]) => (catalogue.hierarchy ? params : [])

describe('the ETag of a page of projects/query', () => {
  let service: Service
  before(async () => {
    service = await startService({ cors: { origins: [APP] } })
  })
  after(() => service.close())

  const path = '/public/v1/api/projects/query'
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

  async function ask(params: object, headers: Record<string, string> = {}, key = KEYS.north) {
    const body = JSON.stringify({ projectId: PROJECT, ...params })
    const response = await fetch(service.url + path, { method: 'POST', headers: { ...bearer(key), ...headers }, body })
    const { status } = response
    return { status, headers: response.headers, etag: response.headers.get('etag'), text: await response.text() }
  }
  const again = async (params: object, etag: string | null, key = KEYS.north) =>
    (await ask(params, { 'if-none-match': etag ?? '' }, key)).status

  /** The ETag of a page of another server with the same data. */
  async function tagOf(changed: object, params: object = { sql: FOLD }) {
    const { host, folder, snapshots } = service
    const exports = directoryExports(`${folder}/exports`, { retentionMs: 86_400_000 })
    const api = createAnalyticsApi({
      baseUrl: service.url,
      secrets: ['a secret of the tests, long enough to seal'],
      catalogue,
      keys: host.keyPort,
      projects: host.projectPort,
      snapshots,
      exports,
      engine: duckdbEngine({ connections: 1, folder: `${folder}/other` }),
      ...changed,
    })
    const body = JSON.stringify({ projectId: PROJECT, ...params })
    const request = new Request(service.url + path, { method: 'POST', headers: bearer(KEYS.north), body })
    const response = await api.fetch(request)
    await response.arrayBuffer()
    await api.close()
    exports.close()
    assert.equal(response.status, 200)
    return response.headers.get('etag')
  }

  it('is weak, and answers 304 while the page is the same', async () => {
    const first = await ask({ sql: SQL, page: { limit: 7 } })
    const { etag } = first
    assert.match(etag ?? '', /^W\/"[\w-]{24}"$/)
    assert.equal(first.headers.get('cache-control'), 'private, no-cache')
    for (const known of [etag, etag?.slice(2), `"other", ${etag}`, ` ${etag} ,"other"`]) {
      const second = await ask({ sql: SQL, page: { limit: 7 } }, { 'if-none-match': known ?? '' })
      assert.deepEqual([second.status, second.text, second.etag], [304, '', etag], String(known))
      assert.equal(second.headers.get('cache-control'), 'private, no-cache')
      assert.equal(second.headers.get('content-type'), null)
      assert.match(second.headers.get('vary') ?? '', /Accept-Encoding/)
      for (const name of ['foldgate-snapshot', 'foldgate-sealed-at', 'ratelimit-policy'])
        assert.equal(second.headers.get(name), first.headers.get(name), name)
    }
  })

  it('is compared with tags only: * names no page, and a wrong tag none either', async () => {
    const { etag, text } = await ask({ sql: SQL })
    for (const known of ['*', '"other"', etag?.slice(0, -2) ?? '', etag?.toUpperCase() ?? '', ',,,', '']) {
      const second = await ask({ sql: SQL }, { 'if-none-match': known })
      assert.deepEqual([second.status, second.text], [200, text], known)
    }
  })

  it('of another server needs no worker for a 304, which counts as a call without rows', async () => {
    const [view] = views({ entityId: ENTITIES.joint, ownershipView: 'gross' })
    const params = { sql: `SELECT count(*) AS n FROM ${view ? fold.name : fold.other}`, ...view }
    const etag = await tagOf({}, params)
    const events = service.events.length
    const usage = service.usage.length
    const { status, headers } = await ask(params, { 'if-none-match': etag ?? '' })
    assert.equal(status, 304)
    const [told, ...others] = service.events.slice(events)
    assert.ok(told?.type === 'call' && others.length === 0, 'no relation is built')
    assert.deepEqual([told.outcome, told.rows, told.bytes], ['OK', 0, 0])
    assert.match(headers.get('server-timing') ?? '', /^auth;dur=[\d.]+, guard;dur=[\d.]+, encode;dur=[\d.]+$/)
    const [counted, ...more] = service.usage.slice(usage)
    assert.deepEqual([counted?.outcome, counted?.rows, counted?.bytes, more.length], ['OK', 0, 0, 0])
    assert.equal((await ask(params)).status, 200)
    assert.deepEqual(
      service.events
        .slice(events)
        .map(({ type }) => type)
        .sort(),
      ['build', 'call', 'call'],
    )
  })

  it('differs by everything that the page depends on', async () => {
    const { result } = JSON.parse((await ask({ sql: SQL, page: { limit: 7 } })).text)
    const pages: object[] = [
      { sql: SQL },
      { sql: `${SQL} ` },
      { sql: SQL, page: { limit: 7 } },
      { sql: SQL, page: { limit: 7, cursor: result.nextCursor } },
      { sql: SQL, page: { limit: 8, cursor: result.nextCursor } },
      { sql: SQL, projectId: OTHER_PROJECT },
      { sql: FOLD },
      ...views(
        { sql: SQL, ownershipView: 'gross' },
        { sql: SQL, entityId: ENTITIES.leaf },
        { sql: FOLD, entityId: ENTITIES.leaf },
      ),
    ]
    const etags: (string | null)[] = []
    for (const page of pages) etags.push((await ask(page)).etag)
    assert.equal(new Set(etags).size, pages.length)
    assert.ok(!etags.includes(null))
  })

  it('is missing where the rows differ from run to run, and beside failures and warnings', async () => {
    for (const sql of ['SELECT random() AS r FROM range(30)', 'SELECT now() AS t', 'SELECT nope']) {
      const { etag, headers } = await ask({ sql, page: { limit: 7 } })
      assert.deepEqual([etag, headers.get('cache-control')], [null, 'no-store'], sql)
    }
    const first = JSON.parse((await ask({ sql: 'SELECT random() AS r FROM range(30)', page: { limit: 7 } })).text)
    const page = { limit: 7, cursor: first.result.nextCursor }
    assert.equal((await ask({ sql: 'SELECT random() AS r FROM range(30)', page })).etag, null)
    const { etag } = await ask({ sql: SQL })
    const warned = await ask({ sql: SQL, size: 3 }, { 'if-none-match': etag ?? '' })
    assert.deepEqual([warned.status, warned.etag, JSON.parse(warned.text).warnings.length], [200, null, 1])
  })

  it('is compared after every check of the call', async () => {
    const { etag } = await ask({ sql: SQL })
    assert.equal(await again({ sql: SQL }, etag, 'nobody'), 401)
    assert.equal(await again({ sql: SQL }, etag, KEYS.south), 403)
    assert.equal(await again({ sql: SQL }, etag, KEYS.mate), 304)
    assert.equal(await again({ sql: SQL, page: { cursor: 'x' } }, etag), 400)
    for (const view of views({ entityId: '99999999-0000-4000-8000-000000000009' }))
      assert.equal(await again({ sql: SQL, ...view }, etag), 404)
    const caller = service.host.callers.get(KEYS.mate)
    service.host.callers.set(KEYS.mate, { keyId: 'k-mate', ownerId: 'ada', organizations: [] })
    assert.equal(await again({ sql: SQL }, etag, KEYS.mate), 403)
    if (caller) service.host.callers.set(KEYS.mate, caller)
  })

  it('can be used by pages of allowed origins', async () => {
    const { headers } = await ask({ sql: SQL }, { origin: APP })
    assert.match(headers.get('access-control-expose-headers') ?? '', /, etag$/)
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,if-none-match',
    }
    const preflight = await fetch(service.url + path, { method: 'OPTIONS', headers: { origin: APP, ...asked } })
    const allowed = preflight.headers.get('access-control-allow-headers')
    assert.equal(allowed, 'Authorization, Content-Type, If-None-Match')
  })

  it('differs when the catalogue, the secret or the size of pages differs, and with a new snapshot', async () => {
    const relations = [...catalogue.relations.values()].map(relation =>
      relation.name === fold.name && relation.kind === 'fold'
        ? defineFold({ ...relation, sql: relation.sql.replace('sum(', '2 * sum(') })
        : relation,
    )
    const { hierarchy, examples, rowLimits } = catalogue
    const changed = defineCatalogue({ hierarchy, relations, examples, rowLimits })
    const { etag } = await ask({ sql: FOLD })
    assert.equal(await tagOf({}), etag)
    const others = [
      await tagOf({ catalogue: changed }),
      await tagOf({ secrets: ['another secret of the tests, long enough to seal'] }),
      await tagOf({ limits: { pageBytes: 1000 } }),
    ]
    await service.seal(PROJECT)
    others.push((await ask({ sql: FOLD })).etag)
    assert.equal(new Set([etag, ...others]).size, 5)
    assert.equal(await again({ sql: FOLD }, etag), 200)
  })

  it('covers the version of the library', async () => {
    const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
    assert.equal(LIBRARY_VERSION, JSON.parse(text).version)
  })
})
