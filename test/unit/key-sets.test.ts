import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { tokenKeys } from 'foldgate/tokens'
import { TestClock } from '../service/ports.js'
import { forge, keySetServer, NAMES, pairOf } from '../service/tokens.js'

/** Each call has its own. */
const waiting = () => new AbortController().signal
const first = pairOf('first')
const second = pairOf('second', 'ES256')

describe('the key set of an issuer', () => {
  let server: Awaited<ReturnType<typeof keySetServer>>
  let clock: TestClock
  let port: ReturnType<typeof tokenKeys>
  beforeEach(async () => {
    server = await keySetServer([first.publicJwk])
    clock = new TestClock()
    port = tokenKeys({ ...NAMES, jwks: server.url, clock })
  })
  afterEach(() => server.close())

  const claims = () => {
    const now = Math.floor(clock.now() / 1000)
    const own = { organizations: ['north'] }
    return { iss: NAMES.issuer, aud: NAMES.audience, sub: 'ada', iat: now, exp: now + 600, foldgate: own }
  }
  /** Whether a token of a pair of keys is known. */
  const knows = async (pair: typeof first, header: object = {}) =>
    (await port.authenticate(forge(pair, claims(), header), waiting())) !== null
  const isDown = (pair = first, header: object = {}) =>
    assert.rejects(knows(pair, header), { message: `the key set at ${server.url} cannot be fetched` })

  it('is fetched once for calls at once, and kept for ten minutes', async () => {
    assert.equal(server.fetched, 0)
    const known = await Promise.all(Array.from({ length: 20 }, () => knows(first)))
    assert.ok(known.every(Boolean))
    clock.advance(590_000)
    assert.ok(await knows(first))
    assert.equal(server.fetched, 1)
    clock.advance(11_000)
    assert.ok(await knows(first))
    assert.equal(server.fetched, 2)
  })

  it('is fetched again for a key that it does not have, at most once in 30 seconds', async () => {
    assert.ok(await knows(first))
    for (let kid = 0; kid < 20; kid++) assert.equal(await knows(second, { kid: `no ${kid}` }), false)
    assert.equal(server.fetched, 1)
    clock.advance(31_000)
    server.keys = [first.publicJwk, second.publicJwk]
    assert.ok(await knows(second))
    for (let kid = 0; kid < 20; kid++) assert.equal(await knows(second, { kid: `no ${kid}` }), false)
    assert.equal(server.fetched, 2)
    assert.ok(await knows(first))
  })

  it('is not fetched for what no key of a set can verify', async () => {
    for (const header of [{ alg: 'none' }, { alg: 'HS256' }, { kid: undefined }, { kid: 1 }, { typ: 'JWT' }])
      assert.equal(await knows(first, header), false)
    assert.equal(await port.authenticate('an API key', waiting()), null)
    assert.equal(server.fetched, 0)
  })

  it('ends what its issuer withdraws, also tokens that were verified before', async () => {
    const token = forge(first, claims())
    assert.ok(await port.authenticate(token, waiting()))
    server.keys = [second.publicJwk]
    clock.advance(601_000 - 30_000)
    assert.ok(await knows(first))
    clock.advance(30_000)
    assert.equal(await knows(first), false)
    assert.equal(await port.authenticate(token, waiting()), null)
    // Another key under the same id is another key.
    server.keys = [pairOf('first').publicJwk]
    clock.advance(31_000)
    assert.equal(await knows(first), false)
    clock.advance(601_000)
    assert.equal(await knows(first), false)
  })

  it('verifies no token twice while its key stays', async () => {
    const token = forge(first, claims())
    assert.ok(await port.authenticate(token, waiting()))
    clock.advance(601_000)
    assert.ok(await port.authenticate(token, waiting()))
    assert.equal(server.fetched, 2)
  })

  it('leaves out keys for something else, and never takes one that is not for signatures', async () => {
    const secret = { kty: 'oct', kid: 'secret', k: randomBytes(32).toString('base64url'), alg: 'HS256' }
    const small = { ...pairOf('small', 'RS256').publicJwk, n: 'AQAB' }
    const forEncryption = pairOf('encrypts', 'RS256', { use: 'enc' })
    const unnamed = { ...second.publicJwk, kid: undefined }
    server.keys = [
      secret,
      small,
      forEncryption.publicJwk,
      unnamed,
      {},
      first.publicJwk,
      { ...second.publicJwk, kid: 'first' },
    ]
    assert.ok(await knows(first))
    assert.equal(await knows(forEncryption), false)
    assert.equal(await knows(second), false)
    assert.equal(await knows(second, { kid: 'first' }), false)
  })

  it('takes an RSA key without an algorithm for RS256 alone', async () => {
    const rsa = pairOf('rsa', 'RS256')
    server.keys = [rsa.publicJwk]
    assert.ok(await knows(rsa))
    assert.equal(await knows({ ...rsa, alg: 'PS256' }), false)
  })

  describe('that is down', () => {
    for (const [what, answer] of Object.entries({
      'answers 500': { status: 500, body: '{}' },
      'redirects elsewhere': { status: 302, body: '' },
      'answers no JSON': { status: 200, body: '<html>' },
      'answers no key set': { status: 200, body: '{"keys":{}}' },
    }))
      it(`makes the port reject, when it ${what}`, async () => {
        server.answer = answer
        await isDown()
        server.answer = null
        clock.advance(1_100)
        assert.ok(await knows(first))
      })

    it('makes the port reject when nothing answers, never open and never unknown', async () => {
      assert.ok(await knows(first))
      await server.close()
      assert.ok(await knows(first)) // for ten minutes
      clock.advance(31_000)
      await isDown(second)
      clock.advance(570_000)
      await isDown()
      await isDown(second)
    })

    it('is tried again after a second, whatever callers send', async () => {
      server.answer = { status: 500, body: '' }
      for (let time = 0; time < 20; time++) await isDown(first, { kid: `no ${time}` })
      assert.equal(server.fetched, 1)
      clock.advance(1_100)
      await Promise.all(Array.from({ length: 20 }, () => isDown()))
      assert.equal(server.fetched, 2)
    })

    it('keeps known keys while they are fresh', async () => {
      assert.ok(await knows(first))
      server.answer = { status: 500, body: '' }
      clock.advance(31_000)
      await isDown(second)
      assert.ok(await knows(first))
      assert.equal(server.fetched, 2)
    })

    it('lets a caller leave who no longer waits', async () => {
      const leaving = new AbortController()
      const asked = port.authenticate(forge(first, claims()), leaving.signal)
      leaving.abort(new Error('left'))
      await assert.rejects(asked, { message: 'left' })
      assert.ok(await knows(first))
    })

    it('is not named with its query, which may hold a secret', async () => {
      port = tokenKeys({ ...NAMES, jwks: `${server.url}?code=secret`, clock })
      server.answer = { status: 500, body: '' }
      await isDown()
    })
  })
})
