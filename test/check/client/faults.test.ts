import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ErrorClass } from 'foldgate'
import { AnalyticsConnectionError, type Client, type ClientOptions, createClient } from 'foldgate/client'
import { WebSocket } from 'ws'
import { listen, TRANSPORTS } from './front.js'
import { FINE, failing } from './scripted.js'
import { trouble } from './trouble.js'

/** Classes that the contract says not to retry. */
const LASTING: ErrorClass[] = [
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'METHOD_NOT_FOUND',
  'INVALID_PARAMS',
  'INTERNAL',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'INVALID_QUERY',
  'QUERY_TIMEOUT',
  'QUERY_TOO_LARGE',
  'LINK_EXPIRED',
]

describe('a client when calls fail', () => {
  const { service, waitsMs, clientOf } = trouble()

  for (const [name, transport] of Object.entries(TRANSPORTS))
    describe(`over ${name}`, () => {
      let client: Client
      before(() => {
        client = clientOf({ transport })
      })

      it('retries while the service is unavailable, after growing delays', async () => {
        service.says(failing('UNAVAILABLE'), failing('UNAVAILABLE'), failing('UNAVAILABLE'), FINE)
        assert.deepEqual((await client.list()).items, [])
        assert.deepEqual([service.asked.length, waitsMs], [4, [750, 1500, 3000]])
      })

      it('waits as long as the service asks, plus a random delay', async () => {
        service.says(failing('RATE_LIMITED', { retryAfterSeconds: 20 }), FINE)
        await client.list()
        assert.deepEqual(waitsMs, [20_250])
      })

      it('retries while an assessment runs, and not when a new one has to be launched', async () => {
        service.says(failing('NOT_READY', { retry: true }), FINE)
        await client.describe({ projectId: 'p' })
        assert.equal(service.asked.length, 2)
        service.says(failing('NOT_READY', { retry: false }), FINE)
        await assert.rejects(client.describe({ projectId: 'p' }), { class: 'NOT_READY', attempts: 1 })
        service.says(failing('NOT_READY'), FINE)
        await assert.rejects(client.describe({ projectId: 'p' }), { class: 'NOT_READY', attempts: 1 })
      })

      it('gives up after four attempts, with the last failure', async () => {
        service.says(...Array.from({ length: 5 }, () => failing('UNAVAILABLE', { at: 1 })))
        await assert.rejects(client.list(), { class: 'UNAVAILABLE', attempts: 4, data: { at: 1 } })
        assert.equal(service.asked.length, 4)
      })

      it('does not retry any other class', async () => {
        for (const lasting of LASTING) {
          service.says(failing(lasting), FINE)
          await assert.rejects(client.list(), { class: lasting, attempts: 1, message: `${lasting}.` })
          assert.equal(service.asked.length, 1, lasting)
        }
        assert.deepEqual(waitsMs, [])
      })

      it('passes on a class that it does not know', async () => {
        service.says(failing('NOT_THOUGHT_OF', { a: 1 }), FINE)
        await assert.rejects(client.list(), { class: 'NOT_THOUGHT_OF', code: 1, data: { a: 1 } })
      })

      it('rejects a body that is not an answer of the service', async () => {
        for (const body of ['<html>', '', '"text"', '[]', '{"error":"x"}']) {
          service.says({ body, status: 200, headers: { 'content-type': 'text/html' } }, FINE)
          await assert.rejects(client.list(), (error: Error) => {
            assert.ok(error instanceof AnalyticsConnectionError, body)
            assert.match(error.message, /Check the address/)
            return true
          })
          assert.equal(service.asked.length, 1)
        }
      })

      it('says that nothing listens at the address', async () => {
        const nobody = createServer()
        const url = await listen(nobody)
        await new Promise(resolve => nobody.close(resolve))
        const lost = clientOf({ url, transport })
        await assert.rejects(lost.list(), (error: Error) => {
          assert.ok(error instanceof AnalyticsConnectionError && error.cause)
          assert.match(error.message, /127\.0\.0\.1:.*ECONNREFUSED.*Check the address/)
          return true
        })
        assert.deepEqual(waitsMs, [])
      })

      it('stops waiting after timeoutMs', async () => {
        const hasty = clientOf({ transport, timeoutMs: 30 })
        service.says({ send() {} })
        await assert.rejects(hasty.list(), (error: Error) => {
          assert.ok(error instanceof AnalyticsConnectionError)
          assert.match(error.message, /projects\/list had no answer in 0\.03 seconds.*raise timeoutMs/)
          return true
        })
      })

      it('sends the key and the params, and nothing else', async () => {
        service.says(FINE)
        await client.query({ projectId: 'p', sql: 'SELECT 1', page: { limit: 2 } })
        const { body, authorization } = service.asked[0] as { body: { params?: object }; authorization: string }
        assert.equal(authorization, 'Bearer k')
        assert.deepEqual(body.params ?? body, { projectId: 'p', sql: 'SELECT 1', page: { limit: 2 } })
      })
    })

  it('closes a socket whose peer sends something other than an answer', async () => {
    service.says({ body: '<html>' })
    await assert.rejects(clientOf({ transport: { WebSocket } }).list(), AnalyticsConnectionError)
    while (service.sockets > 0) await new Promise(setImmediate)
  })

  it('obeys Retry-After over REST, and gives up at once when it exceeds maxWaitMs', async () => {
    service.says(failing('UNAVAILABLE', undefined, { 'retry-after': '7' }), FINE)
    await clientOf().list()
    assert.deepEqual(waitsMs, [7250])
    service.says(failing('RATE_LIMITED', { retryAfterSeconds: 61 }), FINE)
    await assert.rejects(clientOf().list(), { class: 'RATE_LIMITED', attempts: 1, retryAfterMs: 61_000 })
    service.says(failing('RATE_LIMITED', { retryAfterSeconds: 61 }), FINE)
    await clientOf({ retry: { maxWaitMs: 61_000 } }).list()
  })

  it('makes the configured number of attempts', async () => {
    service.says(failing('UNAVAILABLE'), FINE)
    await assert.rejects(clientOf({ retry: false }).list(), { class: 'UNAVAILABLE', attempts: 1 })
    service.says(failing('UNAVAILABLE'), failing('UNAVAILABLE'), FINE)
    await assert.rejects(clientOf({ retry: { attempts: 2 } }).list(), { class: 'UNAVAILABLE', attempts: 2 })
  })

  it('stops waiting when the signal aborts', async () => {
    const stop = new AbortController()
    const client = createClient({ url: service.url, key: 'k' }) // with its own timer
    service.says(failing('UNAVAILABLE', { retryAfterSeconds: 50 }), FINE)
    const asked = client.list({}, { signal: stop.signal })
    while (service.asked.length === 0) await new Promise(setImmediate)
    setImmediate(() => stop.abort(new Error('enough')))
    await assert.rejects(asked, /enough/)
    assert.equal(service.asked.length, 1)
  })

  const wrong: [string, Partial<ClientOptions>, RegExp][] = [
    ['a path instead of a URL', { url: '/public' }, /^TypeError: url must be/],
    ['the URL of a socket', { url: 'ws://data.example' }, /^TypeError: url must be/],
    ['a URL with a query', { url: 'https://data.example?x=1' }, /^TypeError: url must be/],
    ['no URL', { url: undefined as never }, /^TypeError: url must be/],
    [
      'a misspelt option',
      { retrys: 3 } as never,
      /^TypeError: createClient has no option retrys: did you mean retry\?/,
    ],
    [
      'an option of retry',
      { retry: { attempt: 3 } as never },
      /^TypeError: retry has no option attempt: did you mean attempts\?/,
    ],
    ['no key', { key: undefined as never }, /^TypeError: key must be/],
    ['an empty key', { key: '' }, /^TypeError: key must be/],
    ['a promise of a key', { key: Promise.resolve('k') as never }, /^TypeError: key must be/],
    ['a key with a line break', { key: 'a\nb' }, /^TypeError: key must be/],
    [
      'an option of transport',
      { transport: { WebSocket: class {}, maxInflight: 2 } as never },
      /^TypeError: transport has no option maxInflight: did you mean maxInFlight\?/,
    ],
    ['an unknown transport', { transport: 'grpc' as never }, /^TypeError: transport must be/],
    ['a transport without a constructor', { transport: {} as never }, /^TypeError: transport must be/],
  ]
  for (const [what, options, message] of wrong)
    it(`refuses ${what}`, () => {
      assert.throws(() => createClient({ url: service.url, key: 'k', ...options }), message)
    })

  it('keeps the path at which the service is mounted', async () => {
    service.says(FINE)
    await clientOf({ url: `${service.url}/reporting/` }).list()
    assert.equal(service.asked[0]?.path, '/reporting/public/v1/api/projects/list')
  })
})
