import assert from 'node:assert/strict'
import { AnalyticsConnectionError, createClient } from 'foldgate/client'
import { signToken, tokenKeys } from 'foldgate/tokens'
import { WebSocket } from 'ws'
import { TestClock } from '../../service/ports.js'
import { type Service, startService } from '../../service/service.js'
import { NAMES, pairOf } from '../../service/tokens.js'
import { type Front, startFront, TRANSPORTS } from './front.js'
import { FINE, failing } from './scripted.js'
import { trouble } from './trouble.js'

const HOUR_MS = 3_600_000

describe('a client whose key is a function', () => {
  const { service, waitsMs, clientOf } = trouble()

  for (const [name, transport] of Object.entries(TRANSPORTS))
    describe(`over ${name}`, () => {
      it('sends what the function returns, or promises', async () => {
        for (const key of [() => 'now', async () => 'now']) {
          service.says(FINE)
          await clientOf({ transport, key }).list()
          assert.equal(service.asked[0]?.authorization, 'Bearer now')
        }
      })

      it('throws what the function throws, and asks it again with the next call', async () => {
        let asked = 0
        const key = async () => {
          if (++asked === 1) throw new RangeError('logged out')
          return 'k'
        }
        const client = clientOf({ transport, key })
        service.says(FINE)
        await assert.rejects(client.list(), { name: 'RangeError', message: 'logged out' })
        assert.deepEqual([service.asked.length, waitsMs], [0, []])
        await client.list()
        assert.equal(asked, 2)
      })

      it('sends nothing when the function returns no key', async () => {
        for (const key of [() => '', () => 'a\nb', async () => undefined as never]) {
          service.says()
          await assert.rejects(clientOf({ transport, key }).list(), /^TypeError: key must be an API key or a token/)
          assert.equal(service.asked.length, 0)
        }
      })

      it('stops waiting for the function after timeoutMs, and when the signal aborts', async () => {
        const key = () => new Promise<string>(() => {})
        service.says()
        const late = clientOf({ transport, key, timeoutMs: 30 }).list()
        await assert.rejects(late, AnalyticsConnectionError)
        const stop = new AbortController()
        const stopped = clientOf({ transport, key }).list({}, { signal: stop.signal })
        stop.abort(new RangeError('left'))
        await assert.rejects(stopped, { name: 'RangeError' })
        assert.equal(service.asked.length, 0)
      })
    })

  it('asks for it with each request over HTTP, also for an attempt that is repeated', async () => {
    let asked = 0
    const client = clientOf({ key: () => `k${++asked}` })
    service.says(failing('UNAVAILABLE'), FINE, FINE)
    await client.list()
    await client.list()
    assert.deepEqual(
      service.asked.map(({ authorization }) => authorization),
      ['Bearer k1', 'Bearer k2', 'Bearer k3'],
    )
  })

  it('opens another socket once the service refuses the key of the first, and repeats the call once', async () => {
    let asked = 0
    const client = clientOf({ key: () => `k${++asked}`, transport: { WebSocket } })
    service.says(FINE, failing('UNAUTHENTICATED'), FINE, failing('UNAUTHENTICATED'), failing('UNAUTHENTICATED'), FINE)
    await client.list()
    await client.list()
    assert.equal(asked, 2)
    await assert.rejects(client.list(), { class: 'UNAUTHENTICATED' })
    assert.deepEqual([asked, waitsMs], [3, []])
    await client.list()
    assert.equal(asked, 4)
    client.close()
    while (service.sockets > 0) await new Promise(setImmediate)
  })

  it('repeats nothing when the key is a string', async () => {
    const client = clientOf({ transport: { WebSocket } })
    service.says(FINE, failing('UNAUTHENTICATED'), FINE)
    await client.list()
    await assert.rejects(client.list(), { class: 'UNAUTHENTICATED' })
    assert.equal(service.asked.length, 2)
  })
})

describe('a client with tokens that expire', () => {
  const pair = pairOf('own')
  const clock = new TestClock()
  let service: Service
  let front: Front
  let signed = 0
  const key = () => {
    signed += 1
    const user = { subject: 'ada', organization: 'north', expiresInMs: 5 * 60_000 }
    return signToken({ ...NAMES, ...user, key: pair.privateJwk, clock })
  }
  before(async () => {
    service = await startService({ keys: tokenKeys({ ...NAMES, keys: [pair.publicJwk], clock }) })
    front = await startFront(service.api)
  })
  after(async () => {
    front.close()
    await service.close()
  })

  for (const [name, transport] of Object.entries(TRANSPORTS))
    it(`goes on over ${name}, also with calls that run together`, async () => {
      const client = createClient({ url: front.url, key, transport, retry: false })
      const before = signed
      for (let hour = 0; hour < 3; hour++) {
        const answers = await Promise.all(Array.from({ length: 20 }, () => client.list()))
        for (const { items } of answers) assert.ok(items.length > 0)
        clock.advance(HOUR_MS)
      }
      if (name === 'websocket') assert.equal(signed - before, 3)
      client.close()
    })
})
