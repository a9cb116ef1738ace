import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Context } from 'koa'
import { networkOf } from '#server/pages/address.js'
import { type Attempts, loginAttempts } from '#server/pages/attempts.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, type Site, startPages } from './site.js'
import { textOf, Visitor } from './visitor.js'

const MINUTE_MS = 60_000
const scratch = scratchFolder()

describe('attempts to log in', () => {
  let now: number
  let attempts: Attempts

  beforeEach(() => {
    now = 0
    attempts = loginAttempts({ now: () => now })
  })

  const refusedMs = (email: string, network: string) => attempts.take(email, network).refusedMs
  const take = (count: number, email: (at: number) => string, network: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => refusedMs(email(at), network(at)))
  const ada = () => 'ada@example.org'

  it('are limited to ten per name and network in 15 minutes, however the name is written', () => {
    const names = ['ada@example.org', ' ADA@example.org']
    assert.deepEqual(
      take(
        11,
        at => names[at % 2] ?? '',
        () => 'one',
      ),
      [...Array(10).fill(0), 15 * MINUTE_MS],
    )
    assert.equal(refusedMs('bob@example.org', 'one'), 0)
    now = 15 * MINUTE_MS - 1
    assert.equal(refusedMs('ada@example.org', 'one'), 1)
    now += 1
    assert.equal(refusedMs('ada@example.org', 'one'), 0)
  })

  it('are only slowed down if they come from ever more networks, so guesses lock no user out', () => {
    assert.deepEqual(
      take(10, ada, at => `${at}`),
      Array(10).fill(0),
    )
    const delays = Array.from({ length: 7 }, (_, at) => attempts.take(ada(), `more ${at}`))
    assert.deepEqual(
      delays.map(({ delayMs }) => delayMs),
      [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000],
    )
    assert.ok(delays.every(turn => turn.refusedMs === 0))
    assert.deepEqual(attempts.take('bob@example.org', 'more 0'), { refusedMs: 0, delayMs: 0 })
    now = 15 * MINUTE_MS
    assert.deepEqual(attempts.take(ada(), 'home'), { refusedMs: 0, delayMs: 0 })
  })

  it('are limited to 50 per network in 15 minutes, whatever the names', () => {
    assert.deepEqual(
      take(
        51,
        at => `${at}@example.org`,
        () => 'one',
      ),
      [...Array(50).fill(0), 15 * MINUTE_MS],
    )
    assert.equal(refusedMs('51@example.org', 'two'), 0)
  })

  it('do not count when they succeed, and reset the count of the name', () => {
    for (let time = 0; time < 200; time++) {
      assert.deepEqual(attempts.take(ada(), 'one'), { refusedMs: 0, delayMs: 0 })
      attempts.succeed(ada(), 'one')
    }
    take(9, ada, () => 'two')
    attempts.take(ada(), 'two')
    attempts.succeed(ada(), 'two')
    assert.equal(refusedMs(ada(), 'two'), 0)
  })

  it('are reported at the next login: how many failed since the last one, and when', () => {
    attempts.take(ada(), 'home')
    assert.equal(attempts.succeed(ada(), 'home'), null)
    for (let time = 0; time < 3; time++) attempts.fail(ada())
    now = MINUTE_MS
    attempts.fail(' ADA@example.org')
    attempts.fail('bob@example.org')
    now = 60 * MINUTE_MS
    attempts.take(ada(), 'home')
    assert.deepEqual(attempts.succeed(ada(), 'home'), { count: 4, lastAt: MINUTE_MS })
    attempts.take(ada(), 'home')
    assert.equal(attempts.succeed(ada(), 'home'), null)
  })

  it('are forgotten beyond 20,000 windows, the least recent first', () => {
    take(10, ada, () => 'a')
    take(
      6_000,
      at => `${at}@example.org`,
      at => `b${at}`,
    )
    assert.ok(refusedMs(ada(), 'a') > 0)
    take(
      7_000,
      at => `more-${at}@example.org`,
      at => `c${at}`,
    )
    assert.equal(refusedMs(ada(), 'a'), 0)
  })

  it('do not displace the windows of others if their network is refused', () => {
    take(10, ada, () => 'a')
    const refused = take(
      20_050,
      at => `${at}@example.org`,
      () => 'one',
    ).filter(waitMs => waitMs > 0)
    assert.equal(refused.length, 20_000)
    assert.ok(refusedMs(ada(), 'a') > 0)
  })

  describe('over HTTP', () => {
    let site: Site
    before(async () => {
      site = await startPages(join(scratch.path, 'attempts.db'), () => now, { proxies: 1 })
    })
    after(() => site.close())

    const logIn = (password: string, from: string) =>
      new Visitor(site.url).submit('/', '/login', { ...ADA, password }, { 'x-forwarded-for': `claimed, ${from}` })

    it('are refused after the tenth from a network, even with the right password, for 15 minutes', async () => {
      now = Date.UTC(2026, 10, 21)
      for (let time = 0; time < 10; time++) assert.equal((await logIn('wrong password', '192.0.2.1')).status, 403)
      now += 30_500
      const { status, headers, html } = await logIn(ADA.password, '192.0.2.1')
      assert.deepEqual([status, headers.get('retry-after')], [429, '870'])
      assert.match(textOf(html), /Too many attempts: try again in 15 minutes\./)
      now += 870_000
      assert.equal((await logIn(ADA.password, '192.0.2.1')).status, 303)
    })

    it('do not lock out a user on another network, and are reported there once', async () => {
      now = Date.UTC(2026, 10, 22, 10, 31)
      for (let time = 0; time < 10; time++) assert.equal((await logIn('wrong password', '192.0.2.1')).status, 403)
      const visitor = new Visitor(site.url)
      const startedAt = performance.now()
      const entered = await visitor.submit('/', '/login', ADA, { 'x-forwarded-for': 'claimed, 198.51.100.7' })
      assert.equal(entered.status, 303)
      assert.ok(performance.now() - startedAt >= 450, 'the login was delayed')
      const told = /10 login attempts with your address failed, the last on 22 Nov 2026, 10:31 UTC/
      assert.match(textOf((await visitor.get('/')).html), told)
      assert.doesNotMatch(textOf((await visitor.get('/')).html), told)
    })
  })
})

describe('the network by which attempts are counted', () => {
  const told = (remoteAddress: string, proxies = 0, forwarded = '') =>
    networkOf(
      { req: { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } } as unknown as Context,
      proxies,
    )

  it('is that of the connection, whatever the headers claim', () => {
    assert.equal(told('192.0.2.1', 0, '198.51.100.7'), '192.0.2.1')
    assert.equal(told('::ffff:192.0.2.1'), '192.0.2.1')
  })

  it('is the /64 network of an IPv6 address', () => {
    for (const address of ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', '2001:0DB8:0001:2::'])
      assert.equal(told(address), '2001:db8:1:2')
    assert.equal(told('::1'), '0:0:0:0')
    assert.equal(told('fe80::1%eth0'), 'fe80:0:0:0')
  })

  it('is the one seen by the first of the configured proxies', () => {
    assert.equal(told('10.0.0.1', 1, 'claimed, 192.0.2.1'), '192.0.2.1')
    assert.equal(told('10.0.0.1', 2, 'claimed, 2001:db8::1, 10.0.0.2'), '2001:db8:0:0')
    assert.equal(told('10.0.0.1', 2, '10.0.0.2'), '10.0.0.1')
    assert.equal(told('10.0.0.1', 1), '10.0.0.1')
  })
})
