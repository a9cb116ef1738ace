import assert from 'node:assert/strict'
import { listKeys, revokeKey } from '../../../../../server/dist/store/keys.js'
import { describeInBrowser, logIn } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { Desk, hearViolations } from './desk.js'

describeInBrowser('the key of the query page in a browser', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  const openDesk = async () => {
    const page = await open()
    await hearViolations(page)
    return new Desk(page)
  }

  it('keeps the key and the query only for its tab, and removes the key on request', async () => {
    const key = await site.key()
    const desk = await (await openDesk()).enter(site.url, key)
    const { page } = desk
    await desk.write('SELECT 42 AS kept')
    await page.reload()
    await desk.ready()
    assert.equal(await desk.text(), 'SELECT 42 AS kept')
    const other = await page.context().newPage()
    await other.goto(`${site.url}/explore`)
    await other.getByLabel('API key').waitFor()
    assert.equal(await other.locator('#workspace').isVisible(), false)
    const stored = () => page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])')
    assert.ok(String(await stored()).includes(key))
    await desk.menu('key-menu')
    await page.getByRole('button', { name: 'Forget key' }).click()
    assert.equal(await page.getByLabel('API key').inputValue(), '')
    assert.equal(String(await stored()).includes(key), false)
    await page.reload()
    assert.equal(await page.locator('#workspace').isVisible(), false)
    assert.deepEqual(desk.complaints, [])
  })

  it('takes the history of queries with it, whether it is forgotten or turns out to be revoked', async () => {
    const desk = await (await openDesk()).enter(site.url, await site.key())
    const { page } = desk
    const history = () => page.evaluate("localStorage.getItem('foldgate history')")
    await desk.run("SELECT 'a secret' AS word", 'Row 1 of 1')
    assert.match(String(await history()), /a secret/)
    const other = await page.context().newPage()
    await other.goto(`${site.url}/explore`)
    await other.getByLabel('API key').fill('fg_nonsense')
    await other.getByLabel('API key').press('Enter')
    await other.locator('#key-problem').waitFor()
    assert.match(String(await history()), /a secret/, 'a key that was mistyped in another tab is not this one')
    await desk.menu('key-menu')
    await page.getByRole('button', { name: 'Forget key' }).click()
    assert.equal(await history(), null)

    const revoke = async () => revokeKey(site.store, (await listKeys(site.store)).at(-1)?.id ?? '')
    await desk.enter(site.url, await site.key())
    await desk.run('SELECT 1 AS one', 'Row 1 of 1')
    await revoke()
    await desk.write('SELECT 2')
    await desk.sql.press('Control+Enter')
    await page.locator('#key-problem').waitFor()
    assert.equal(await history(), null)

    await desk.enter(site.url, await site.key())
    await desk.run('SELECT 3 AS three', 'Row 1 of 1')
    await revoke()
    await page.reload()
    await page.locator('#key-problem').waitFor()
    assert.equal(await history(), null)
    assert.deepEqual(desk.complaints, [])
  })

  it('reports an invalid key when it is entered, and a revoked one at the next query', async () => {
    const desk = await openDesk()
    const { page } = desk
    await page.goto(`${site.url}/explore`)
    for (const [typed, words] of [
      ['', 'Paste a key first.'],
      ['fg_“quoted”', 'A key has only letters, digits and punctuation: copy it again.'],
      ['fg_nonsense', /key/],
    ] as const) {
      await page.getByLabel('API key').fill(typed)
      await page.getByLabel('API key').press('Enter')
      await page.locator('#key-problem', { hasText: words }).waitFor()
      assert.equal(await page.getByLabel('API key').getAttribute('aria-invalid'), 'true')
    }
    await desk.enter(site.url, await site.key())
    const [made] = (await listKeys(site.store)).slice(-1)
    await revokeKey(site.store, made?.id ?? '')
    await desk.write('SELECT 1')
    await desk.sql.press('Control+Enter')
    await page.locator('#key-problem').waitFor()
    assert.equal(await page.locator('#workspace').isVisible(), false)
    assert.equal(await page.evaluate("sessionStorage.getItem('foldgate key')"), null)
    assert.equal(await page.evaluate("sessionStorage.getItem('foldgate sql')"), 'SELECT 1')
    assert.deepEqual(desk.complaints, [])
  })

  it('offers the key and the project of a link, out of the address at once, unless the tab has a key', async () => {
    const desk = await openDesk()
    const { page } = desk
    const key = await site.key()
    await page.goto(`${site.url}/explore`)
    const headers = { authorization: `Bearer ${key}` }
    const listed = await fetch(`${site.url}/public/v1/api/projects/list`, { method: 'POST', headers })
    const { result } = (await listed.json()) as { result: { items: { projectId: string; state: string }[] } }
    const computed = result.items.filter(({ state }) => state === 'computed').map(({ projectId }) => projectId)
    const project = computed.at(-1) ?? ''
    const link = (given: string) => `${site.url}/explore#${new URLSearchParams({ project, key: given })}`
    await page.goto(link(key)) // of the same page, so that only its fragment changes
    await page.getByText('This key came with the link. Use it if you trust whoever sent you the link.').waitFor()
    assert.equal(await page.evaluate("sessionStorage.getItem('foldgate key')"), null)
    assert.ok(!page.url().includes('key'), page.url())
    await page.getByRole('button', { name: 'Use key' }).click()
    await desk.ready()
    await page.locator('#rows tbody tr').first().waitFor() // an example has run
    assert.equal(await page.locator('#project').inputValue(), project)
    assert.ok(!page.url().includes('key'), page.url())
    assert.ok(!String(await page.evaluate('history.state + location.href')).includes(key))
    await page.goto(link('fg_another'))
    await desk.ready()
    assert.equal(await page.evaluate("sessionStorage.getItem('foldgate key')"), key)
    assert.ok(!page.url().includes('fg_another'), page.url())
    const other = new Desk(await page.context().newPage())
    await other.page.goto(link(key))
    await other.page.getByText('This key came with the link.').waitFor()
    await other.page.keyboard.press('Enter')
    await other.ready()
    assert.ok(!other.page.url().includes(key))
    assert.deepEqual([...desk.complaints, ...other.complaints], [])
  })

  it('takes no click before its script runs', async () => {
    const desk = await openDesk()
    const { page } = desk
    await logIn(page, site.url)
    let run = () => {}
    const held = new Promise<void>(resolve => {
      run = resolve
    })
    await page.route('**/main*.js', async route => {
      await held
      await route.continue()
    })
    await page.goto(`${site.url}/explore`, { waitUntil: 'commit' })
    const create = page.getByRole('button', { name: 'Create a key' })
    await create.waitFor()
    assert.ok(await create.isDisabled())
    assert.ok(await page.getByRole('button', { name: 'Use key' }).isDisabled())
    run()
    await create.click()
    await desk.ready()
    assert.match(await page.getByLabel('Your new key').inputValue(), /^fg_/)
    assert.deepEqual(desk.complaints, [])
  })

  it('creates a key for a user who is logged in', async () => {
    const desk = await openDesk()
    const { page } = desk
    await logIn(page, site.url)
    await page.getByRole('link', { name: 'Query', exact: true }).click()
    await page.getByRole('button', { name: 'Create a key' }).click()
    await desk.ready()
    const key = await page.getByLabel('Your new key').inputValue()
    assert.match(key, /^fg_[a-z0-9]{6}_[\w-]{43}$/)
    await desk.run('SELECT 1 AS one', 'Row 1 of 1')
    await page.reload()
    await desk.ready()
    assert.equal((await page.content()).includes(key), false)
    assert.equal(await page.getByLabel('Your new key').isVisible(), false)
    assert.deepEqual(desk.complaints, [])
  })
})
