import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createKey, listKeys, revokeKey } from '#server/store/keys.js'
import { keyPort } from '#server/store/ports.js'
import { addUser, grantOrganizations, revokeOrganizations } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, cheapHash, recordUsage, type Site, startPages } from './site.js'
import { hiddenFields, textOf, Visitor } from './visitor.js'

const DAY_MS = 86_400_000
const NAME = 'Nightly <i>"report"</i> & more'
const KEY = { name: NAME, organization: ['north', 'south'], lifetime: '30d' }
const BOB = { email: 'bob@example.org', password: 'battery staple' }
const SECRET = /fg_[a-z0-9]{6}_[\w-]{43}/g
const scratch = scratchFolder()

describe('the page of keys', () => {
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

  const create = () => visitor.submit('/', '/keys', KEY)
  const secretsIn = (html: string) => [...new Set(html.match(SECRET))]
  const ofAda = { user: ADA.email, organizations: ['north'] }

  async function bob(...organizations: string[]): Promise<Visitor> {
    await addUser(site.store, { email: BOB.email, organizations })
    const password_hash = cheapHash(BOB.password)
    await site.store.db.updateTable('users').set({ password_hash }).where('email', '=', BOB.email).execute()
    return new Visitor(site.url).enter(BOB)
  }

  it('creates a valid key, and shows it only on the next page', async () => {
    const made = await create()
    const [key] = await listKeys(site.store)
    assert.deepEqual([made.status, made.location], [303, `/keys/${key?.id}/created`])
    assert.deepEqual(secretsIn(made.html + [...made.headers.values()].join()), [])
    const { html, headers } = await visitor.get(made.location ?? '')
    const [secret = '', ...others] = secretsIn(html)
    assert.deepEqual(others, [])
    assert.equal(headers.get('cache-control'), 'no-store')
    const text = textOf(html)
    assert.ok(text.includes(NAME) && !html.includes('<i>"'))
    assert.ok(
      text.includes(`curl -X POST ${site.url}/public/v1/api/projects/list -H 'Authorization: Bearer ${secret}'`),
    )
    const caller = await keyPort(site.store).authenticate(secret, AbortSignal.timeout(10_000))
    assert.deepEqual([caller?.keyId, caller?.organizations], [key?.id, ['north', 'south']])
    assert.deepEqual([key?.name, key?.user, key?.expiresAt], [NAME, ADA.email, now + 30 * DAY_MS])
  })

  it('shows it once: not after a reload, in another session of the user, or to another user', async () => {
    const other = await new Visitor(site.url).enter()
    const stranger = await bob('north')
    const { location } = await create()
    const elsewhere = await other.get(location ?? '')
    assert.deepEqual([elsewhere.status, secretsIn(elsewhere.html)], [200, []])
    assert.equal((await stranger.get(location ?? '')).status, 404)
    assert.equal(secretsIn((await visitor.get(location ?? '')).html).length, 1)
    const again = await visitor.get(location ?? '')
    assert.deepEqual([again.status, secretsIn(again.html)], [200, []])
    assert.match(textOf(again.html), /This key is not shown again .* revoke it and create another/)
    assert.deepEqual(secretsIn((await visitor.get('/')).html), [])
    assert.equal((await listKeys(site.store)).length, 1)
  })

  it('creates one key if a form is sent twice, and another one for the next form', async () => {
    const { html } = await visitor.get('/')
    const fields = { ...KEY, ...hiddenFields(html, '/keys') }
    const [first, second] = await Promise.all([visitor.post('/keys', fields), visitor.post('/keys', fields)])
    assert.equal(first.location, second.location)
    assert.equal((await listKeys(site.store)).length, 1)
    assert.equal(secretsIn((await visitor.get(second.location ?? '')).html).length, 1)
    await create()
    assert.equal((await listKeys(site.store)).length, 2)
  })

  it('offers only the organizations that the user can read now', async () => {
    const { html } = await visitor.get('/')
    assert.deepEqual(
      [...html.matchAll(/name="organization" value="([^"]+)"/g)].map(([, key]) => key),
      ['north', 'south'],
    )
    assert.ok(textOf(html).includes('The “North” & <b>Sons</b> north') && !html.includes('<b>'))
    await revokeOrganizations(site.store, ADA.email, ['north', 'south'])
    const none = await visitor.get('/')
    assert.match(textOf(none.html), /You have no key yet\. .*You do not have access to any organization/)
    assert.equal(none.html.includes('action="/keys"'), false)
    await grantOrganizations(site.store, ADA.email, ['west'])
    assert.match((await visitor.get('/')).html, /value="west" checked/)
  })

  it('lists the keys of the user with organizations, dates and usage, the newest first', async () => {
    await bob('north')
    await createKey(site.store, { user: BOB.email, organizations: ['north'], name: 'Key of Bob' })
    const first = await createKey(site.store, { ...ofAda, name: NAME, expiresAt: now + 100 * DAY_MS })
    now += DAY_MS
    visitor = await new Visitor(site.url).enter()
    await createKey(site.store, { user: ADA.email, organizations: ['north', 'south'], name: 'Second' })
    await revokeOrganizations(site.store, ADA.email, ['south'])
    const uses = { keyId: first.id }
    await recordUsage(site.store, [
      ...Array.from({ length: 1200 }, () => ({ ...uses, at: now - 3 * DAY_MS })),
      { ...uses, outcome: 'INVALID_QUERY', at: now - DAY_MS },
      { ...uses, method: 'download', at: now - DAY_MS + 60_000 },
      { ...uses, at: now - 30 * DAY_MS },
    ])
    const { html } = await visitor.get('/')
    const [, second = '', oldest = ''] = html.split('<li class="card key').map(textOf)
    assert.match(second, / Second .*north south no longer readable Created 22 Nov 2026 Expires Never Last used Never/)
    assert.match(second, /No calls in the last 30 days/)
    assert.ok(oldest.includes(NAME))
    assert.match(oldest, /north Created 21 Nov 2026 Expires 1 Mar 2027 Last used 21 Nov 2026, 12:01 UTC/)
    assert.match(oldest, /1,201 calls 1 failed 1 download 30 days, 1,200 on the busiest/)
    assert.match(oldest, /Day by day .*21 Nov 2026 1 1 19 Nov 2026 1,200 0 /)
    assert.equal(html.includes('Key of Bob'), false)
  })

  it('draws a bar for each of the last thirty days', async () => {
    const { id: keyId } = await createKey(site.store, { ...ofAda, name: 'One' })
    const use = { keyId, method: 'projects/list' }
    const uses = [0, 0, 0, 0, 29, 29].map(daysAgo => ({ ...use, at: now - daysAgo * DAY_MS }))
    await recordUsage(site.store, [...uses, { ...use, method: 'download', at: now - 5 * DAY_MS }])
    const { html } = await visitor.get('/')
    assert.match(html, /role="img" aria-label="Calls and downloads per day, 23 Oct 2026 to 21 Nov 2026"/)
    const days = [...html.matchAll(/<g><title>([^<]+)<\/title>(.*?)<\/g>/gs)]
    assert.deepEqual([days.length, days[0]?.[1]], [30, '23 Oct 2026: 2 calls, 0 downloads'])
    assert.equal(days[24]?.[1], '16 Nov 2026: 0 calls, 1 download')
    assert.equal(days[29]?.[1], '21 Nov 2026: 4 calls, 0 downloads')
    const heights = (kind: string) =>
      days.map(([, , bars = '']) => Number(new RegExp(`class="${kind}".* height="(\\d+)"`).exec(bars)?.[1] ?? 0))
    const [calls, downloads] = [heights('calls'), heights('downloads')]
    assert.deepEqual([calls.filter(Boolean).length, downloads.filter(Boolean).length], [2, 1])
    assert.ok(Number(calls[29]) > Number(calls[0]) && Number(calls[0]) > Number(downloads[24]) && downloads[24])
  })

  it('lists inactive keys separately, without a link to revoke them', async () => {
    await createKey(site.store, { ...ofAda, name: 'Short', expiresAt: now + 1000 })
    now += 1
    const { id } = await createKey(site.store, { ...ofAda, name: 'Gone' })
    await createKey(site.store, { ...ofAda, name: 'Soon over', expiresAt: now + 3 * DAY_MS })
    await revokeKey(site.store, id)
    now += 999
    const { html } = await visitor.get('/')
    const [open = '', ended = ''] = html.split('<details class="ended">').map(textOf)
    assert.match(open, /Soon over Expires in 3 days Revoke Soon over/)
    assert.doesNotMatch(open, /Short|Gone/)
    assert.match(ended, /2 inactive keys .*Gone Revoked .*Revoked 21 Nov 2026 .*Short Expired .*Expired 21 Nov 2026/)
    assert.equal(html.match(/\/revoke"/g)?.length, 1)
    const { status, location } = await visitor.get(`/keys/${id}/revoke`)
    assert.deepEqual([status, location], [303, '/'])
    now += 3 * DAY_MS
    visitor = await new Visitor(site.url).enter()
    assert.match(textOf((await visitor.get('/')).html), /You have no active key/)
  })

  it('shows a bounded number of keys, however many there are, and none of another user', async () => {
    const other = await bob('north')
    const { id: owner } = await site.store.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', ADA.email)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: 1_000 }, (_, at) => ({
      ...{ id: `key-${at}`, user_id: owner, name: `Key ${at}`, hash: `hash ${at}`, created_at: now + at },
      ...{ expires_at: null, revoked_at: at % 2 === 0 ? now : null },
    }))
    await site.store.db.insertInto('keys').values(rows).execute()
    const chosen = rows.map(({ id }) => ({ key_id: id, organization_key: 'north' }))
    await site.store.db.insertInto('key_organizations').values(chosen).execute()
    const names = (html: string) => [...html.matchAll(/<bdi>(Key \d+)<\/bdi>/g)].map(([, name]) => name)
    const first = await visitor.get('/')
    assert.match(
      textOf(first.html),
      /Page 1 of 5, with 500 active keys\. Older keys 500 inactive keys The newest 20 are/,
    )
    assert.equal(names(first.html).length, 120)
    assert.deepEqual([names(first.html)[0], names(first.html)[100]], ['Key 999', 'Key 998'])
    assert.equal(names((await visitor.get('/?page=5')).html)[99], 'Key 1')
    for (const page of ['6', '0', '-1', 'x', '1e9', '999999999'])
      assert.equal(names((await visitor.get(`/?page=${page}`)).html).length, 120)
    assert.deepEqual(names((await other.get('/')).html), [])
    const refused = await create()
    assert.equal(refused.status, 422)
    assert.match(textOf(refused.html), /You have 100 active keys, and can have no more: revoke one first\./)
    assert.match((await other.submit('/', '/keys', { ...KEY, organization: ['north'] })).location ?? '', /created$/)
  })

  it('revokes a key after a confirmation', async () => {
    const { id } = await createKey(site.store, { ...ofAda, name: NAME })
    const page = await visitor.get(`/keys/${id}/revoke`)
    assert.match(textOf(page.html), /Revoke this key\? .*This cannot be undone/)
    assert.ok(textOf(page.html).includes(NAME) && !page.html.includes('<i>'))
    assert.equal((await listKeys(site.store))[0]?.revokedAt, null)
    const revoked = await visitor.submit(`/keys/${id}/revoke`, `/keys/${id}/revoke`)
    assert.deepEqual([revoked.status, revoked.location], [303, `/?revoked=${id}`])
    assert.equal((await listKeys(site.store))[0]?.revokedAt, now)
    assert.ok(textOf((await visitor.get(`/?revoked=${id}`)).html).includes(`“ ${NAME} ” is revoked`))
    for (const other of ['none', '<b>'])
      assert.doesNotMatch((await visitor.get(`/?revoked=${other}`)).html, /is revoked:|<b>/)
  })

  it('neither shows nor revokes the keys of others', async () => {
    const { id } = await createKey(site.store, { ...ofAda, name: 'Key of Ada' })
    const stranger = await bob('north', 'south')
    const { token = '' } = hiddenFields((await stranger.get('/')).html, '/logout')
    const answers = await Promise.all(
      [id, 'none'].flatMap(each => [
        stranger.get(`/keys/${each}/revoke`),
        stranger.get(`/keys/${each}/created`),
        stranger.post(`/keys/${each}/revoke`, { token }),
      ]),
    )
    for (const { status, html } of answers) {
      assert.equal(status, 404)
      assert.equal(html, answers[0]?.html)
    }
    assert.equal((await listKeys(site.store))[0]?.revokedAt, null)
    assert.equal((await stranger.get(`/?revoked=${id}`)).html.includes('Key of Ada'), false)
  })
})
