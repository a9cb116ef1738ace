import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createKey, requireKey } from '#server/store/keys.js'
import { changePassword, setPassword } from '#server/store/sessions.js'
import { findUser } from '#server/store/users.js'
import { createWebhook, requireWebhook } from '#webhooks/webhooks.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, cheapHash, type Site, startPages } from './site.js'
import { textOf, Visitor } from './visitor.js'

const MINUTE_MS = 60_000
const NEXT = 'another horse'
const scratch = scratchFolder()

describe("the page for one's own password", () => {
  let now: number
  let site: Site
  let visitor: Visitor
  let opened = 0

  beforeEach(async () => {
    now = Date.UTC(2026, 10, 21, 12)
    site = await startPages(join(scratch.path, `${++opened}.db`), () => now)
    visitor = await new Visitor(site.url).enter()
  })

  afterEach(() => site.close())

  const change = (fields: Record<string, string>, headers = {}) =>
    visitor.submit('/password', '/password', { current: ADA.password, new: NEXT, again: NEXT, ...fields }, headers)
  const isIn = async (who: Visitor) => (await who.get('/')).html.includes('Log out')
  const logIn = async (password: string) =>
    (await new Visitor(site.url).submit('/', '/login', { email: ADA.email, password })).status

  it('is for logged-in users, who find it on every page', async () => {
    const { html } = await visitor.get('/')
    assert.ok(html.includes('<a href="/password">'))
    const page = await visitor.get('/password')
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.html, /<script|style=| on\w+=/)
    const stranger = new Visitor(site.url)
    const { status, location } = await stranger.get('/password')
    assert.deepEqual([status, location], [303, '/'])
    assert.equal((await stranger.post('/password', { current: ADA.password, new: NEXT, again: NEXT })).status, 403)
    assert.equal(await logIn(ADA.password), 303)
  })

  it('changes it, says so once, and ends every other session, even with the same cookie', async () => {
    const elsewhere = await new Visitor(site.url).enter()
    const copied = new Visitor(site.url)
    copied.cookies.set('foldgate', visitor.cookies.get('foldgate') ?? '')
    assert.deepEqual([await isIn(elsewhere), await isIn(copied)], [true, true])
    const { status, location } = await change({})
    assert.deepEqual([status, location], [303, '/'])
    assert.match(
      textOf((await visitor.get('/')).html),
      /Your password is changed\. Everywhere else, you are logged out/,
    )
    assert.doesNotMatch(textOf((await visitor.get('/')).html), /Your password is changed/)
    assert.deepEqual([await isIn(visitor), await isIn(elsewhere), await isIn(copied)], [true, false, false])
    assert.deepEqual([await logIn(ADA.password), await logIn(NEXT)], [403, 303])
  })

  it('ends keys and webhooks with it, if that is chosen', async () => {
    const made = { user: ADA.email, organizations: ['north'] }
    const { id } = await createKey(site.store, made)
    const webhook = await createWebhook(site.store, { ...made, url: 'https://hooks.example.org/' })
    const shown = await change({ current: 'wrong password', keys: 'on' })
    assert.match(shown.html, /name="keys" checked>/)
    assert.doesNotMatch(shown.html, /name="webhooks" checked>/)
    assert.equal((await change({})).status, 303)
    assert.equal((await requireKey(site.store, id)).revokedAt, null)
    const again = { current: NEXT, new: ADA.password, again: ADA.password, keys: 'on', webhooks: 'on' }
    assert.equal((await change(again)).status, 303)
    assert.match(
      textOf((await visitor.get('/')).html),
      /Your password is changed\..* 1 key revoked\. 1 webhook removed\./,
    )
    assert.equal((await requireKey(site.store, id)).revokedAt, now)
    await assert.rejects(requireWebhook(site.store, webhook.id), /There is no webhook/)
  })

  it('requires the current password', async () => {
    const elsewhere = await new Visitor(site.url).enter()
    for (const current of ['', 'wrong password', NEXT]) {
      const { status, html } = await change({ current })
      assert.equal(status, 403, current)
      assert.match(textOf(html), /This is not your current password\./)
      assert.match(html, /name="current"[^>]* aria-describedby="current-problem" aria-invalid="true" autofocus/)
      assert.equal(html.includes(NEXT), false, 'no password is sent back')
    }
    assert.deepEqual([await isIn(visitor), await isIn(elsewhere)], [true, true])
    assert.equal(await logIn(ADA.password), 303)
  })

  it('takes the same passwords as the command line, typed twice', async () => {
    const long = 'x'.repeat(1001)
    for (const [fields, message] of [
      [{ new: 'short', again: 'short' }, /The password has 5 characters: use 8 to 1000\./],
      [{ new: long, again: long }, /The password has 1001 characters: use 8 to 1000\./],
      [{ again: 'another house' }, /The two new passwords differ: type them again\./],
      [{ again: '' }, /The two new passwords differ/],
    ] as const) {
      const { status, html } = await change(fields)
      assert.equal(status, 422)
      assert.match(textOf(html), message)
    }
    assert.equal(await logIn(ADA.password), 303)
  })

  it('limits attempts as the login does, and together with it', async () => {
    for (let time = 0; time < 5; time++) assert.equal((await change({ current: 'wrong password' })).status, 403)
    for (let time = 0; time < 5; time++) assert.equal(await logIn('wrong password'), 403)
    now += 30_000
    const { status, headers, html } = await change({})
    assert.deepEqual([status, headers.get('retry-after')], [429, '870'])
    assert.match(textOf(html), /Too many attempts: try again in 15 minutes\./)
    assert.equal(await logIn(ADA.password), 429)
    now += 15 * MINUTE_MS
    assert.equal((await change({})).status, 303)
    assert.match(textOf((await visitor.get('/')).html), /10 login attempts with your address failed/)
  })

  it('does nothing without the token of the session, or when another site sends the form', async () => {
    const fields = { current: ADA.password, new: NEXT, again: NEXT }
    for (const token of ['', 'x']) assert.equal((await visitor.post('/password', { ...fields, token })).status, 403)
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const { status, html } = await change({}, headers)
      assert.equal(status, 403)
      assert.match(textOf(html), /Another site has sent this form, so nothing was done/)
    }
    assert.deepEqual([await isIn(visitor), await logIn(ADA.password)], [true, 303])
  })

  it('leaves a password that an administrator sets meanwhile', async () => {
    const { id: userId } = (await findUser(site.store, ADA.email)) ?? assert.fail()
    const changing = changePassword(site.store, { userId, current: ADA.password, next: NEXT })
    const password_hash = cheapHash('set by somebody')
    await site.store.db.updateTable('users').set({ password_hash }).where('id', '=', userId).execute()
    assert.equal(await changing, null)
    assert.deepEqual([await logIn(NEXT), await logIn('set by somebody')], [403, 303])
    await setPassword(site.store, ADA.email, ADA.password)
    assert.equal(await isIn(visitor), false)
  })
})
