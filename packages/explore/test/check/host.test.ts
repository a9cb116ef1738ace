import assert from 'node:assert/strict'
import type { HttpRequest } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { explorePage, type Offers } from 'foldgate-explore'
import { pageFor } from '../../../../examples/guides/explore.js'
import { describeInBrowser } from '../../../../test/check/browser/browser.js'
import type { Mount } from '../../../../test/service/mount.js'
import { KEYS, type Service, type ServiceOptions, startService } from '../../../../test/service/service.js'
import { SHOP, shop } from '../../../../test/service/shop.js'
import { Desk } from './browser/desk.js'

/** A host on `node:http` that has the API below a path, and a page of its own beside it. */
const mount: Mount = {
  prefix: '/analytics',
  host: api => {
    const answer = toNodeHandler(api)
    return { request: (request, response) => answer(request, response, () => response.end('the host')) }
  },
}
const OFFERS: Offers = {
  account: '/account',
  keys: { path: '/keys', token: 'a token', reads: ['The <North>'] },
  queries: { path: '/queries', token: 'a token' },
}

const start = (options: ServiceOptions) => startService({ mount, ...options })
const textOf = async (url: string) => (await fetch(url)).text()

describe('the query page of a host', () => {
  let service: Service
  let seen: HttpRequest[]
  let offers: () => Offers | Promise<Offers>
  before(async () => {
    const explore = explorePage({
      title: 'Acme & <Sons>',
      home: '/',
      offers: request => {
        seen.push(request)
        return offers()
      },
    })
    service = await start({ explore })
  })
  beforeEach(() => {
    seen = []
    offers = () => ({})
  })
  after(() => service.close())

  it('is at /explore below the API, with the name of the host, and what is beside it is the host’s', async () => {
    const response = await fetch(`${service.url}/explore`)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    const html = await response.text()
    assert.match(html, /<title>Query · Acme &#38; &#60;Sons&#62;<\/title>/)
    assert.match(html, /<a class="brand" href="\/">Acme &#38; &#60;Sons&#62;<\/a>/)
    for (const path of ['/explorer', '/explore/', '/explore/assets', '/explore/queries', '/explore/key'])
      assert.equal(await textOf(service.url + path), 'the host', path)
    assert.equal(await textOf(new URL('/explore', service.url).href), 'the host')
  })

  it('has the headers of a page that nothing can be put into', async () => {
    const { headers } = await fetch(`${service.url}/explore?x=1`)
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; require-trusted-types-for 'script'; " +
        "trusted-types 'none'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    for (const [name, value] of Object.entries({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    }))
      assert.equal(headers.get(name), value, name)
  })

  it('loads files that never change, compressed, and no others', async () => {
    const html = await textOf(`${service.url}/explore`)
    const named = [...html.matchAll(/ (?:href|src)="([^"]+\.(?:css|js))"/g)].map(([, path]) => path ?? '')
    assert.equal(named.length, 3)
    const main = named.at(-1) ?? ''
    for (const path of [...named, main.replace('main.js', 'land.json')]) {
      assert.match(path, /^\/analytics\/explore\/assets\/[\w-]{16}\//)
      const { status, headers } = await fetch(new URL(path, service.url))
      assert.equal(status, 200, path)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('vary'), 'Accept-Encoding')
      assert.ok(headers.get('content-encoding'))
    }
    for (const path of [main.replace('main.js', 'index.js'), main.replace(/[\w-]{16}/, 'x'.repeat(16)), `${main}%00`]) {
      const response = await fetch(new URL(path, service.url))
      assert.deepEqual([response.status, ((await response.json()) as { class: string }).class], [404, 'NOT_FOUND'])
    }
  })

  it('is read with GET and HEAD', async () => {
    const head = await fetch(`${service.url}/explore`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    const post = await fetch(`${service.url}/explore`, { method: 'POST' })
    assert.deepEqual([post.status, ((await post.json()) as { class: string }).class], [400, 'INVALID_REQUEST'])
  })

  it('has nothing of keys that are created, of logins and of saved queries unless the host offers them', async () => {
    const html = await textOf(`${service.url}/explore`)
    assert.doesNotMatch(html, /method="post"|type="hidden"|log in|make-key|save-query|saved/i)
    offers = async () => OFFERS
    const offered = await textOf(`${service.url}/explore`)
    assert.match(
      offered,
      /<form id="make-key" [^>]*action="\/keys">\n<input type="hidden" name="token" value="a token">/,
    )
    assert.match(offered, /it can read <bdi>The &#60;North&#62;<\/bdi> and is listed with <a href="\/account"/)
    assert.match(offered, /<form id="save-query" [^>]*action="\/queries">/)
    offers = () => ({ account: '/account' })
    const known = await textOf(`${service.url}/explore`)
    assert.doesNotMatch(known, /method="post"|type="hidden"|make-key|save-query/)
    assert.equal(known.match(/href="\/account"/g)?.length, 2)
  })

  it('tells the host which visitor it is for', async () => {
    await fetch(`${service.url}/explore`, { headers: { cookie: 'session=1' } })
    assert.deepEqual(
      seen.map(({ header }) => header('cookie')),
      ['session=1'],
    )
  })

  it('is a fault when the host fails, of which the visitor learns a reference alone', async () => {
    offers = async () => {
      throw new Error('no sessions')
    }
    const response = await fetch(`${service.url}/explore`)
    const body = await response.text()
    assert.deepEqual([response.status, body.includes('no sessions')], [500, false])
    assert.ok(service.events.some(event => 'cause' in event && String(event.cause).includes('no sessions')))
  })

  it('tells the host of an offer that does not exist', async () => {
    offers = () => ({ key: { path: '/keys' } }) as never
    assert.equal((await fetch(`${service.url}/explore`)).status, 500)
    const told = /offers has no option key: did you mean keys\?/
    assert.ok(service.events.some(event => 'cause' in event && told.test(String(event.cause))))
  })

  it('needs no option, and refuses one that it does not have', () => {
    assert.ok(explorePage())
    assert.throws(() => explorePage({ titel: 'x' } as never), /explorePage has no option titel: did you mean title\?/)
  })

  it('is not there without the option', async () => {
    const other = await start({})
    try {
      assert.equal(await textOf(`${other.url}/explore`), 'the host')
    } finally {
      await other.close()
    }
  })
})

describe('the query page of the guide', () => {
  it('offers keys to users who are logged in, and the login to others', async () => {
    const session = { company: 'The North', formToken: 'a token' }
    const sessions = { find: async (cookie: string | null) => (cookie === 'session=1' ? session : null) }
    const service = await start({ explore: pageFor(sessions) })
    try {
      const htmlFor = async (cookie: string) => (await fetch(`${service.url}/explore`, { headers: { cookie } })).text()
      const html = await htmlFor('session=1')
      assert.match(html, /action="\/account\/keys">\n<input type="hidden" name="token" value="a token">/)
      assert.match(
        html,
        /it can read <bdi>The North<\/bdi>, expires after 7 days and is listed with <a href="\/account"/,
      )
      assert.match(await htmlFor('session=2'), /No key\? <a href="\/login"/)
    } finally {
      await service.close()
    }
  })
})

describeInBrowser('the query page of a host, in a browser', open => {
  let service: Service
  before(async () => {
    const explore = Promise.resolve(explorePage({ title: 'Acme' }))
    service = await start({ catalogue: shop, files: SHOP, explore })
  })
  after(() => service.close())

  for (const colorScheme of ['light', 'dark'] as const)
    it(`answers queries with a key, as the API does, ${colorScheme}`, async () => {
      const page = await open({ colorScheme, viewport: { width: 1280, height: 800 } })
      const desk = new Desk(page)
      await page.goto(`${service.url}/explore`)
      await desk.enter(service.url, KEYS.north)
      await desk.rows.first().waitFor()
      await desk.run('SELECT i FROM range(3) t(i)', 'Rows 1 to 3 of 3')
      assert.deepEqual(await desk.rows.allTextContents(), ['10', '21', '32'])
      await desk.menu('sealed')
      assert.match((await page.locator('#sealed-about').textContent()) ?? '', /Snapshot 000001-/)
      await page.keyboard.press('Escape')
      await desk.menu('queries-menu')
      assert.doesNotMatch(await page.locator('#queries-menu').innerText(), /save/i)
      await page.keyboard.press('Escape')
      await desk.tab('Call')
      assert.ok((await page.locator('#call').textContent())?.includes(`${service.url}/public/v1/api/projects/query`))
      assert.deepEqual(desk.complaints, [])
    })
})
