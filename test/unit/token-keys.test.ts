import assert from 'node:assert/strict'
import { signToken, tokenKeys } from 'foldgate/tokens'
import { TestClock } from '../service/ports.js'
import { AUDIENCE, claimsOf, forge, forgeHmac, ISSUER, NAMES, pairOf, seconds, tokenOf } from '../service/tokens.js'

type Options = Parameters<typeof tokenKeys>[0]

const signal = AbortSignal.timeout(60_000)
const own = pairOf('own')
const other = pairOf('other')
const kinds = (['EdDSA', 'ES256', 'RS256', 'PS256'] as const).map(alg => pairOf(`kid of ${alg}`, alg))
const ID = JSON.stringify([ISSUER, ['north'], 'ada'])

const portOf = (more: Partial<Options> = {}) => tokenKeys({ ...NAMES, keys: [own.publicJwk], ...more } as Options)
const authenticate = (token: string, more: Partial<Options> = {}) => portOf(more).authenticate(token, signal)
const signed = (more: object = {}) =>
  signToken({
    ...NAMES,
    ...{ key: own.privateJwk, subject: 'ada', organization: 'north', expiresInMs: 600_000 },
    ...more,
  })

describe('a port for tokens', () => {
  it('knows who is behind a token that was signed here, and what it allows', async () => {
    const only = { relations: ['amounts'], parameters: { customer: 17, since: { type: 'DATE', value: '2026-01-01' } } }
    assert.deepEqual(await authenticate(await signed({ only, quota: 60 })), {
      ...{ keyId: ID, ownerId: ID, organizations: ['north'], only, quota: 60 },
    })
    assert.deepEqual(await authenticate(await signed()), { keyId: ID, ownerId: ID, organizations: ['north'] })
  })

  it('carries limits whole, also those of later versions, which the service checks', async () => {
    const only = { rows: { department: [17, 'x', true] }, something: { else: [null] } }
    const caller = await authenticate(forge(own, claimsOf({ foldgate: { organizations: ['north'], only } })))
    assert.deepEqual(caller?.only, only)
  })

  it('tells users apart, whatever their names are, and knows each again', async () => {
    const ids = new Set<string>()
    const users = [
      ['ada', ['north']],
      ['ada', ['north', 'south']],
      ['ada', ['north,south']],
      ['ada', []],
      ['ada","x', ['north']],
      ['north', ['ada']],
      ['\ud800', ['north']],
    ] as const
    for (const [subject, organization] of users) {
      const caller = await authenticate(await signed({ subject, organization, id: 'one' }))
      const again = await authenticate(await signed({ subject, organization: [...organization].reverse(), quota: 5 }))
      assert.equal(caller?.keyId, caller?.ownerId)
      assert.equal(again?.keyId, caller?.keyId)
      assert.deepEqual(JSON.parse(caller?.keyId ?? ''), [ISSUER, [...organization].sort(), subject])
      ids.add(caller?.keyId ?? '')
    }
    const elsewhere = { ...NAMES, issuer: 'https://other.example' }
    const caller = await authenticate(await signed(elsewhere), elsewhere)
    assert.equal(ids.add(caller?.keyId ?? '').size, users.length + 1)
  })

  for (const pair of kinds)
    it(`verifies ${pair.alg} with the key that the token names`, async () => {
      const keys = kinds.map(({ publicJwk }) => publicJwk)
      assert.ok(await authenticate(forge(pair, claimsOf()), { keys }))
      assert.ok(await authenticate(await signed({ key: pair.privateJwk }), { keys }))
      for (const { kid, alg } of kinds)
        if (kid !== pair.kid)
          assert.equal(await authenticate(forge(pair, claimsOf(), { kid, alg }), { keys }), null, kid)
    })

  it('takes both names of EdDSA', async () => {
    for (const alg of ['EdDSA', 'Ed25519'])
      for (const named of [{}, { alg: 'EdDSA' }, { alg: 'Ed25519' }])
        assert.ok(await authenticate(forge(own, claimsOf(), { alg }), { keys: [{ ...own.publicJwk, ...named }] }))
  })

  describe('knows no token', () => {
    const refused = async (tokens: Record<string, string>, more: Partial<Options> = {}) => {
      for (const [what, token] of Object.entries(tokens)) assert.equal(await authenticate(token, more), null, what)
    }

    it('that is not signed', async () => {
      const bare = (header: object) => tokenOf(header, claimsOf(), () => Buffer.alloc(0))
      const header = { kid: 'own', typ: 'foldgate+jwt' }
      const right = await signed()
      await refused({
        none: bare({ ...header, alg: 'none' }),
        'None in another case': bare({ ...header, alg: 'nOnE' }),
        'no algorithm': bare(header),
        'no signature': right.replace(/[^.]*$/, ''),
        'no signature and no dot': right.replace(/\.[^.]*$/, ''),
        'an empty signature under the right algorithm': bare({ ...header, alg: 'EdDSA' }),
        'a list as algorithm': bare({ ...header, alg: ['EdDSA'] }),
      })
    })

    it('that is signed by HMAC with what everybody knows of a public key', async () => {
      for (const pair of [own, ...kinds]) {
        const { kid, publicJwk, publicKey } = pair
        const header = { kid, typ: 'foldgate+jwt' }
        const secrets = [
          publicKey.export({ type: 'spki', format: 'pem' }),
          publicKey.export({ type: 'spki', format: 'der' }),
          JSON.stringify(publicJwk),
          Buffer.from(publicJwk.x ?? publicJwk.n ?? '', 'base64url'),
          publicJwk.x ?? publicJwk.n ?? '',
          '',
        ]
        for (const secret of secrets)
          for (const alg of ['HS256', 'HS512', pair.alg])
            await refused({ [alg]: forgeHmac({ ...header, alg }, claimsOf(), secret) }, { keys: [publicJwk] })
      }
    })

    it('whose algorithm is not that of its key', async () => {
      const [, , rsa] = kinds as [unknown, unknown, (typeof kinds)[number]]
      const token = forge({ ...rsa, alg: 'PS256' }, claimsOf())
      await refused({ 'PS256 with a key for RS256': token }, { keys: [rsa.publicJwk] })
      assert.ok(await authenticate(token, { keys: [{ ...rsa.publicJwk, alg: 'PS256' }] }))
      await refused(
        { 'RS256 with a key for PS256': forge(rsa, claimsOf()) },
        { keys: [{ ...rsa.publicJwk, alg: 'PS256' }] },
      )
      await refused({ RS384: forge(rsa, claimsOf(), { alg: 'RS384' }) }, { keys: [rsa.publicJwk] })
    })

    it('of another key, of no key, or of one that the token brings along', async () => {
      await refused({
        'another key': forge({ ...other, kid: 'own' }, claimsOf()),
        'a key that is not known': forge(other, claimsOf()),
        'no kid': forge(own, claimsOf(), { kid: undefined }),
        'a kid that is no string': forge(own, claimsOf(), { kid: ['own'] }),
        'a kid of every object': forge(own, claimsOf(), { kid: '__proto__' }),
        'its own key': forge(other, claimsOf(), { kid: 'own', jwk: other.publicJwk }),
        'the address of a key': forge(other, claimsOf(), { kid: 'own', jku: 'http://127.0.0.1:1/keys' }),
        'an extension that must be understood': forge(own, claimsOf(), { crit: ['exp'], exp: 1 }),
        'a payload that is not encoded': forge(own, claimsOf(), { crit: ['b64'], b64: false }),
      })
    })

    it('for another audience, of another issuer, or of another type', async () => {
      const several = { audience: ['https://other.example', AUDIENCE] }
      assert.ok(await authenticate(forge(own, claimsOf({ aud: AUDIENCE })), several))
      assert.equal(await authenticate(forge(own, claimsOf({ aud: 'https://third.example' })), several), null)
      await refused({
        'another audience': forge(own, claimsOf({ aud: 'https://other.example' })),
        'other audiences': forge(own, claimsOf({ aud: [`${AUDIENCE}/`, AUDIENCE.toUpperCase()] })),
        'no audience': forge(own, claimsOf({ aud: undefined })),
        'another issuer': forge(own, claimsOf({ iss: `${ISSUER}/` })),
        'a list of issuers': forge(own, claimsOf({ iss: [ISSUER] })),
        'no issuer': forge(own, claimsOf({ iss: undefined })),
        'no type': forge(own, claimsOf(), { typ: undefined }),
        'a session of the same application': forge(own, claimsOf(), { typ: 'JWT' }),
        'an access token': forge(own, claimsOf(), { typ: 'at+jwt' }),
        'a type that is no string': forge(own, claimsOf(), { typ: ['foldgate+jwt'] }),
      })
      assert.ok(await authenticate(forge(own, claimsOf({ aud: ['https://other.example', AUDIENCE] }))))
      assert.ok(await authenticate(forge(own, claimsOf(), { typ: 'application/Foldgate+JWT' })))
    })

    it('without an end, an issue, or a subject, or with such of another kind', async () => {
      for (const claim of ['exp', 'iat', 'sub'])
        for (const value of [undefined, null, true, claim === 'sub' ? 17 : '4102444800', []])
          await refused({ [`${claim}: ${value}`]: forge(own, claimsOf({ [claim]: value })) })
      await refused({
        'an empty subject': forge(own, claimsOf({ sub: '' })),
        'a subject that is too long': forge(own, claimsOf({ sub: 'x'.repeat(256) })),
        'a number as id': forge(own, claimsOf({ jti: 1 })),
        'claims that are no object': forge(own, ['ada']),
      })
      assert.ok(await authenticate(forge(own, claimsOf({ sub: 'x'.repeat(255) }))))
    })

    it('of its own that would live longer than a day', async () => {
      const day = 86_400
      assert.ok(await authenticate(forge(own, claimsOf({ exp: seconds() + day - 5, iat: seconds() - 5 }))))
      await refused({
        'more than a day': forge(own, claimsOf({ exp: seconds() + day + 1, iat: seconds() })),
        'issued years ago': forge(own, claimsOf({ iat: 1 })),
      })
    })

    it('that is no token, and says nothing of it', async () => {
      const right = await signed()
      const parts = right.split('.')
      await refused({
        ...{ text: 'a-key', empty: '', dots: '..', 'many dots': '.'.repeat(8192), 'an object': '{}.{}.{}' },
        'five parts': [...parts, 'a', 'b'].join('.'),
        'one letter more': `${right}x`,
        'one letter fewer': right.slice(0, -1),
        'one letter more in its claims': `${parts[0]}.${parts[1]}x.${parts[2]}`,
        'other claims under the signature': `${parts[0]}.${forge(other, claimsOf({ sub: 'eve' })).split('.')[1]}.${parts[2]}`,
        padding: `${right}==`,
        'a deep header': `${Buffer.from('['.repeat(4000)).toString('base64url')}.e30.e30`,
      })
      // The last letter of a signature of 64 bytes has four bits that decode to nothing.
      for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
        if (!right.endsWith(letter)) await refused({ [`${letter} at its end`]: right.slice(0, -1) + letter })
      for (const { publicJwk, ...pair } of kinds) {
        const token = forge(pair as (typeof kinds)[number], claimsOf())
        for (const length of [1, 2, 40, 86, 341])
          await refused(
            { [`${length} letters of a signature`]: token.replace(/[^.]*$/, 'A'.repeat(length)) },
            { keys: [publicJwk] },
          )
      }
      for (let at = 0; at < right.length; at += 7)
        await refused({
          [`a letter changed at ${at}`]: right.slice(0, at) + (right[at] === 'A' ? 'B' : 'A') + right.slice(at + 1),
        })
    })
  })

  describe('compares times with a leeway of 30 seconds', () => {
    const known = async (more: object, advanceMs = 0) => {
      const clock = new TestClock()
      clock.advance(advanceMs)
      return (await authenticate(forge(own, claimsOf(more)), { clock })) !== null
    }

    it('when a token has expired', async () => {
      assert.deepEqual([await known({}, 625_000), await known({}, 632_000)], [true, false])
    })

    it('when it is not yet valid, or was issued in the future', async () => {
      assert.deepEqual([await known({ nbf: seconds(28_000) }), await known({ nbf: seconds(33_000) })], [true, false])
      const issued = (ms: number) => known({ iat: seconds(ms), exp: seconds(ms + 60_000) })
      assert.deepEqual([await issued(28_000), await issued(33_000)], [true, false])
    })

    it('also of a token that was verified before', async () => {
      const clock = new TestClock()
      const port = portOf({ clock })
      const token = forge(own, claimsOf({ nbf: seconds() }))
      const isKnown = async () => (await port.authenticate(token, signal)) !== null
      assert.ok(await isKnown())
      clock.advance(632_000)
      assert.equal(await isKnown(), false)
      clock.advance(-632_000)
      assert.ok(await isKnown())
      clock.advance(-40_000)
      assert.equal(await isKnown(), false)
    })
  })

  describe('asks whether a token was revoked', () => {
    it('by id, subject, issuer and time, for each call, of valid tokens alone', async () => {
      const asked: unknown[] = []
      const state = { isRevoked: false }
      const port = portOf({ revoked: token => asked.push(token) > 0 && state.isRevoked })
      const claims = claimsOf()
      const token = forge(own, claims)
      assert.ok(await port.authenticate(token, signal))
      state.isRevoked = true
      assert.equal(await port.authenticate(token, signal), null)
      assert.equal(await port.authenticate(forge(other, claims), signal), null)
      const told = { id: 'a token', subject: 'ada', issuer: ISSUER, issuedAt: claims.iat * 1000 }
      assert.deepEqual(asked, [told, told])
      state.isRevoked = false
      assert.ok(await port.authenticate(forge(own, claimsOf({ jti: undefined })), signal))
      assert.equal((asked[2] as { id: unknown }).id, null)
    })

    it('and is down when that cannot be told', async () => {
      const token = await signed()
      const down = new Error('the database is down')
      await assert.rejects(authenticate(token, { revoked: () => Promise.reject(down) }), down)
      for (const answer of [undefined, null, 0, 'no', {}])
        await assert.rejects(authenticate(token, { revoked: () => answer as never }), {
          name: 'TypeError',
          message: 'revoked() must answer true or false',
        })
    })
  })

  it('rejects for tokens of its own whose claim it does not understand: whoever signs them has the key', async () => {
    const wrong = [
      undefined,
      null,
      [],
      'north',
      {},
      { organizations: 'north' },
      { organizations: ['north'], projects: [] },
    ]
    for (const foldgate of wrong)
      await assert.rejects(authenticate(forge(own, claimsOf({ foldgate }))), {
        name: 'TypeError',
        message: /^the claim foldgate of a token (must|has)/,
      })
  })

  it('takes several keys, so that one can be replaced', async () => {
    const [older, newer] = [await signed(), await signed({ key: other.privateJwk })]
    const both = { keys: [other.publicJwk, own.publicJwk] }
    assert.ok((await authenticate(older, both)) && (await authenticate(newer, both)))
    assert.equal(await authenticate(older, { keys: [other.publicJwk] }), null)
  })

  it('says of wrong options what to change, and nothing of a private key', () => {
    const short = pairOf('short', 'RS256').publicJwk
    const wrong: [more: object, says: RegExp][] = [
      [{ issuer: undefined }, /^tokenKeys: issuer must be a string/],
      [{ audience: '' }, /^tokenKeys: audience must be a string/],
      ...[[], [''], [AUDIENCE, 5], { 0: AUDIENCE }].map(
        audience => [{ audience }, /^tokenKeys: audience must be a string/] as const,
      ),
      [{ keys: undefined }, /^tokenKeys: give either keys, or the URL of a key set as jwks/],
      [{ jwks: 'https://id.example/keys' }, /^tokenKeys: give either keys/],
      [{ keys: [] }, /^tokenKeys: keys must be a list of public keys/],
      [{ keys: { keys: [own.publicJwk] } }, /^tokenKeys: keys must be a list/],
      [{ keys: [null] }, /^tokenKeys: keys\[0\] must be a JSON Web Key/],
      [{ keys: [{ ...own.publicJwk, kid: undefined }] }, /keys\[0\] has no kid/],
      [{ keys: [own.publicJwk, own.publicJwk] }, /keys\[1\] has the kid of a key before it/],
      [{ keys: [own.privateJwk] }, /keys\[0\] is a private key: leave out d/],
      [{ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'a' }] }, /keys\[0\] must be for EdDSA/],
      [{ keys: [{ ...own.publicJwk, alg: 'HS256' }] }, /keys\[0\] must be for EdDSA/],
      [{ keys: [{ ...own.publicJwk, alg: 'ES256' }] }, /keys\[0\] must be for EdDSA/],
      [{ keys: [{ ...own.publicJwk, use: 'enc' }] }, /keys\[0\] is not to verify/],
      [{ keys: [{ ...own.publicJwk, key_ops: ['encrypt'] }] }, /keys\[0\] is not to verify/],
      [{ keys: [{ ...own.publicJwk, x: 'AA' }] }, /keys\[0\] cannot be read/],
      [{ keys: [{ ...short, n: short.n?.slice(0, 171) }] }, /keys\[0\] has 10\d\d bits: RSA keys need at least 2048/],
      [{ typ: 'at+jwt' }, /^tokenKeys: typ is the type of tokens that toCaller reads/],
      ...['http://id.example/keys', 'ftp://id.example', 'keys.json', 'http://127.0.0.1.example/'].map(
        jwks => [{ keys: undefined, jwks }, /^tokenKeys: jwks must be the https URL of a set of keys/] as const,
      ),
      [{ keys: undefined, jwks: 'https://ada:secret@id.example' }, /jwks must have no user or password in it/],
    ].map(each => each as [object, RegExp])
    for (const [more, message] of wrong)
      assert.throws(() => portOf(more as Partial<Options>), { name: 'TypeError', message }, String(message))
  })
})
