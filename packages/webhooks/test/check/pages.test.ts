import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { deliveryOf } from '#webhooks/outbox/webhook-events.js'
import { disableWebhook } from '#webhooks/switch.js'
import { dbOf } from '#webhooks/tables.js'
import { createWebhook, listWebhooks, testWebhook } from '#webhooks/webhooks.js'
import { createKey } from '../../../../server/dist/store/keys.js'
import { addUser, revokeOrganizations } from '../../../../server/dist/store/users.js'
import { ADA, cheapHash, type Site, startPages } from '../../../../test/check/pages/site.js'
import { hiddenFields, textOf, Visitor } from '../../../../test/check/pages/visitor.js'
import { scratchFolder } from '../../../../test/server/command.js'

const URL = 'https://hooks.example.org/"><i>x</i>?token=a&b'
const HREF = 'https://hooks.example.org/%22%3E%3Ci%3Ex%3C/i%3E?token=a&b'
const FORM = { url: URL, organization: ['north', 'south'], event: ['snapshot.sealed', 'key.revoked'] }
const BOB = { email: 'bob@example.org', password: 'battery staple' }
const SECRET = /whsec_[A-Za-z0-9+/]{43}=/g
const scratch = scratchFolder()

describe('the page of webhooks', () => {
  let site: Site
  let visitor: Visitor
  let opened = 0
  const now = Date.UTC(2026, 10, 21, 12)

  beforeEach(async () => {
    site = await startPages(join(scratch.path, `${++opened}.db`), () => now)
    visitor = await new Visitor(site.url).enter()
  })
  afterEach(() => site.close())

  const create = (change: object = {}) => visitor.submit('/webhooks', '/webhooks', { ...FORM, ...change })
  const secretsIn = (html: string) => [...new Set(textOf(html).match(SECRET))]
  const store = (user = ADA.email) =>
    createWebhook(site.store, { user, url: 'https://a.example/x', organizations: ['north'] })

  it('creates one, and shows its secret once, on the next page', async () => {
    assert.match(textOf((await visitor.get('/webhooks')).html), /You have no webhook yet/)
    const made = await create()
    const [webhook] = await listWebhooks(site.store)
    assert.deepEqual([made.status, made.location], [303, `/webhooks/${webhook?.id}/created`])
    const { url, user, events, organizations } = webhook ?? {}
    assert.deepEqual([url, user], [HREF, ADA.email])
    assert.deepEqual(
      [events, organizations],
      [
        ['key.revoked', 'snapshot.sealed'],
        ['north', 'south'],
      ],
    )
    const other = await new Visitor(site.url).enter()
    assert.deepEqual(secretsIn((await other.get(made.location ?? '')).html), [])
    const { html, headers } = await visitor.get(made.location ?? '')
    assert.equal(secretsIn(html).length, 1)
    assert.equal(headers.get('cache-control'), 'no-store')
    const again = await visitor.get(made.location ?? '')
    assert.deepEqual(secretsIn(again.html), [])
    assert.match(textOf(again.html), /This secret is not shown again/)
    const list = (await visitor.get('/webhooks')).html
    assert.deepEqual(secretsIn(list), [])
    assert.ok(textOf(list).includes(HREF) && !list.includes('<i>'))
  })

  it('creates one webhook if a form is sent twice', async () => {
    const { html } = await visitor.get('/webhooks')
    const fields = { ...FORM, ...hiddenFields(html, '/webhooks') }
    const [first, second] = await Promise.all([visitor.post('/webhooks', fields), visitor.post('/webhooks', fields)])
    assert.equal(first.location, second.location)
    assert.equal((await listWebhooks(site.store)).length, 1)
  })

  const wrong: [object, RegExp][] = [
    [{ url: '' }, /is not a URL that events can be sent to/],
    [{ url: 'http://hooks.example.org/' }, /begins with http: use https/],
    [{ url: 'https://[::ffff:7f00:1]/' }, /webhooks may not reach the address of the receiver/],
    [{ url: 'https://ada:horse@hooks.example.org/' }, /has a user name or password/],
    [{ organization: [] }, /Choose at least one organization\./],
    [{ organization: ['west'] }, /You do not have access to one of these organizations/],
    [{ event: ['key.created'] }, /Choose at least one event\./],
  ]
  for (const [change, message] of wrong)
    it(`refuses ${JSON.stringify(change)}, and shows the form again`, async () => {
      const { status, html } = await create(change)
      assert.equal(status, 422)
      assert.match(textOf(html), message)
      assert.match(html, /aria-invalid="true" autofocus/)
      assert.equal(html.match(/<h1/g)?.length, 1)
      assert.deepEqual(await listWebhooks(site.store), [])
    })

  it('refuses an eleventh', async () => {
    for (let count = 0; count < 10; count++) await store()
    const { status, html } = await create()
    assert.equal(status, 422)
    assert.match(textOf(html), /You have 10 webhooks, and can have no more: remove one first\./)
  })

  it('lists deliveries, and sends a test', async () => {
    const { id } = await store()
    assert.match(textOf((await visitor.get(`/webhooks/${id}`)).html), /Nothing was sent yet/)
    const sent = await visitor.submit(`/webhooks/${id}`, `/webhooks/${id}/test`)
    assert.deepEqual([sent.status, sent.location], [303, `/webhooks/${id}`])
    const { html } = await visitor.get(`/webhooks/${id}`)
    assert.match(textOf(html), /webhook\.test Pending Happened 21 Nov 2026, 12:00 UTC Sent 0 times Id msg_/)
    const again = await visitor.submit(`/webhooks/${id}`, `/webhooks/${id}/test`)
    assert.equal(again.status, 422)
    assert.match(textOf(again.html), /is still being sent: wait for its outcome/)
  })

  it('is told of a key that is revoked on the pages', async () => {
    const { id } = await store()
    const key = await createKey(site.store, { user: ADA.email, organizations: ['south'] })
    await visitor.submit(`/keys/${key.id}/revoke`, `/keys/${key.id}/revoke`)
    assert.match(textOf((await visitor.get(`/webhooks/${id}`)).html), /key\.revoked Pending/)
  })

  it('removes one after a confirmation, and marks one that is disabled or not readable', async () => {
    const { id } = await store()
    await disableWebhook(site.store, id)
    await revokeOrganizations(site.store, ADA.email, ['north'])
    assert.match(textOf((await visitor.get('/webhooks')).html), /Switched off .*north no longer readable/)
    const path = `/webhooks/${id}/remove`
    const removed = await visitor.submit(path, path)
    assert.deepEqual([removed.status, removed.location], [303, '/webhooks?removed=yes'])
    assert.match(textOf((await visitor.get('/webhooks?removed=yes')).html), /The webhook is removed/)
    assert.deepEqual(await listWebhooks(site.store), [])
  })

  it('tells why a webhook was switched off and what was dropped, and switches it on again', async () => {
    const { id } = await createWebhook(site.store, {
      user: ADA.email,
      url: 'https://a.example/',
      organizations: ['north'],
    })
    const row = { webhookId: id, event: 'key.revoked', organization: null, at: site.store.clock.now(), data: {} }
    const rows = ['one', 'two'].map(subject => ({ ...deliveryOf({ ...row, subject }), state: 'dropped' as const }))
    await dbOf(site.store).insertInto('webhook_deliveries').values(rows).execute()
    await disableWebhook(site.store, id)
    assert.match(
      textOf((await visitor.get('/webhooks')).html),
      /Switched off .*: its receiver answered 410 Switch on again/,
    )
    const text = textOf((await visitor.get(`/webhooks/${id}`)).html)
    assert.match(
      text,
      /In the last 30 days, 2 of its deliveries were dropped, .*at most 500 may be pending .*is switched off/,
    )
    const enabled = await visitor.submit('/webhooks', `/webhooks/${id}/enable`)
    assert.deepEqual([enabled.status, enabled.location], [303, `/webhooks/${id}`])
    assert.equal((await listWebhooks(site.store)).find(each => each.id === id)?.disabledAt, null)
    assert.match(textOf((await visitor.get(`/webhooks/${id}`)).html), /Send a test/)
  })

  it('answers 404 for the webhook of another user, as for one that does not exist', async () => {
    await addUser(site.store, { email: BOB.email, organizations: ['north'] })
    const password_hash = cheapHash(BOB.password)
    await site.store.db.updateTable('users').set({ password_hash }).where('email', '=', BOB.email).execute()
    const { id } = await store()
    await testWebhook(site.store, id)
    const stranger = await new Visitor(site.url).enter(BOB)
    const { html } = await stranger.get('/webhooks')
    assert.match(textOf(html), /You have no webhook yet/)
    const token = hiddenFields(html, '/webhooks')
    const pathOf = (each: string, action: string) => `/webhooks/${each}${action}`
    for (const action of ['', '/created', '/remove']) {
      const [theirs, none] = [await stranger.get(pathOf(id, action)), await stranger.get(pathOf(randomUUID(), action))]
      assert.deepEqual([theirs.status, none.status], [404, 404], action)
      assert.equal(textOf(theirs.html), textOf(none.html))
    }
    for (const action of ['/remove', '/test', '/enable'])
      assert.equal((await stranger.post(pathOf(id, action), token)).status, 404, action)
    assert.equal((await listWebhooks(site.store)).length, 1)
  })

  it('does nothing without the token of the session, for another site, or without a login', async () => {
    const { id } = await store()
    for (const path of ['/webhooks', `/webhooks/${id}/remove`, `/webhooks/${id}/test`]) {
      assert.equal((await visitor.post(path, FORM)).status, 403, path)
      const page = path.replace('/test', '')
      assert.equal((await visitor.submit(page, path, FORM, { 'sec-fetch-site': 'cross-site' })).status, 403, path)
      assert.equal((await new Visitor(site.url).post(path, FORM)).status, 403, path)
    }
    for (const path of ['/webhooks', `/webhooks/${id}`, `/webhooks/${id}/created`, `/webhooks/${id}/remove`])
      assert.equal((await new Visitor(site.url).get(path)).location, '/', path)
    assert.equal((await listWebhooks(site.store)).length, 1)
    assert.deepEqual(await dbOf(site.store).selectFrom('webhook_deliveries').select('id').execute(), [])
  })
})
