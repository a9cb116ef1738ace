import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type AnalyticsEvent, type KeyPort, memoryQuota } from 'foldgate'
import { signToken, tokenKeys } from 'foldgate/tokens'
import { type LimitedService, startLimited } from '../service/limited.js'
import { TestClock, TestHost } from '../service/ports.js'
import { FOREIGN_PROJECT, KEYS, PROJECT, type Service } from '../service/service.js'
import { forge, ISSUER, keySetServer, NAMES, pairOf } from '../service/tokens.js'

const CALLS = 400
const SQL = 'SELECT count(*) AS amounts FROM amounts'

describe('callers with tokens', () => {
  const own = pairOf('own')
  const provider = pairOf('of the provider', 'RS256')
  const revoked = new Set<string>()
  /** Why the host cannot say what a token of the provider allows. */
  let fault: Error | null = null
  let keySet: Awaited<ReturnType<typeof keySetServer>>
  let clock: TestClock
  let of: LimitedService
  let service: Service
  before(async () => {
    keySet = await keySetServer([provider.publicJwk])
    clock = new TestClock()
    const users = tokenKeys({
      ...NAMES,
      keys: [own.publicJwk],
      clock,
      revoked: ({ id, subject }) => [id, subject].some(each => revoked.has(each ?? '')),
    })
    const employees = tokenKeys({
      ...NAMES,
      issuer: 'https://id.example',
      jwks: keySet.url,
      clock,
      toCaller: ({ org }) => {
        if (fault) throw fault
        return { organizations: [org as string] }
      },
    })
    const apiKeys = new TestHost()
    apiKeys.callers.set(KEYS.north, { keyId: 'k-north', ownerId: 'ada', organizations: ['north'] })
    const keys: KeyPort = {
      authenticate: async (key, signal) =>
        (await users.authenticate(key, signal)) ??
        (await employees.authenticate(key, signal)) ??
        apiKeys.keyPort.authenticate(key, signal),
    }
    of = await startLimited({ keys, quota: memoryQuota({ calls: CALLS, windowMs: 3_600_000 }) })
    service = of.service
  })
  after(async () => {
    await of.close()
    await keySet.close()
  })
  beforeEach(() => {
    service.events.splice(0)
    service.usage.splice(0)
  })

  const signed = (more: Partial<Parameters<typeof signToken>[0]> = {}) =>
    signToken({
      ...NAMES,
      ...{ key: own.privateJwk, subject: 'ada', organization: 'north', expiresInMs: 600_000, clock },
      ...more,
    })
  const employee = (more: object = {}, pair = provider) => {
    const now = Math.floor(clock.now() / 1000)
    const claims = {
      iss: 'https://id.example',
      aud: NAMES.audience,
      sub: 'eve',
      org: 'north',
      iat: now,
      exp: now + 600,
    }
    return forge(pair, { ...claims, ...more }, { typ: 'at+jwt' })
  }
  const query = { projectId: PROJECT, sql: SQL }
  /** How a call ends at REST, at JSON-RPC and in process: where a key is refused, a WebSocket is not opened. */
  async function ends(token: string): Promise<string> {
    const { REST, 'JSON-RPC': rpc, 'in process': inProcess } = of.entries.enter
    const ended = await Promise.all([REST, rpc, inProcess].map(enter => enter('projects/query', query, token)))
    const [outcome, ...others] = ended.map(({ outcome, message }) => `${outcome}: ${message}`)
    for (const other of others) assert.equal(other, outcome)
    return outcome ?? ''
  }
  const UNKNOWN = 'UNAUTHENTICATED: The API key is unknown, revoked or expired.'
  const causes = (events: readonly AnalyticsEvent[]) =>
    events.flatMap(event => (event.type === 'dependency' ? [event.cause as Error] : []))
  /** What events, usage and answers may never have. */
  const mustNotTell = (token: string, told: unknown) => {
    const text = JSON.stringify(told, (_, value) => (value instanceof Error ? [value.stack, value.cause] : value))
    for (const part of token.split('.')) assert.ok(!text.includes(part))
  }

  it('read the projects of their organization on every entry point, beside API keys', async () => {
    for (const key of [await signed(), employee(), KEYS.north]) {
      const { outcome, result } = await of.everywhere('projects/query', query, key)
      assert.equal(outcome, 'OK')
      assert.ok(Number(result.items[0].amounts) > 0)
      const foreign = await of.everywhere('projects/query', { ...query, projectId: FOREIGN_PROJECT }, key)
      assert.equal(foreign.outcome, 'FORBIDDEN')
    }
  })

  it('reach what their token allows, and nothing else', async () => {
    const limited = await signed({ only: { relations: ['entities'], methods: ['projects/query', 'projects/list'] } })
    const { outcome, data } = await of.everywhere('projects/query', query, limited)
    assert.deepEqual([outcome, data.rule], ['INVALID_QUERY', 'relation'])
    assert.equal((await of.everywhere('projects/describe', { projectId: PROJECT }, limited)).outcome, 'FORBIDDEN')
    const none = await signed({ only: { projects: [] } })
    assert.equal((await of.everywhere('projects/query', query, none)).outcome, 'FORBIDDEN')
  })

  it('can do nothing with limits that the service does not understand, and the host is told which', async () => {
    const now = Math.floor(clock.now() / 1000)
    const claims = { iss: ISSUER, aud: NAMES.audience, sub: 'Secret', iat: now, exp: now + 600 }
    const token = (only: unknown) => forge(own, { ...claims, foldgate: { organizations: ['north'], only } })
    for (const [only, field] of [
      [{ project: ['Secret'] }, 'only.project'],
      [{ relations: 'Secret' }, 'only.relations'],
      [null, 'only'],
      [['Secret'], 'only'],
    ] as const) {
      service.events.splice(0)
      assert.match(await ends(token(only)), /^UNAVAILABLE/)
      assert.equal(causes(service.events).length, 3)
      for (const cause of causes(service.events))
        assert.ok(cause.message.includes(`whose ${field} is wrong`), cause.message)
      mustNotTell(token(only), service.events)
      assert.doesNotMatch(JSON.stringify(service.events), /Secret/)
    }
  })

  it('are told from nothing else that is wrong with their token', async () => {
    const right = await signed()
    const wrong = [
      right.slice(0, -2),
      await signed({ audience: 'https://other.example' }),
      await signed({ issuer: 'https://id.example' }),
      await signed({ key: pairOf('own').privateJwk }),
      await signed({ clock: { now: () => clock.now() - 700_000 } }),
      await signed({ clock: { now: () => clock.now() + 60_000 } }),
      employee({ aud: 'https://other.example' }),
      employee({}, own),
      employee({}, pairOf('of the provider', 'RS256')),
    ]
    for (const token of wrong) {
      assert.equal(await ends(token), UNKNOWN)
      mustNotTell(token, [service.events, service.usage])
    }
    assert.deepEqual(causes(service.events), [])
  })

  it('end when their token expires, and at once when it or its subject is revoked', async () => {
    const [first, second, third] = [await signed({ id: 'first' }), await signed(), await signed({ subject: 'bob' })]
    for (const token of [first, second, third]) assert.match(await ends(token), /^OK/)
    revoked.add('first')
    assert.deepEqual([await ends(first), (await ends(second)).slice(0, 2)], [UNKNOWN, 'OK'])
    revoked.add('ada')
    assert.deepEqual([await ends(second), (await ends(third)).slice(0, 2)], [UNKNOWN, 'OK'])
    revoked.clear()
    clock.advance(631_000)
    assert.equal(await ends(third), UNKNOWN)
    clock.advance(-631_000)
  })

  it('are UNAVAILABLE while the key set of their issuer is down, and never let in or turned away', async () => {
    clock.advance(700_000)
    keySet.answer = { status: 503, body: '' }
    const [right, stranger] = [employee(), employee({}, pairOf('unknown'))]
    for (const token of [right, stranger]) {
      assert.match(await ends(token), /^UNAVAILABLE: The service cannot answer now/)
      mustNotTell(token, service.events)
    }
    assert.ok(
      causes(service.events).every(({ message }) => message === `the key set at ${keySet.url} cannot be fetched`),
    )
    assert.ok(causes(service.events).length > 0)
    // Others are not affected.
    for (const key of [await signed(), KEYS.north]) assert.match(await ends(key), /^OK/)
    keySet.answer = null
    clock.advance(1_100)
    assert.match(await ends(right), /^OK/)
    assert.equal(await ends(stranger), UNKNOWN)
  })

  it('are UNAVAILABLE when the host cannot say what they may do', async () => {
    fault = new Error('no such table')
    assert.match(await ends(employee()), /^UNAVAILABLE/)
    assert.deepEqual(causes(service.events), [fault, fault, fault])
    fault = null
    service.events.splice(0)
    assert.match(await ends(employee({ org: 17 })), /^UNAVAILABLE/)
    assert.match(causes(service.events)[0]?.message ?? '', /^what toCaller\(\) answers must have organizations/)
  })

  it('are counted by issuer, organization and subject, and named so in events and usage', async () => {
    const subject = randomUUID()
    const token = await signed({ subject })
    assert.match(await ends(token), /^OK/)
    const keyId = JSON.stringify([ISSUER, ['north'], subject])
    assert.deepEqual(
      service.usage.map(usage => [usage.keyId, usage.organization]),
      [0, 1, 2].map(() => [keyId, 'north']),
    )
    assert.ok(service.events.some(event => event.type === 'call' && event.keyId === keyId))
    mustNotTell(token, [service.events, service.usage])
  })

  it('have the calls that their token allows together, whatever token they use', async () => {
    const subject = randomUUID()
    const [few, more] = [await signed({ subject, quota: 2 }), await signed({ subject, quota: CALLS * 2 })]
    const list = async (token: string) => {
      const { body, headers } = await service.call('projects/list', {}, token)
      return [
        body.class ?? 'OK',
        /limit=(\d+)|;q=(\d+)/
          .exec(headers.get('ratelimit-policy') ?? '')
          ?.slice(1)
          .join(''),
      ]
    }
    assert.deepEqual(await list(few), ['OK', '2'])
    assert.deepEqual(await list(more), ['OK', String(CALLS)])
    assert.deepEqual(await list(few), ['RATE_LIMITED', '2'])
    assert.deepEqual((await list(await signed({ subject: randomUUID(), quota: 2 })))[0], 'OK')
  })

  it('share their files with every token of theirs, and with nobody else', async () => {
    const exported = await of.entries.enter.REST('projects/export', query, await signed({ subject: 'bob' }))
    const download = async (token: string) =>
      (await fetch(exported.result.url, { headers: { authorization: `Bearer ${token}` } })).status
    assert.equal(await download(await signed({ subject: 'bob' })), 200)
    const others = [
      await signed({ subject: 'eve' }),
      await signed({ subject: 'bob', organization: ['north', 'south'] }),
      await signed({ subject: 'bob', organization: 'south' }),
      await signed({ subject: 'bob', only: { relations: ['amounts'] } }),
      employee({ sub: 'bob' }),
      KEYS.north,
    ]
    for (const token of others) assert.equal(await download(token), 404)
    revoked.add('bob')
    assert.equal(await download(await signed({ subject: 'bob' })), 401)
    revoked.clear()
  })
})
