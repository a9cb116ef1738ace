import assert from 'node:assert/strict'
import { createAnalyticsApi } from 'foldgate'
import { KEYS, PROJECT, type Service, sharedService, startService } from '../service/service.js'

const APP = 'https://app.example'
const OTHER = 'https://other.example'
const EXPOSED = 'RateLimit, RateLimit-Policy, Retry-After, Server-Timing, Content-Disposition, Content-Length'

describe('pages of other origins', () => {
  let service: Service
  before(async () => {
    service = await startService({ cors: { origins: [APP, 'http://localhost:5173'], maxAgeSeconds: 60 } })
  })
  after(() => service.close())

  const pathOf = (method: string) => `/public/v1/api/${method}`
  const auth = { authorization: `Bearer ${KEYS.north}` }

  /** Returns the status and the CORS headers of an answer. */
  async function ask(path: string, { origin, ...init }: RequestInit & { origin?: string }, at = service.url) {
    const headers = { ...(init.headers as Record<string, string>), ...(origin ? { origin } : {}) }
    const response = await fetch(at + path, { ...init, headers })
    await response.arrayBuffer()
    const of = [...response.headers].filter(([name]) => /^(access-control-|vary)/.test(name))
    return { status: response.status, ...Object.fromEntries(of) }
  }

  const preflight = (origin: string): RequestInit & { origin: string } => ({
    method: 'OPTIONS',
    origin,
    headers: {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })

  it('may read the columns of a page without rows', async () => {
    const body = JSON.stringify({ projectId: PROJECT, sql: 'SELECT 1 AS one WHERE false' })
    const told = await ask(pathOf('projects/query'), { method: 'POST', origin: APP, headers: auth, body })
    assert.equal(told['access-control-expose-headers' as keyof typeof told], `${EXPOSED}, foldgate-columns`)
  })

  it('get preflights answered on every path, without a key and without using quota', async () => {
    const usage = service.usage.length
    for (const path of [pathOf('projects/query'), '/public/v1/json-rpc', '/public/v1/exports/x', '/public/v1/none'])
      assert.deepEqual(
        await ask(path, preflight(APP)),
        {
          status: 204,
          vary: 'Origin',
          'access-control-allow-origin': APP,
          'access-control-allow-methods': 'GET, HEAD, POST',
          'access-control-allow-headers': 'Authorization, Content-Type',
          'access-control-max-age': '60',
        },
        path,
      )
    assert.equal(service.usage.length, usage)
  })

  it('may read results, failures and downloads', async () => {
    const allowed = { vary: 'Origin', 'access-control-allow-origin': APP, 'access-control-expose-headers': EXPOSED }
    const post = { method: 'POST', origin: APP, headers: auth }
    assert.deepEqual(await ask(pathOf('projects/list'), post), { status: 200, ...allowed })
    assert.deepEqual(await ask('/public/v1/json-rpc', post), { status: 200, ...allowed })
    assert.deepEqual(await ask(pathOf('projects/none'), post), { status: 404, ...allowed })
    assert.deepEqual(await ask(pathOf('projects/list'), { method: 'POST', origin: APP }), { status: 401, ...allowed })
    const cacheable = { ...allowed, vary: 'Origin, Accept-Encoding' }
    assert.deepEqual(await ask('/public/v1/openapi.json', { origin: APP }), { status: 200, ...cacheable })
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql: 'SELECT 1 AS n' })
    const path = new URL(body.result?.url ?? '').pathname
    assert.deepEqual(await ask(path, { origin: APP, headers: auth }), { status: 200, ...allowed })
    assert.deepEqual(await ask(path, { method: 'HEAD', origin: APP, headers: auth }), { status: 200, ...allowed })
    assert.deepEqual(await ask(path, { origin: APP }), { status: 401, ...allowed })
  })

  it('cannot read answers if their origin is not allowed, and Vary keeps caches correct', async () => {
    for (const origin of [
      OTHER,
      'null',
      `${APP}.evil.example`,
      'http://app.example',
      `${APP}:8443`,
      APP.toUpperCase(),
    ]) {
      const post = { method: 'POST', origin, headers: auth }
      assert.deepEqual(await ask(pathOf('projects/list'), post), { status: 200, vary: 'Origin' }, origin)
      assert.deepEqual(await ask(pathOf('projects/list'), preflight(origin)), { status: 401, vary: 'Origin' }, origin)
    }
    assert.deepEqual(await ask(pathOf('projects/list'), { method: 'POST', headers: auth }), {
      status: 200,
      vary: 'Origin',
    })
  })

  it('are refused an OPTIONS request that is not a preflight', async () => {
    assert.equal((await ask(pathOf('projects/list'), { method: 'OPTIONS', origin: APP })).status, 401)
    assert.equal((await ask(pathOf('projects/list'), { method: 'OPTIONS', origin: APP, headers: auth })).status, 400)
  })

  it('get no CORS headers unless the host allows origins', async () => {
    const { url } = await sharedService()
    assert.deepEqual(await ask(pathOf('projects/list'), preflight(APP), url), { status: 401 })
    const post = { method: 'POST', origin: APP, headers: auth }
    assert.deepEqual(await ask(pathOf('projects/list'), post, url), { status: 200 })
  })

  const wrong: [object, RegExp][] = [
    [{ origins: ['https://app.example/'] }, /^TypeError: cors\.origins must be .* not "https:\/\/app\.example\/"/],
    [{ origins: ['app.example'] }, /^TypeError: cors\.origins/],
    [{ origins: ['null'] }, /^TypeError: cors\.origins/],
    [{ origins: ['*'] }, /^TypeError: cors\.origins/],
    [{ origins: '*', maxAgeSeconds: -1 }, /^TypeError: cors\.maxAgeSeconds/],
    [{ origins: '*', maxAgeSeconds: 0.5 }, /^TypeError: cors\.maxAgeSeconds/],
  ]
  for (const [cors, message] of wrong)
    it(`cannot be allowed by ${JSON.stringify(cors)}`, () => {
      const options = { baseUrl: 'http://x', secrets: ['s'.repeat(32)], cors } as never
      assert.throws(() => createAnalyticsApi(options), message)
    })
})
