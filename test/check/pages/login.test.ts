import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setPassword } from '#server/store/sessions.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, type Site, startPages } from './site.js'
import { hiddenFields, type Shown, textOf, Visitor } from './visitor.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const scratch = scratchFolder()

describe('the login', () => {
  let now: number
  let site: Site
  let visitor: Visitor
  let opened = 0

  beforeEach(async () => {
    now = Date.UTC(2026, 10, 21, 12)
    site = await startPages(join(scratch.path, `${++opened}.db`), () => now)
    visitor = new Visitor(site.url)
  })

  afterEach(() => site.close())

  const logIn = (email: string, password: string) => visitor.submit('/', '/login', { email, password })
  const isIn = async (who = visitor) => (await who.get('/')).html.includes('Log out')

  it('protects the keys, and leads to them', async () => {
    const { status, html } = await visitor.get('/')
    assert.equal(status, 200)
    assert.ok(html.includes('action="/login"') && !html.includes('action="/keys"') && !html.includes('Log out'))
    assert.doesNotMatch(html, /<script|style=| on\w+=/)
    const { status: after, location } = await logIn(' ADA@example.org ', ADA.password)
    assert.deepEqual([after, location], [303, '/'])
    const keys = await visitor.get('/')
    assert.ok(keys.html.includes(ADA.email) && keys.html.includes('action="/keys"'))
  })

  it('sets a session cookie that scripts and other sites cannot read', async () => {
    const [set = ''] = (await visitor.get('/')).headers.getSetCookie()
    assert.match(set, /^foldgate=[\w-]{43}; path=\/; samesite=lax; httponly$/)
    assert.deepEqual((await visitor.get('/')).headers.getSetCookie(), [])
  })

  it('restricts the cookie to TLS and this host if the server is reached by https', async () => {
    const secure = await startPages(join(scratch.path, 'secure.db'), () => now, { baseUrl: 'https://data.example.org' })
    const browser = new Visitor(secure.url)
    const [set = ''] = (await browser.get('/')).headers.getSetCookie()
    assert.match(set, /^__Host-foldgate=[\w-]{43}; path=\/; samesite=lax; secure; httponly$/)
    await browser.enter()
    assert.ok(await isIn(browser))
    assert.equal((await browser.submit('/', '/logout')).status, 303)
    assert.equal(await isIn(browser), false)
    await secure.close()
  })

  it('gives the same answer for a wrong password, an unknown address and a user without a password', async () => {
    await addUser(site.store, { email: 'bob@example.org', organizations: [] })
    const answers: Shown[] = []
    for (const email of [ADA.email, 'bob@example.org', 'eve@example.org'])
      answers.push(await logIn(email, 'wrong password'))
    for (const { status, html, headers } of answers) {
      assert.equal(status, 403)
      assert.match(textOf(html), /The e-mail address or password is wrong\./)
      assert.deepEqual(headers.getSetCookie(), [])
    }
    const [first, ...others] = answers.map(({ html }) => html.replace(/value="[^"]*"/g, ''))
    for (const other of others) assert.equal(other, first)
    assert.equal(await isIn(), false)
  })

  it('keeps the address that was typed, whatever it contains', async () => {
    const { status, html } = await visitor.post('/login', { email: '"><b>x</b>@example.org', password: 'x' })
    assert.equal(status, 403)
    assert.ok(html.includes('value="&#34;&#62;&#60;b&#62;x&#60;/b&#62;@example.org"'))
  })

  it('gives the browser a new token', async () => {
    await visitor.get('/')
    const before = visitor.cookies.get('foldgate')
    const form = hiddenFields((await visitor.get('/')).html, '/login')
    await visitor.enter()
    assert.notEqual(visitor.cookies.get('foldgate'), before)
    const attacker = new Visitor(site.url)
    attacker.cookies.set('foldgate', before ?? '')
    assert.equal(await isIn(attacker), false)
    assert.notEqual(hiddenFields((await visitor.get('/')).html, '/logout').token, form.token)
    assert.ok(await isIn())
  })

  it('ends an existing session of the browser', async () => {
    await visitor.enter()
    const first = new Visitor(site.url)
    first.cookies.set('foldgate', visitor.cookies.get('foldgate') ?? '')
    const { token = '' } = hiddenFields((await visitor.get('/')).html, '/logout')
    assert.equal((await visitor.post('/login', { ...ADA, token })).status, 303)
    assert.ok(await isIn())
    assert.equal(await isIn(first), false)
  })

  it('keeps no token in the store', async () => {
    await visitor.enter()
    const rows = await site.store.db.selectFrom('sessions').selectAll().execute()
    assert.equal(rows.length, 1)
    assert.match(rows[0]?.hash ?? '', /^[\da-f]{64}$/)
    assert.equal(JSON.stringify(rows).includes(visitor.cookies.get('foldgate') ?? ''), false)
  })

  it('outlives the server', async () => {
    await visitor.enter()
    await site.close()
    site = await startPages(join(scratch.path, `${opened}.db`), () => now)
    const later = new Visitor(site.url)
    later.cookies.set('foldgate', visitor.cookies.get('foldgate') ?? '')
    assert.ok(await isIn(later))
  })

  it('ends with the logout, in every window', async () => {
    await visitor.enter()
    const other = new Visitor(site.url)
    other.cookies.set('foldgate', visitor.cookies.get('foldgate') ?? '')
    const { status, location } = await visitor.submit('/', '/logout')
    assert.deepEqual([status, location, visitor.cookies.size], [303, '/', 0])
    assert.equal(await isIn(other), false)
    assert.equal(await isIn(), false)
  })

  it('ends when the password changes', async () => {
    await visitor.enter()
    await setPassword(site.store, ADA.email, 'another horse')
    assert.equal(await isIn(), false)
  })

  it('ends after two hours without use', async () => {
    await visitor.enter()
    now += 2 * HOUR_MS - 1
    assert.ok(await isIn())
    now += 2 * HOUR_MS
    assert.equal(await isIn(), false)
  })

  it('ends after twelve hours, however much it is used', async () => {
    await visitor.enter()
    for (let hour = 1; hour < 12; hour++) {
      now += HOUR_MS
      assert.ok(await isIn(), `${hour}`)
    }
    now += HOUR_MS
    assert.equal(await isIn(), false)
    await visitor.enter()
    assert.equal((await site.store.db.selectFrom('sessions').selectAll().execute()).length, 1)
  })

  it('is required for every other page', async () => {
    for (const path of ['/keys/some/created', '/keys/some/revoke', '/password']) {
      const { status, location } = await visitor.get(path)
      assert.deepEqual([status, location], [303, '/'])
    }
    const { status, html } = await visitor.submit('/', '/keys', { name: 'x', organization: 'north', lifetime: '7d' })
    assert.equal(status, 403)
    assert.ok(html.includes('action="/login"') && html.includes('nothing was done'))
  })
})
