import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createKey, listKeys } from '#server/store/keys.js'
import { addProject } from '#server/store/projects.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, type Site, startPages } from './site.js'
import { hiddenFields, textOf, Visitor } from './visitor.js'

const PROJECT = '5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'
const KEY = { name: 'Partner', organization: ['north'], lifetime: '30d' }
const scratch = scratchFolder()

describe('the limits of a key on its page', () => {
  let site: Site
  let visitor: Visitor
  before(async () => {
    const text = { type: 'VARCHAR', about: 'About it' }
    const parameters = { customer: { type: 'BIGINT', about: 'Its number' }, name: text }
    const queries = [{ name: 'revenue', version: 1, parameters }]
    const rowLimits = new Map(Object.entries({ department: { type: 'BIGINT' }, country: { type: 'VARCHAR' } }))
    const known = { relations: ['entities', 'fold_risks'], queries, rowLimits }
    site = await startPages(join(scratch.path, 'limits.db'), () => Date.UTC(2026, 10, 21), { known })
    await addProject(site.store, { organization: 'north', name: 'One', id: PROJECT })
    visitor = await new Visitor(site.url).enter()
  })
  after(() => site.close())

  const create = (fields: object) => visitor.submit('/', '/keys', { ...KEY, ...fields })

  it('are stored and shown, with the question before the key is revoked, too', async () => {
    const fields = {
      projects: `${PROJECT}\r\n`,
      method: ['projects/list', 'projects/query'],
      relations: 'entities\r\nfold_risks',
      queries: 'revenue@1',
      parameters: 'customer=17\r\nname=<b>Ada</b>',
      rows: 'department=17\r\ncountry=<b>KEN</b>\r\ndepartment=18',
    }
    assert.equal((await create(fields)).status, 303)
    const key = (await listKeys(site.store)).at(-1)
    assert.deepEqual(key?.limits, {
      projects: [PROJECT],
      methods: ['projects/list', 'projects/query'],
      queries: ['revenue@1'],
      relations: ['entities', 'fold_risks'],
      parameters: { customer: 17, name: '<b>Ada</b>' },
      rows: { department: [17, 18], country: ['<b>KEN</b>'] },
    })
    for (const path of ['/', `/keys/${key?.id}/revoke`]) {
      const { html } = await visitor.get(path)
      const text = textOf(html)
      for (const shown of [
        `Only projects ${PROJECT}`,
        'Only methods projects/list projects/query',
        'Only relations entities fold_risks',
        'Only queries revenue@1',
        'Only values customer=17 name="<b>Ada</b>"',
        'Only rows department=17,18 country="<b>KEN</b>"',
      ])
        assert.ok(text.includes(shown), shown)
      assert.doesNotMatch(html, /<b>(Ada|KEN)/)
    }
  })

  it('are none when the fields are left empty', async () => {
    assert.equal((await create({ projects: '', relations: ' \r\n', rows: '\r\n' })).status, 303)
    assert.equal((await listKeys(site.store)).find(({ limits }) => limits === null)?.name, 'Partner')
    assert.doesNotMatch((await visitor.get('/')).html, /<details class="stack" open>/)
  })

  const WRONG: [field: string, value: string | string[], words: RegExp][] = [
    ['projects', 'One', /"One" is not the id of a project/],
    ['projects', '6f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20', /organizations of the key have no project/],
    ['relations', ' , ', /The catalogue has no relation ","/],
    ['queries', ',', /The catalogue has no named query ","/],
    ['projects', ',,', /",," is not the id of a project/],
    ['relations', 'entities\r\nentity', /The catalogue has no relation "entity"/],
    ['queries', 'revenue@2', /The catalogue has no named query "revenue@2": did you mean "revenue@1"/],
    ['queries', 'a@b@c', /"a@b@c" is no named query/],
    ['parameters', 'customer', /"customer" is no value of a parameter: write name=value\./],
    [
      'rows',
      'department=17\r\ndepartmnt=18',
      /The catalogue has no row limit "departmnt": did you mean "department"\?/,
    ],
    ['rows', 'department=17,KEN', /"KEN" is no value of the row limit "department", which must be a BIGINT/],
    ['rows', 'department=', /"department=" has no list of values: write name=value,value/],
  ]
  for (const [field, value, words] of WRONG)
    it(`are refused next to the field ${field}, with ${JSON.stringify(value)}, and nothing typed is lost`, async () => {
      const made = (await listKeys(site.store)).length
      const fields = { method: ['projects/query'], relations: 'fold_risks', [field]: value }
      const { status, html } = await create(fields)
      assert.equal(status, 422)
      assert.match(textOf(html), words)
      assert.match(html, new RegExp(`id="${field}-problem"`))
      assert.match(html, new RegExp(`aria-describedby="[^"]*${field}-problem"`))
      assert.equal(html.match(/aria-invalid="true" autofocus/g)?.length, 1)
      assert.match(html, /<details class="stack" open>/)
      assert.match(html, /value="projects\/query" checked/)
      for (const line of String(value).split('\r\n')) assert.ok(html.includes(line))
      if (field !== 'relations') assert.match(html, />fold_risks<\/textarea>/)
      assert.match(html, /value="north" checked/)
      assert.equal((await listKeys(site.store)).length, made)
    })

  it('refuse values that the queries do not take', async () => {
    const fields = { queries: 'revenue', parameters: 'customer=Ada' }
    const { status, html } = await create(fields)
    assert.equal(status, 422)
    assert.match(textOf(html), /The value of the parameter "customer" must be a BIGINT/)
    assert.match(textOf((await create({ ...fields, parameters: 'custmer=1' })).html), /did you mean "customer"\?/)
  })

  it('come with a warning beside the new key when it can send SQL that values do not limit', async () => {
    const shown = async (fields: object) =>
      textOf((await visitor.get((await create({ parameters: 'customer=17', ...fields })).location ?? '')).html)
    const warning = /Values limit named queries alone: this key can send SQL of its own/
    assert.match(await shown({}), warning)
    assert.match(await shown({ queries: 'revenue', method: ['projects/query'] }), warning)
    assert.doesNotMatch(await shown({ queries: 'revenue' }), warning)
  })

  it('have a field of rows that names the row limits of the catalogue', async () => {
    const { html } = await visitor.get('/')
    assert.match(
      html,
      /<label for="rows">Rows<\/label>\s*<textarea id="rows" name="rows" [^>]*aria-describedby="rows-hint"/,
    )
    assert.match(html, /id="rows-hint">[^<]* The limits are department \(BIGINT\), country \(VARCHAR\)\.</)
  })

  it('have no field of rows without row limits, but say why rows were refused', async () => {
    const known = { relations: [], queries: [], rowLimits: new Map() }
    const without = await startPages(join(scratch.path, 'none.db'), () => Date.UTC(2026, 10, 21), { known })
    try {
      const user = await new Visitor(without.url).enter()
      assert.doesNotMatch((await user.get('/')).html, /id="rows/)
      const { status, html } = await user.submit('/', '/keys', { ...KEY, rows: 'department=17' })
      assert.equal(status, 422)
      assert.match(textOf(html), /The catalogue has no row limit "department": it has none at all\./)
      assert.match(html, /aria-describedby="rows-hint rows-problem" aria-invalid="true" autofocus>department=17</)
      assert.deepEqual(await listKeys(without.store), [])
    } finally {
      await without.close()
    }
  })

  it('are made by people who have logged in, and by no key', async () => {
    const limits = { rows: { department: [17] } }
    const { key } = await createKey(site.store, { user: ADA.email, organizations: ['north'], limits })
    const made = (await listKeys(site.store)).length
    const stranger = new Visitor(site.url)
    const { token = '' } = hiddenFields((await stranger.get('/')).html, '/login')
    for (const path of ['/keys', '/explore/key']) {
      const { status, html } = await stranger.post(path, { ...KEY, token }, { authorization: `Bearer ${key}` })
      assert.equal(status, 403)
      assert.match(textOf(html), /You are no longer logged in/)
    }
    assert.equal((await listKeys(site.store)).length, made)
  })

  it('refuse a method that is not offered', async () => {
    const { status, html } = await create({ method: ['projects/forget'] })
    assert.equal(status, 422)
    assert.match(textOf(html), /There is no method "projects\/forget"/)
  })

  it('show no call to try with a key that lists no projects', async () => {
    const { location } = await create({ method: ['projects/query'] })
    assert.doesNotMatch((await visitor.get(location ?? '')).html, /curl -X POST/)
  })
})
