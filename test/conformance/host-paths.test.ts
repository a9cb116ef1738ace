import assert from 'node:assert/strict'
import { AnalyticsError, type Caller, type HttpRequest, memoryQuota } from 'foldgate'
import { KEYS, type Service, startService } from '../service/service.js'

const NAME = 'host/things'
const WINDOW_MS = 60_000

describe('a path of the host that is answered as a call', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({
      quota: memoryQuota({ calls: 3, windowMs: WINDOW_MS }),
      limits: { ownerUnsentBytes: 64 * 1024 },
    })
  })
  afterEach(() => service.close())

  const requestOf = (key: string | null): HttpRequest => ({
    ...{ method: 'GET', path: '/things', signal: new AbortController().signal },
    header: name => (name === 'authorization' && key !== null ? `Bearer ${key}` : null),
    readBody: () => assert.fail('the body is read'),
  })
  async function ask(
    work: (caller: Caller) => Promise<{ body: unknown; headers?: Record<string, string> }>,
    key: string | null = KEYS.north,
  ) {
    const answer = await service.api.adapter.answerAs(requestOf(key), NAME, work)
    assert.ok(Array.isArray(answer.body))
    return { ...answer, body: JSON.parse(Buffer.concat(answer.body).toString()) }
  }
  const outcomes = () => service.events.flatMap(event => (event.type === 'call' ? [[event.method, event.outcome]] : []))

  it('gets the caller, a unit of the quota, and its headers', async () => {
    const { status, headers, body, sent } = await ask(async ({ organizations }) => ({
      body: { organizations },
      headers: { etag: '"1"' },
    }))
    sent?.()
    assert.deepEqual([status, body], [200, { organizations: ['north'] }])
    assert.deepEqual([headers.etag, headers['cache-control']], ['"1"', 'no-store'])
    assert.match(headers.ratelimit ?? '', /;r=2;/)
    assert.deepEqual(outcomes(), [[NAME, 'OK']])
    assert.deepEqual(
      service.usage.map(({ method, outcome }) => [method, outcome]),
      [[NAME, 'OK']],
    )
  })

  it('is refused without a key and beyond the quota, before the host works', async () => {
    const never = () => assert.fail('the host has worked')
    assert.equal((await ask(never, null)).status, 401)
    assert.equal((await ask(never, 'unknown')).status, 401)
    for (let count = 0; count < 3; count++) await ask(async () => ({ body: {} }))
    const refused = await ask(never)
    assert.deepEqual([refused.status, refused.body.class], [429, 'RATE_LIMITED'])
    assert.match(refused.headers['retry-after'] ?? '', /^\d+$/)
    assert.deepEqual(outcomes().at(-1), [NAME, 'RATE_LIMITED'])
    assert.equal((await ask(async () => ({ body: {} }), KEYS.south)).status, 200)
  })

  it('is answered what the host throws, and a fault with a reference only', async () => {
    const known = await ask(async () => {
      throw new AnalyticsError('NOT_FOUND', 'There is no such thing.')
    })
    assert.deepEqual([known.status, known.body.message], [404, 'There is no such thing.'])
    const fault = await ask(async () => {
      throw new Error('the password is swordfish')
    })
    assert.deepEqual([fault.status, fault.body.class], [500, 'INTERNAL'])
    assert.equal(JSON.stringify(fault.body).includes('swordfish'), false)
    assert.deepEqual(outcomes(), [
      [NAME, 'NOT_FOUND'],
      [NAME, 'INTERNAL'],
    ])
    assert.equal(service.events.filter(({ type }) => type === 'fault').length, 1)
  })

  it('counts its answer as unsent bytes of the owner until it is sent', async () => {
    const large = async () => ({ body: 'x'.repeat(50_000) })
    const first = await ask(large)
    assert.equal(first.status, 200)
    const refused = await ask(large)
    assert.deepEqual([refused.status, refused.body.class], [503, 'UNAVAILABLE'])
    assert.equal((await ask(large, KEYS.south)).status, 200)
    first.sent?.()
    assert.equal((await ask(large)).status, 200)
  })
})
