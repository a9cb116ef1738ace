import assert from 'node:assert/strict'
import { join } from 'node:path'
import { listKeys } from '#server/store/keys.js'
import { scratchFolder } from '../../server/command.js'
import { type Site, startPages } from './site.js'
import { textOf, Visitor } from './visitor.js'

const DAY_MS = 86_400_000
const NAME = 'Nightly <i>"report"</i> & more'
const NAME_ESCAPED = 'Nightly &#60;i&#62;&#34;report&#34;&#60;/i&#62; &#38; more'
const KEY = { name: NAME, organization: ['south'], lifetime: '30d' }
const scratch = scratchFolder()

describe('the form that creates a key', () => {
  let now = Date.UTC(2026, 10, 21, 12)
  let site: Site
  let visitor: Visitor

  before(async () => {
    site = await startPages(join(scratch.path, 'create.db'), () => now)
    visitor = await new Visitor(site.url).enter()
  })

  after(() => site.close())

  const create = (fields: object = {}) => visitor.submit('/', '/keys', { ...KEY, ...fields })

  const LIFETIMES: Record<string, number | null> = { '7d': 7, '30d': 30, '90d': 90, '365d': 365, never: null }
  for (const [lifetime, days] of Object.entries(LIFETIMES)) {
    it(`lets a key last ${lifetime}`, async () => {
      assert.equal((await create({ lifetime })).status, 303)
      now += 1
      const key = (await listKeys(site.store)).at(-1)
      assert.equal(key?.expiresAt, days === null ? null : now - 1 + days * DAY_MS)
    })
  }

  const WRONG: [string, object, RegExp, string][] = [
    ['no name', { name: '  ' }, /The name of the key is empty: give one\./, 'name'],
    ['a name too long', { name: 'x'.repeat(201) }, /is longer than 200 characters: shorten it\./, 'name'],
    ['a name with a control character', { name: 'a\u0007b' }, /has a control character in it: leave it out\./, 'name'],
    ['no organization', { organization: [] }, /Choose at least one organization\./, 'organization'],
    [
      'an organization that the owner cannot read',
      { organization: ['north', 'west'] },
      /do not have access to one of these/,
      'organization',
    ],
    ['an unknown organization', { organization: ['nowhere'] }, /do not have access to one of these/, 'organization'],
    ['no lifetime', { lifetime: '' }, /Choose how long the key lasts\./, 'lifetime'],
    ['a lifetime that is not offered', { lifetime: '99999d' }, /Choose how long the key lasts\./, 'lifetime'],
    ['an inherited property as lifetime', { lifetime: 'constructor' }, /Choose how long the key lasts\./, 'lifetime'],
  ]
  for (const [what, fields, words, field] of WRONG) {
    it(`refuses ${what}, says so next to the field and keeps the input`, async () => {
      const made = (await listKeys(site.store)).length
      const { status, html } = await create(fields)
      assert.equal(status, 422)
      assert.match(textOf(html), words)
      assert.match(html, new RegExp(`id="${field}-problem"`))
      assert.match(html, new RegExp(`aria-describedby="[^"]*${field}-problem"`))
      assert.equal(html.match(/aria-invalid="true" autofocus/g)?.length, 1)
      assert.equal(html.match(/ class="problem"/g)?.length, 1)
      if (field !== 'name') assert.ok(html.includes(`value="${NAME_ESCAPED}"`))
      if (field !== 'organization') assert.match(html, /value="south" checked/)
      if (field !== 'lifetime') assert.match(html, /value="30d" selected/)
      assert.equal((await listKeys(site.store)).length, made)
    })
  }
})
