import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { listKeys } from '#server/store/keys.js'
import { scratchFolder } from '../../server/command.js'
import { call } from '../../server/server.js'
import { ADA, type Site, startSite } from '../pages/site.js'
import { createKey, describeInBrowser, insecure, logIn } from './browser.js'

const shell = promisify(execFile)
const PHONE = { viewport: { width: 390, height: 844 } }
const scratch = scratchFolder()

describeInBrowser('the key page in a browser', open => {
  let site: Site
  before(async () => {
    site = await startSite(scratch.path)
  })
  after(() => site.close())

  /** Runs the page's curl command in a shell; returns the names of the projects that it lists. */
  async function runCurl(page: Page): Promise<string[]> {
    const line = await page.getByLabel('Try it in a terminal').inputValue()
    const { stdout } = await shell('sh', ['-c', `${line} --silent`])
    return JSON.parse(stdout).result.items.map(({ name }: { name: string }) => name)
  }

  async function revoke(page: Page, name: string): Promise<void> {
    await page.getByRole('link', { name: `Revoke ${name}` }).click()
    await page.getByRole('heading', { name: 'Revoke this key?' }).waitFor()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText(`“${name}” is revoked`).waitFor()
  }

  /** Collects the errors and console messages of a page. */
  function complaintsOf(page: Page): string[] {
    const complaints: string[] = []
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    return complaints
  }

  it('creates a key, copies it, shows a curl command that works, and revokes the key', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const complaints = complaintsOf(page)
    await logIn(page, site.url)
    await createKey(page, 'With script')
    const key = await page.getByLabel('Key', { exact: true }).inputValue()
    const copied = () => page.evaluate('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy key' }).click()
    await page.locator('#key-said', { hasText: 'Copied' }).waitFor()
    assert.equal(await copied(), key)
    await page.getByRole('button', { name: 'Copy command' }).click()
    await page.locator('#curl-said', { hasText: 'Copied' }).waitFor()
    assert.equal(await copied(), await page.getByLabel('Try it in a terminal').inputValue())
    assert.deepEqual(await runCurl(page), ['Project of south'])
    await page.reload()
    await page.getByRole('heading', { name: 'This key is not shown again' }).waitFor()
    assert.equal((await page.content()).includes(key), false)
    await page.getByRole('link', { name: 'Back to your keys' }).click()
    await revoke(page, 'With script')
    assert.equal((await call(site.url, key, 'list')).status, 401)
    assert.deepEqual(complaints, [])
    const { name, httpOnly, sameSite } = (await page.context().cookies())[0] ?? {}
    assert.deepEqual([name, httpOnly, sameSite], ['foldgate', true, 'Lax'])
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.goBack()
    assert.equal((await page.content()).includes(ADA.email), false)
  })

  it('copies even without the clipboard API, which only secure pages have', async () => {
    const page = await open()
    await logIn(page, insecure(site.url, 'data'))
    await createKey(page, 'Plain')
    assert.equal(await page.evaluate('navigator.clipboard'), undefined)
    await page.getByRole('button', { name: 'Copy key' }).click()
    await page.locator('#key-said', { hasText: 'Copied' }).waitFor()
    const key = await page.getByLabel('Key', { exact: true }).inputValue()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByLabel('Name').press('Control+V')
    assert.equal(await page.getByLabel('Name').inputValue(), key)
  })

  it('works without script, except for copying, whose buttons are not shown', async () => {
    const page = await open({ javaScriptEnabled: false })
    await logIn(page, site.url)
    await createKey(page, 'Without script')
    assert.equal(await page.getByRole('button', { name: /Copy/ }).count(), 0)
    assert.deepEqual(await runCurl(page), ['Project of south'])
    const key = await page.getByLabel('Key', { exact: true }).inputValue()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await revoke(page, 'Without script')
    assert.equal((await call(site.url, key, 'list')).status, 401)
    await page.getByText(/inactive keys?/).click()
    assert.ok(await page.getByRole('heading', { name: 'Without script' }).isVisible())
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
  })

  it('works with the keyboard alone', async () => {
    const page = await open()
    const { keyboard } = page
    const focused = () => page.evaluate('document.activeElement.name || document.activeElement.innerText')
    const tabTo = async (wanted: string | RegExp) => {
      for (let steps = 0; steps < 30; steps++) {
        await keyboard.press('Tab')
        const at = String(await focused())
        if (typeof wanted === 'string' ? at === wanted : wanted.test(at)) {
          const style = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
          assert.equal(style, 'solid', `the focus on ${at} is seen`)
          return
        }
      }
      assert.fail(`Tab does not reach ${wanted}`)
    }
    const press = async (key: string, heading: string) => {
      await keyboard.press(key)
      await page.getByRole('heading', { name: heading }).waitFor()
    }
    await page.goto(site.url)
    await page.locator('#email:focus').waitFor()
    await keyboard.type(ADA.email)
    await tabTo('password')
    await keyboard.type(ADA.password)
    await press('Enter', 'API keys')
    await tabTo('name')
    await keyboard.type('By keyboard')
    await tabTo('organization')
    await keyboard.press('Space')
    await tabTo('lifetime')
    await keyboard.press('ArrowUp')
    await tabTo('Create key')
    await press('Enter', 'Your new key')
    await tabTo('Copy key')
    await tabTo('I have copied it')
    await press('Enter', 'API keys')
    const [made] = (await listKeys(site.store)).slice(-1)
    assert.deepEqual([made?.name, made?.organizations], ['By keyboard', ['north']])
    assert.equal(Math.round((Number(made?.expiresAt) - Number(made?.createdAt)) / 86_400_000), 30)
    await tabTo(/^Revoke\s+By keyboard$/)
    await press('Enter', 'Revoke this key?')
    await tabTo('Revoke key')
    await press('Enter', 'API keys')
    assert.ok((await listKeys(site.store)).at(-1)?.revokedAt)
    await tabTo('Log out')
    await press('Enter', 'Log in')
  })

  it('fits a phone without scrolling sideways, even with long names', async () => {
    const page = await open(PHONE)
    const assertFits = async () => {
      const [content, width] = (await page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )) as [number, number]
      assert.ok(content <= width && width === PHONE.viewport.width, `${page.url()}: ${content} in ${width}`)
    }
    await page.goto(site.url)
    await assertFits()
    await logIn(page, site.url)
    await assertFits()
    await createKey(page, 'x'.repeat(200))
    await assertFits()
    await page.reload()
    await assertFits()
    await page.getByRole('link', { name: 'Back to your keys' }).click()
    await assertFits()
    await page.getByRole('link', { name: 'Create a key' }).click()
    assert.ok(await page.getByLabel('Name').isVisible())
    await page.getByRole('link', { name: /^Revoke x/ }).click()
    await assertFits()
    await page.getByRole('link', { name: 'Password' }).click()
    await page.getByRole('heading', { name: 'Change your password' }).waitFor()
    await assertFits()
  })

  it('shows what is wrong next to the form, and keeps the input', async () => {
    const page = await open(PHONE)
    await logIn(page, site.url)
    await page.getByLabel('Name').fill('Kept')
    await page.getByLabel('Lifetime').selectOption('1 year')
    await page.getByRole('button', { name: 'Create key' }).click()
    const wrong = page.getByText('Choose at least one organization.')
    await wrong.waitFor()
    await page.waitForFunction("document.activeElement.name === 'organization'")
    const box = await wrong.boundingBox()
    assert.ok(box && box.y >= 0 && box.y < PHONE.viewport.height)
    assert.equal(await page.getByLabel('Name').inputValue(), 'Kept')
    assert.equal(await page.getByLabel('Lifetime').inputValue(), '365d')
  })

  it('accepts its own forms, and refuses those of other sites, when the browser sends only the origin', async () => {
    const url = insecure(site.url, 'data')
    const foreign = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(`<form method="post" action="${url}/login"><button>Go</button></form>`)
    }).listen(0, '127.0.0.1')
    await once(foreign, 'listening')
    const page = await open()
    const posted: (string | undefined)[][] = []
    page.on('request', async request => {
      const headers = await request.allHeaders()
      if (request.method() === 'POST') posted.push([headers['sec-fetch-site'], headers.origin])
    })
    await logIn(page, url)
    const { port } = foreign.address() as AddressInfo
    await page.goto(insecure(`http://127.0.0.1:${port}`, 'evil'))
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByText('Another site has sent this form, so nothing was done.').waitFor()
    assert.deepEqual(posted, [
      [undefined, url],
      [undefined, insecure(`http://127.0.0.1:${port}`, 'evil')],
    ])
    foreign.close()
  })
})
