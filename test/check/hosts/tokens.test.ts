import assert from 'node:assert/strict'
import type { KeyPort } from 'foldgate'
import { allKeys, employees, newKeys, tokenFor, users } from '../../../examples/guides/tokens.js'
import { forge, keySetServer, pairOf } from '../../service/tokens.js'

const waiting = () => new AbortController().signal

describe('the code of the guide to your own users', () => {
  const keys = newKeys('2026-11')
  const revoked = new Map<string, number>()
  const provider = pairOf('of the provider', 'RS256')
  let keySet: Awaited<ReturnType<typeof keySetServer>>
  let port: KeyPort
  before(async () => {
    keySet = await keySetServer([provider.publicJwk])
    const apiKeys: KeyPort = {
      authenticate: async key => (key === 'a-key' ? { keyId: '1', ownerId: 'ada', organizations: ['us'] } : null),
    }
    const revocations = { revokedAt: async (userId: string) => revoked.get(userId) ?? 0 }
    port = allKeys(users([keys], revocations), employees(keySet.url), apiKeys)
  })
  after(() => keySet.close())

  const exchanged = async (isAnalyst: boolean, signing = keys) => {
    const answer = await tokenFor({ userId: 'bob', tenant: 'us', isAnalyst }, signing)
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store'])
    return ((await answer.json()) as { token: string }).token
  }

  it('exchanges a session for a token, and knows its user', async () => {
    const id = JSON.stringify(['https://app.example', ['us'], 'bob'])
    const bob = { keyId: id, ownerId: id, organizations: ['us'] }
    assert.deepEqual(await port.authenticate(await exchanged(true), waiting()), bob)
    const limits = { only: { relations: ['city_trips'] }, quota: 60 }
    assert.deepEqual(await port.authenticate(await exchanged(false), waiting()), { ...bob, ...limits })
    assert.equal((await tokenFor(null, keys)).status, 401)
    assert.equal(await port.authenticate(await exchanged(true, newKeys('2026-11')), waiting()), null)
  })

  it('revokes the tokens that a user has, and none that come later', async () => {
    const token = await exchanged(true)
    revoked.set('bob', Date.now())
    assert.equal(await port.authenticate(token, waiting()), null)
    revoked.set('bob', Date.now() - 2_000)
    assert.ok(await port.authenticate(token, waiting()))
  })

  it('takes the access tokens of an identity provider by their claims, and API keys', async () => {
    const now = Math.floor(Date.now() / 1000)
    const names = { iss: 'https://id.example/', aud: 'https://data.example', sub: 'eve', iat: now, exp: now + 60 }
    const known = (claims: object) =>
      port.authenticate(forge(provider, { ...names, ...claims }, { typ: 'JWT' }), waiting())
    assert.deepEqual((await known({ tenant: 'us', roles: ['analyst'] }))?.organizations, ['us'])
    assert.deepEqual((await known({ tenant: 'us', roles: [] }))?.only, { relations: ['city_trips'] })
    assert.equal(await known({ roles: ['analyst'] }), null)
    assert.equal((await port.authenticate('a-key', waiting()))?.ownerId, 'ada')
    assert.equal(await port.authenticate('another', waiting()), null)
  })
})
