import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import type { CallerLimits } from 'foldgate'
import { signToken } from 'foldgate/tokens'
import { AUDIENCE, ISSUER, NAMES, pairOf } from '../service/tokens.js'

const { privateJwk: key, publicJwk, publicKey } = pairOf('own')
const token = { ...NAMES, key, subject: 'ada', organization: 'north', expiresInMs: 60_000 }
const sign = (more: object = {}) => signToken({ ...token, ...more })
const partsOf = (text: string) => text.split('.') as [string, string, string]
const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

describe('a token that is signed', () => {
  it('says who may do what until when, and nothing else', async () => {
    const clock = { now: () => 1_800_000_000_900 }
    const only: CallerLimits = { relations: ['amounts'] }
    const [header, claims, signature] = partsOf(await sign({ only, quota: 60, id: 'one', clock }))
    assert.deepEqual(read(header), { alg: 'EdDSA', kid: 'own', typ: 'foldgate+jwt' })
    assert.deepEqual(read(claims), {
      ...{ iss: ISSUER, aud: AUDIENCE, sub: 'ada', jti: 'one', iat: 1_800_000_000, exp: 1_800_000_060 },
      foldgate: { organizations: ['north'], only, quota: 60 },
    })
    assert.ok(verify(null, Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url')))
  })

  it('has an id of its own, and the organizations that it is given', async () => {
    const [one, another] = await Promise.all([sign(), sign({ organization: ['north', 'south'] })])
    const [, first] = partsOf(one).map(part => part)
    const [, second] = partsOf(another)
    assert.match(read(first as string).jti, /^[0-9a-f-]{36}$/)
    assert.notEqual(read(first as string).jti, read(second).jti)
    assert.deepEqual(read(second).foldgate, { organizations: ['north', 'south'] })
  })

  it('is refused with a TypeError that says what to change, and tells nothing secret', async () => {
    const of = (only: unknown) => ({ only })
    const wrong: [more: object, says: RegExp][] = [
      [{ expires: 1 }, /^signToken has no option expires/],
      [{ issuer: '' }, /^signToken: issuer must be a string$/],
      [{ audience: [AUDIENCE] }, /^signToken: audience must be a string$/],
      [{ subject: 17 }, /^signToken: subject must be a string$/],
      [{ subject: 'x'.repeat(256) }, /^signToken: subject may have 255 characters, and has 256$/],
      [{ id: '' }, /^signToken: id must be a string$/],
      [{ organization: undefined }, /^signToken: organization must be the key of an organization, or a list/],
      [{ organization: '' }, /^signToken: organization must/],
      [{ organization: [17] }, /^signToken: organization must/],
      ...[undefined, 0, 999, 1000.5, 86_400_001, '60000', Number.NaN].map(
        expiresInMs =>
          [{ expiresInMs }, /^signToken: expiresInMs must be a whole number from 1000 to 86400000/] as const,
      ),
      [{ key: undefined }, /^signToken: key must be a JSON Web Key$/],
      [{ key: publicJwk }, /^signToken: key is a public key: a private one signs, with d$/],
      [{ key: { ...key, kid: undefined } }, /^signToken: key has no kid/],
      [{ key: { ...key, d: 'Secret' } }, /^signToken: key cannot be read/],
      [{ key: { ...key, d: 17 } }, /^signToken: key cannot be read/],
      [{ key: { ...key, key_ops: ['verify'] } }, /^signToken: key is not to sign/],
      [{ key: { kty: 'oct', kid: 'a', k: 'Secret', alg: 'HS256' } }, /^signToken: key must be for EdDSA/],
      [{ quota: 0 }, /would refuse the token: .* whose quota is wrong: it must be a whole number above 0/],
      [of({ project: ['Secret'] }), /would refuse the token: .* whose only\.project is wrong/],
      [of({ projects: undefined }), /would refuse the token: .* whose only\.projects is wrong/],
      [of({ parameters: { customer: Number.NaN } }), /only/],
      [of(null), /would refuse the token: .* whose only is wrong/],
      [of(Object.create({ projects: [] })), /^signToken: only must hold plain values of JSON/],
      [of(Object.assign(Object.create({}), { projects: [] })), /^signToken: only must hold plain values of JSON/],
      [
        of({ relations: Array.from({ length: 999 }, (_, at) => `relation_${at}`) }),
        /^signToken: the token has 2\d{4} characters, and the service takes 8192: list less in only$/,
      ],
    ].map(each => each as [object, RegExp])
    for (const [more, message] of wrong) {
      const refused = await sign(more).catch(cause => cause)
      assert.ok(refused instanceof TypeError, `${String(refused).slice(0, 99)} instead of ${message}`)
      assert.match(refused.message, message)
      assert.doesNotMatch(`${refused.stack} ${JSON.stringify(refused)}`, /Secret/)
    }
  })
})
