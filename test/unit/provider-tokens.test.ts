import assert from 'node:assert/strict'
import { tokenKeys } from 'foldgate/tokens'
import { claimsOf, forge, ISSUER, NAMES, pairOf, seconds } from '../service/tokens.js'

type Options = Parameters<typeof tokenKeys>[0]

const signal = AbortSignal.timeout(60_000)
const own = pairOf('own')
const ID = JSON.stringify([ISSUER, ['north'], 'ada'])

const portOf = (more: Partial<Options>) => tokenKeys({ ...NAMES, keys: [own.publicJwk], ...more } as Options)
const authenticate = (token: string, more: Partial<Options>) => portOf(more).authenticate(token, signal)

describe('a port for tokens of an identity provider', () => {
  const provider = (claims: object, header: object = {}) =>
    forge(own, { ...claimsOf(), foldgate: undefined, ...claims }, { typ: 'JWT', ...header })
  const toCaller: Options['toCaller'] = ({ org, calls }) =>
    typeof org === 'string' ? { organizations: [org], ...(typeof calls === 'number' && { quota: calls }) } : null

  it('leaves to the host what they allow, by their claims', async () => {
    assert.deepEqual(await authenticate(provider({ org: 'north', calls: 9 }), { toCaller }), {
      ...{ keyId: ID, ownerId: ID, organizations: ['north'], quota: 9 },
    })
    assert.equal(await authenticate(provider({}), { toCaller }), null)
    const later = { toCaller: async () => ({ organizations: ['south'], only: { projects: [] } }) }
    assert.deepEqual((await authenticate(provider({}), later))?.only, { projects: [] })
    // They may live longer than a day.
    assert.ok(await authenticate(provider({ org: 'north', exp: seconds(1e9) }), { toCaller }))
  })

  it('takes access tokens, and none of its own or of another type', async () => {
    const takes = async (typ: unknown, more: Partial<Options> = {}) =>
      (await authenticate(provider({ org: 'north' }, { typ }), { toCaller, ...more })) !== null
    for (const typ of ['at+jwt', 'JWT', 'jwt', 'application/at+jwt', undefined]) assert.ok(await takes(typ), typ)
    for (const typ of ['foldgate+jwt', 'logout+jwt', 'dpop+jwt', 'secevent+jwt', null, ''])
      assert.equal(await takes(typ), false, String(typ))
    assert.deepEqual([await takes('at+jwt', { typ: 'at+jwt' }), await takes('JWT', { typ: 'at+jwt' })], [true, false])
  })

  it('reads nothing of a caller from their claims itself', async () => {
    const claims = {
      org: 'north',
      foldgate: { organizations: ['south'] },
      only: {},
      quota: 1,
      organizations: ['south'],
    }
    const caller = await authenticate(provider(claims), { toCaller })
    assert.deepEqual(caller, { keyId: ID, ownerId: ID, organizations: ['north'] })
  })

  it('gives each call claims of its own', async () => {
    const seen: unknown[] = []
    const port = portOf({
      toCaller: claims => {
        seen.push(structuredClone(claims))
        Object.assign(claims, { org: 'south', sub: 'eve' })
        return { organizations: ['north'] }
      },
    })
    const token = provider({ org: 'north' })
    for (let time = 0; time < 2; time++) await port.authenticate(token, signal)
    assert.deepEqual(seen[1], seen[0])
  })

  it('fails when the host fails, or answers what it does not understand', async () => {
    const failed = new Error('no such table')
    await assert.rejects(authenticate(provider({}), { toCaller: () => Promise.reject(failed) }), failed)
    const wrong: [answer: unknown, says: RegExp][] = [
      [undefined, /must be null, or an object/],
      ['north', /must be null, or an object/],
      [['north'], /must be null, or an object/],
      [{}, /must have organizations, a list of strings/],
      [{ organizations: 'north' }, /must have organizations/],
      [{ organizations: [17] }, /must have organizations/],
      [{ organizations: ['Secret'], projects: ['Secret'] }, /has projects: its members are/],
      [{ organizations: ['Secret'], keyId: 'Secret' }, /has keyId/],
      [{ organizations: ['Secret'], onyl: {} }, /has onyl/],
    ]
    for (const [answer, says] of wrong) {
      const rejected = await authenticate(provider({}), { toCaller: () => answer as never }).catch(cause => cause)
      assert.ok(rejected instanceof TypeError)
      assert.match(rejected.message, says)
      assert.match(rejected.message, /^what toCaller\(\) answers /)
      assert.doesNotMatch(rejected.message, /Secret/)
    }
  })

  it('takes limits that an object inherits', async () => {
    class Allowed {
      organizations = ['north']
      get only() {
        return { projects: [] }
      }
    }
    assert.deepEqual((await authenticate(provider({}), { toCaller: () => new Allowed() }))?.only, { projects: [] })
  })
})
