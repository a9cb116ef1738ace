import assert from 'node:assert/strict'
import type { KeyPort } from 'foldgate'
import type { Client } from 'foldgate/client'
import { WebSocket } from 'ws'
import { rota, tokenOfHead } from '../../../examples/guides/row-limits.js'
import { openClient, openLiveClient } from '../../../examples/guides/token-page.js'
import { allKeys, employees, newKeys, tokenFor, users } from '../../../examples/guides/tokens.js'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { forge, keySetServer, pairOf } from '../../service/tokens.js'
import { type Front, startFront } from '../client/front.js'

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

/** A WebSocket that takes subprotocols and no headers, as those of browsers. */
class BrowserWebSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    if (!Array.isArray(protocols)) throw new DOMException('no subprotocol', 'SyntaxError')
    super(url, protocols)
  }
}

const EVE = { userId: 'eve', tenant: 'north' }

describe('heads of department, as in the guide to your own users', () => {
  const keys = newKeys('2026-11')
  const globals = globalThis as { fetch: typeof fetch; WebSocket?: unknown }
  const { fetch: send, WebSocket: own } = globals
  let service: Service
  let front: Front
  before(async () => {
    service = await startService({
      catalogue: rota,
      files: {
        'nurses.csv': 'nurse_id,department_id\n1,17\n2,17\n3,18\n4,\n',
        'shifts.csv': 'nurse_id,hours\n1,8\n2,6\n3,12\n4,24\n',
        'wages.csv': 'nurse_id,wage\n1,50\n3,60\n',
      },
      keys: users([keys], { revokedAt: async () => 0 }),
    })
    front = await startFront(service.api)
    const answer = async () => Response.json({ token: await tokenOfHead(EVE, [17], keys) })
    globals.fetch = (...request) => (request[0] === '/token' ? answer() : send(...request))
    globals.WebSocket = BrowserWebSocket
  })
  after(async () => {
    Object.assign(globals, { fetch: send, WebSocket: own })
    front.close()
    await service.close()
  })

  const see = (client: Client, sql: string) => client.query({ projectId: PROJECT, sql }).finally(() => client.close())
  const sql = 'SELECT hours, (SELECT count(*) FROM nurses) AS nurses FROM hours'

  it('see their rows from a page, over HTTP and over a WebSocket', async () => {
    for (const open of [openClient, openLiveClient])
      assert.deepEqual((await see(open(front.url), sql)).items, [{ hours: 14, nurses: 2 }])
    await assert.rejects(see(openClient(front.url), 'SELECT * FROM wages'), { class: 'INVALID_QUERY' })
  })

  it('are users with at least one department', async () => {
    const message = /only\.rows\.department is wrong/
    await assert.rejects(tokenOfHead(EVE, [], keys), { name: 'TypeError', message })
  })
})
