import assert from 'node:assert/strict'
import { request } from 'node:http'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { listKeys } from '../../../../../server/dist/store/keys.js'
import { addUser, revokeOrganizations } from '../../../../../server/dist/store/users.js'
import { ADA, cheapHash, type Site, startPages } from '../../../../../test/check/pages/site.js'
import { hiddenFields, textOf, Visitor } from '../../../../../test/check/pages/visitor.js'
import { scratchFolder } from '../../../../../test/server/command.js'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 21, 12)
const SPOT = '/explore/key'
const scratch = scratchFolder()

describe('the query page', () => {
  let site: Site
  let visitor: Visitor

  before(async () => {
    site = await startPages(join(scratch.path, 'explore.db'), () => NOW)
    visitor = await new Visitor(site.url).enter()
  })

  after(() => site.close())

  const scripts = (html: string) =>
    [...html.matchAll(/ (?:href|src)="(\/explore\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '')

  it('is open to everyone, and runs only scripts of this server', async () => {
    for (const who of [new Visitor(site.url), visitor]) {
      const { status, headers, html } = await who.get('/explore')
      assert.equal(status, 200)
      assert.equal(
        headers.get('content-security-policy'),
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; require-trusted-types-for 'script'; " +
          "trusted-types 'none'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.deepEqual(html.match(/<script(?! type="module" src="\/explore\/assets\/[\w/-]+\.js"><\/script>)/g), null)
      assert.match(html, /<noscript><p [^>]*>This page needs JavaScript\./)
      assert.deepEqual(html.match(/<style| style=| on\w+=/gi), null)
    }
  })

  it('links to the keys, and the keys link to it', async () => {
    assert.match((await visitor.get('/')).html, /<a href="\/explore">Query<\/a>/)
    const { html } = await visitor.get('/explore')
    assert.match(html, /<a href="\/">Keys<\/a>/)
    assert.match(html, /<a href="\/explore" aria-current="page">Query<\/a>/)
  })

  it('loads at most 250 kB, compressed, all of it from this server', async () => {
    const { html } = await visitor.get('/explore')
    const named = [...html.matchAll(/ (?:href|src)="(\/(?:explore\/)?assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    const [main = ''] = scripts(html)
    assert.match(main, /\/main\.js$/)
    let bytes = gzipSync(html).length
    for (const path of [...named, main.replace('main.js', 'land.json')]) {
      const response = await fetch(`${site.url}${path}`)
      assert.equal(response.status, 200, path)
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      bytes += gzipSync(Buffer.from(await response.arrayBuffer())).length
    }
    assert.equal(scripts(html).length, 1)
    assert.ok(bytes < 250_000, `${bytes} bytes`)
    // A script that imports nothing needs no other file to start.
    const script = await (await fetch(`${site.url}${main}`)).text()
    assert.doesNotMatch(script, /(?:^|[;}\s])import\s*[("'{*]|\bfrom\s*["'][./@\w]/)
  })

  it('comes with the licences of what is in it', async () => {
    const [main = ''] = scripts((await visitor.get('/explore')).html)
    const licences = await (await fetch(`${site.url}${main.replace('main.js', 'licences.txt')}`)).text()
    for (const name of ['@codemirror/view', '@lezer/common', 'd3-scale', 'd3-geo', 'topojson-client', 'world-atlas'])
      assert.match(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\n\\n`, 'm'), name)
  })

  it('serves these files and nothing else', async () => {
    const [main = ''] = scripts((await visitor.get('/explore')).html).filter(path => path.endsWith('/main.js'))
    const folder = main.slice(0, -'/main.js'.length)
    const { port } = new URL(site.url)
    /** Sends the path unchanged; fetch would normalize it. */
    const statusOf = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const get = request({ port, host: '127.0.0.1', path }, response => {
          response.resume()
          resolve(response.statusCode)
        })
        get.on('error', reject).end()
      })
    assert.equal(await statusOf(main), 200)
    for (const path of [
      '',
      '/',
      '/main.d.ts',
      '/main.ts',
      '/.tsbuildinfo',
      '/tsconfig.json',
      '/../pages/index.js',
      '/..%2fpages%2findex.js',
      '/%2e%2e/pages/index.js',
      '/..\\pages\\index.js',
      '/../../../package.json',
      '/main.js%00',
      '/page/main.js',
    ])
      assert.equal(await statusOf(`${folder}${path}`), 404, path)
    for (const path of ['/assets/main.js', `/explore/assets/${'x'.repeat(16)}/main.js`, '/explore/main.js'])
      assert.equal(await statusOf(path), 404, path)
  })

  it('compresses its files for clients that accept gzip', async () => {
    const path = scripts((await visitor.get('/explore')).html).at(-1) ?? ''
    const get = (encoding: string) =>
      new Promise<{ encoding: string | undefined; vary: string | undefined; bytes: Buffer }>((resolve, reject) => {
        const headers = { 'Accept-Encoding': encoding }
        request(`${site.url}${path}`, { headers }, async response => {
          const chunks = await response.toArray()
          const { 'content-encoding': sent, vary } = response.headers
          resolve({ encoding: sent, vary, bytes: Buffer.concat(chunks) })
        })
          .on('error', reject)
          .end()
      })
    const [small, whole] = [await get('br, gzip'), await get('identity')]
    assert.deepEqual([small.encoding, whole.encoding], ['gzip', undefined])
    assert.deepEqual([small.vary, whole.vary], ['Accept-Encoding', 'Accept-Encoding'])
    assert.ok(gunzipSync(small.bytes).equals(whole.bytes))
  })

  it('offers a key to users who are logged in, and says what it will read', async () => {
    const { html } = await visitor.get('/explore')
    assert.match(textOf(html), /it can read The “North” & <b>Sons<\/b> , The South , expires after 7 days/)
    const stranger = await new Visitor(site.url).get('/explore')
    assert.equal(stranger.html.includes(SPOT), false)
    assert.match(textOf(stranger.html), /No key\? Log in and create one/)
  })

  it('creates that key for a week, with its owner’s organizations, shows it once and does not store it', async () => {
    const { status, headers, html } = await visitor.submit('/explore', SPOT)
    assert.equal(status, 201)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    const { key, ...rest } = JSON.parse(html)
    assert.match(key, /^fg_[a-z0-9]{6}_[\w-]{43}$/)
    assert.deepEqual(rest, {})
    const [made] = (await listKeys(site.store)).slice(-1)
    assert.deepEqual(
      [made?.name, made?.user, made?.organizations, made?.expiresAt],
      ['Query page, 21 Nov 2026', ADA.email, ['north', 'south'], NOW + 7 * DAY_MS],
    )
    for (const path of ['/', '/explore', `/keys/${made?.id}/created`])
      assert.equal((await visitor.get(path)).html.includes(key), false, path)
  })

  it('creates none without a session, without its token or from another site', async () => {
    const before = (await listKeys(site.store)).length
    const { token = '' } = hiddenFields((await visitor.get('/explore')).html, SPOT)
    const refused = [
      await visitor.post(SPOT, {}),
      await visitor.post(SPOT, { token: `${token.slice(0, -1)}_` }),
      await visitor.post(SPOT, { token }, { 'sec-fetch-site': 'cross-site' }),
      await visitor.post(SPOT, { token }, { origin: 'https://evil.example' }),
      await new Visitor(site.url).post(SPOT, { token }),
    ]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [403, 403, 403, 403, 403],
    )
    assert.equal((await visitor.get(SPOT)).status, 405)
    assert.equal((await listKeys(site.store)).length, before)
  })

  it('neither offers nor creates one for users who cannot read anything', async () => {
    const eve = { email: 'eve@example.org', password: 'correct horse' }
    await addUser(site.store, { email: eve.email, organizations: ['north'] })
    const password_hash = cheapHash(eve.password)
    await site.store.db.updateTable('users').set({ password_hash }).where('email', '=', eve.email).execute()
    const other = await new Visitor(site.url).enter(eve)
    const { token = '' } = hiddenFields((await other.get('/explore')).html, SPOT)
    await revokeOrganizations(site.store, eve.email, ['north'])
    const { html } = await other.get('/explore')
    assert.equal(html.includes(SPOT), false)
    assert.match(textOf(html), /You do not have access to any organization/)
    assert.deepEqual(await other.post(SPOT, { token }).then(({ status, html }) => [status, html]), [422, '{}'])
  })
})
