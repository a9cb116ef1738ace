import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Context } from 'koa'
import { addressOf } from '#server/pages/address.js'
import { type Attempts, loginAttempts } from '#server/pages/attempts.js'
import { scratchFolder } from '../command.js'
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

  const take = (count: number, email: (at: number) => string, address: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => attempts.take(email(at), address(at)))

  it('are ten for a name in fifteen minutes, wherever they come from and however it is written', () => {
    const names = ['ada@example.org', ' ADA@example.org']
    assert.deepEqual(
      take(
        11,
        at => names[at % 2] ?? '',
        at => `${at}`,
      ),
      [...Array(10).fill(0), 15 * MINUTE_MS],
    )
    assert.equal(attempts.take('bob@example.org', '1'), 0)
    now = 15 * MINUTE_MS - 1
    assert.equal(attempts.take('ada@example.org', '99'), 1)
    now += 1
    assert.equal(attempts.take('ada@example.org', '99'), 0)
  })

  it('are fifty from an address in fifteen minutes, whatever the names', () => {
    assert.deepEqual(
      take(
        51,
        at => `${at}@example.org`,
        () => 'one',
      ),
      [...Array(50).fill(0), 15 * MINUTE_MS],
    )
    assert.equal(attempts.take('51@example.org', 'two'), 0)
  })

  it('do not count when they are right, and give the name its own again', () => {
    for (let time = 0; time < 200; time++) {
      assert.equal(attempts.take('ada@example.org', 'one'), 0)
      attempts.succeed('ada@example.org', 'one')
    }
    take(
      9,
      () => 'ada@example.org',
      () => 'two',
    )
    attempts.take('ada@example.org', 'three')
    attempts.succeed('ada@example.org', 'three')
    assert.equal(attempts.take('ada@example.org', 'two'), 0)
  })

  it('are forgotten from the least recent on, past twenty thousand', () => {
    take(
      11,
      () => 'ada@example.org',
      at => `a${at}`,
    )
    take(
      9_000,
      at => `${at}@example.org`,
      at => `b${at}`,
    )
    assert.ok(attempts.take('ada@example.org', 'c') > 0)
    take(
      10_001,
      at => `more-${at}@example.org`,
      at => `d${at}`,
    )
    assert.equal(attempts.take('ada@example.org', 'c'), 0)
  })

  it('from an address that has none left make no window of others forgotten', () => {
    take(
      10,
      () => 'ada@example.org',
      at => `a${at}`,
    )
    const refused = take(
      20_050,
      at => `${at}@example.org`,
      () => 'one',
    ).filter(waitMs => waitMs > 0)
    assert.equal(refused.length, 20_000)
    assert.ok(attempts.take('ada@example.org', 'b') > 0)
  })

  describe('over HTTP', () => {
    let site: Site
    before(async () => {
      site = await startPages(join(scratch.path, 'attempts.db'), () => now, { proxies: 1 })
    })
    after(() => site.close())

    it('are refused after the tenth with the right password too, until fifteen minutes are over', async () => {
      now = Date.UTC(2026, 10, 21)
      const visitor = new Visitor(site.url)
      const logIn = (password: string, from: string) =>
        visitor.submit('/', '/login', { ...ADA, password }, { 'x-forwarded-for': `claimed, ${from}` })
      for (let time = 0; time < 10; time++) assert.equal((await logIn('wrong password', `192.0.2.${time}`)).status, 403)
      now += 30_500
      const { status, headers, html } = await logIn(ADA.password, '192.0.2.99')
      assert.deepEqual([status, headers.get('retry-after')], [429, '870'])
      assert.match(textOf(html), /That was tried too often: try again in 15 minutes\./)
      now += 870_000
      assert.equal((await logIn(ADA.password, '192.0.2.99')).status, 303)
    })
  })
})

describe('the address that attempts are counted by', () => {
  const told = (remoteAddress: string, proxies = 0, forwarded = '') =>
    addressOf(
      { req: { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } } as unknown as Context,
      proxies,
    )

  it('is the one of the connection, whatever headers claim', () => {
    assert.equal(told('192.0.2.1', 0, '198.51.100.7'), '192.0.2.1')
    assert.equal(told('::ffff:192.0.2.1'), '192.0.2.1')
  })

  it('is the network of 64 bits of an IPv6 address', () => {
    for (const address of ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', '2001:0DB8:0001:2::'])
      assert.equal(told(address), '2001:db8:1:2')
    assert.equal(told('::1'), '0:0:0:0')
    assert.equal(told('fe80::1%eth0'), 'fe80:0:0:0')
  })

  it('is the one that the first of so many proxies has seen', () => {
    assert.equal(told('10.0.0.1', 1, 'claimed, 192.0.2.1'), '192.0.2.1')
    assert.equal(told('10.0.0.1', 2, 'claimed, 2001:db8::1, 10.0.0.2'), '2001:db8:0:0')
    assert.equal(told('10.0.0.1', 2, '10.0.0.2'), '10.0.0.1')
    assert.equal(told('10.0.0.1', 1), '10.0.0.1')
  })
})
