import assert from 'node:assert/strict'
import { join } from 'node:path'
import { listKeys } from '#server/store/keys.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, type Site, startPages } from './site.js'
import { hiddenFields, textOf, Visitor } from './visitor.js'

const scratch = scratchFolder()
const KEY = { name: 'nightly', organization: 'north', lifetime: '30d' }

describe('the forms of the pages', () => {
  let site: Site
  let visitor: Visitor

  before(async () => {
    site = await startPages(join(scratch.path, 'forms.db'), Date.now)
    visitor = await new Visitor(site.url).enter()
  })

  after(() => site.close())

  const keys = async () => (await listKeys(site.store)).length
  const ownToken = async (who = visitor, path = '/keys') => hiddenFields((await who.get('/')).html, path).token ?? ''

  it('do nothing without the token of the session', async () => {
    const own = await ownToken()
    const other = await ownToken(await new Visitor(site.url).enter())
    const before = await ownToken(new Visitor(site.url), '/login')
    for (const token of ['', 'x', other, before, own.slice(0, -1), `${own}x`, [...own].reverse().join('')]) {
      const { status, html } = await visitor.post('/keys', { ...KEY, token })
      assert.equal(status, 403, token)
      assert.match(textOf(html), /This form was out of date, and nothing was done/)
      assert.equal((await visitor.post('/logout', { token })).status, 403)
    }
    assert.equal((await visitor.post('/keys', KEY)).status, 403)
    assert.equal(await keys(), 0)
    assert.ok((await visitor.get('/')).html.includes('Log out'))
  })

  it('refuse a login without the token of the login form', async () => {
    const stranger = new Visitor(site.url)
    for (const token of ['', await ownToken(visitor, '/logout'), await ownToken(new Visitor(site.url), '/login')]) {
      const { status, html } = await stranger.post('/login', { ...ADA, token })
      assert.equal(status, 403)
      assert.match(textOf(html), /out of date, or your browser blocks cookies/)
      assert.ok(html.includes(`value="${ADA.email}"`))
    }
    assert.equal((await stranger.submit('/', '/login', ADA)).status, 303)
  })

  const FOREIGN: [string, Record<string, string>][] = [
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of the same site', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['an origin that is not named', { origin: 'null' }],
  ]
  for (const [name, headers] of FOREIGN) {
    it(`are refused from ${name}, even with a valid token`, async () => {
      for (const [path, fields] of [
        ['/keys', KEY],
        ['/logout', {}],
      ] as const) {
        const { status, html } = await visitor.submit('/', path, fields, headers)
        assert.equal(status, 403)
        assert.match(textOf(html), /Another site has sent this form, so nothing was done/)
      }
      const stranger = new Visitor(site.url)
      const login = await stranger.submit('/', '/login', ADA, headers)
      assert.deepEqual([login.status, login.headers.getSetCookie()], [403, []])
      assert.equal(await keys(), 0)
      assert.ok((await visitor.get('/')).html.includes('Log out'))
    })
  }

  it('are accepted from this origin, however the browser names it', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, { origin: site.url }]) {
      const stranger = new Visitor(site.url)
      assert.equal((await stranger.submit('/', '/login', ADA, headers)).status, 303)
    }
  })

  it('are accepted from the configured origin behind a proxy that changes the host', async () => {
    const baseUrl = 'http://data.example.org'
    const proxied = await startPages(join(scratch.path, 'proxied.db'), Date.now, { baseUrl })
    const { status } = await new Visitor(proxied.url).submit('/', '/login', ADA, { origin: baseUrl })
    assert.equal(status, 303)
    await proxied.close()
  })

  it('must be urlencoded, in UTF-8 and of a size that people type', async () => {
    const post = async (body: string | FormData | Buffer, type = 'application/x-www-form-urlencoded') => {
      const response = await fetch(`${site.url}/login`, { method: 'POST', body, headers: { 'content-type': type } })
      return [response.status, /role="alert">([^<]*)/.exec(await response.text())?.[1]]
    }
    assert.deepEqual(await post('{}', 'application/json'), [
      415,
      'This page accepts only forms: send application/x-www-form-urlencoded.',
    ])
    assert.equal((await post(new FormData(), 'multipart/form-data; boundary=x'))[0], 415)
    assert.deepEqual(await post(`email=${'a'.repeat(2_000_000)}`), [
      413,
      'The form is too large: shorten what you typed.',
    ])
    assert.deepEqual(await post(Buffer.from([0x65, 0x3d, 0xff])), [400, 'The form is not valid UTF-8: send it again.'])
  })

  it('must be posted: a GET changes nothing', async () => {
    for (const path of ['/login', '/logout', '/keys']) assert.equal((await visitor.get(path)).status, 405)
    assert.equal((await visitor.post('/', {})).status, 405)
    assert.ok((await visitor.get('/')).html.includes('Log out'))
  })
})

describe('the headers of the pages', () => {
  let site: Site
  before(async () => {
    site = await startPages(join(scratch.path, 'headers.db'), Date.now)
  })
  after(() => site.close())

  const STRICT: Record<string, string> = {
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
  const strictOf = (headers: Headers) => Object.fromEntries(Object.keys(STRICT).map(name => [name, headers.get(name)]))

  it('forbid other origins, scripts and caching in every answer', async () => {
    const visitor = new Visitor(site.url)
    const login = await visitor.get('/')
    const wrong = await visitor.post('/login', {})
    const redirected = await visitor.submit('/', '/login', ADA)
    const missing = await visitor.get('/keys/none/revoke')
    const statuses = [login, wrong, redirected, missing].map(({ status }) => status)
    assert.deepEqual(statuses, [200, 403, 303, 404])
    for (const { headers } of [login, wrong, redirected, missing, await visitor.get('/')])
      assert.deepEqual(strictOf(headers), STRICT)
  })

  it('allow the one script on a page with something to copy', async () => {
    const visitor = await new Visitor(site.url).enter()
    const { location } = await visitor.submit('/', '/keys', KEY)
    const { headers, html } = await visitor.get(location ?? '')
    const policy = STRICT['content-security-policy']?.replace(
      "form-action 'self'",
      "script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; form-action 'self'",
    )
    assert.deepEqual(strictOf(headers), { ...STRICT, 'content-security-policy': policy })
    assert.equal(html.match(/<script/g)?.length, 1)
    assert.match(html, /<script src="\/assets\/[\w-]{16}\.js" defer><\/script>/)
  })

  it('let browsers cache the files of the pages for ever, as their names depend on their content', async () => {
    const { html } = await new Visitor(site.url).get('/')
    const paths = [...html.matchAll(/ href="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    assert.deepEqual(paths.map(path => path.split('.')[1]).sort(), ['css', 'svg'])
    for (const path of paths) {
      const { headers, status } = await fetch(`${site.url}${path}`)
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', path.endsWith('css') ? /^text\/css/ : /^image\/svg\+xml/)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    }
    assert.equal((await fetch(`${site.url}/assets/other.css`)).status, 404)
  })
})
