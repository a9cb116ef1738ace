import assert from 'node:assert/strict'
import { SAVED_QUERIES_PER_PAGE, saveQuery } from '#explore/server/saved-queries.js'
import { dbOf } from '#explore/server/tables.js'
import { findUser } from '../../../../../server/dist/store/users.js'
import { describeInBrowser, logIn } from '../../../../../test/check/browser/browser.js'
import { ADA } from '../../../../../test/check/pages/site.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { callIn, Desk, hearViolations } from './desk.js'

const SQL = "SELECT 'shared & é' AS word,\n  1 AS one -- #end"

describeInBrowser('queries that are shared and kept, in a browser', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  const openDesk = async (options = {}) => {
    const page = await open(options)
    await hearViolations(page)
    return new Desk(page)
  }

  it('show a first result to a newcomer with a key, in less than ten seconds', async () => {
    const desk = await openDesk()
    await desk.page.goto(`${site.url}/explore`)
    const started = Date.now()
    await desk.page.getByLabel('API key').fill(await site.key())
    await desk.page.keyboard.press('Enter')
    await desk.rows.first().waitFor()
    assert.ok(Date.now() - started < 10_000)
    assert.match(await desk.text(), /FROM dash_ipbes/)
  })

  it('travel in a link, which does not hold the key and does not run by itself', async () => {
    const key = await site.key()
    const desk = await (await openDesk({ permissions: ['clipboard-read', 'clipboard-write'] })).enter(site.url, key)
    const { page } = desk
    await desk.menu('view-menu')
    await page.getByLabel('Gross').check()
    await desk.write(SQL)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    assert.equal(link.includes(key), false)
    await desk.run(SQL, 'Row 1 of 1')
    assert.equal(page.url(), link, 'the address is that of the query that ran')

    const other = await openDesk()
    const asked: string[] = []
    other.page.on('request', request => callIn(request) && asked.push(request.postData() ?? ''))
    await other.page.goto(link)
    await other.page.getByLabel('API key').fill(await site.key())
    await other.page.keyboard.press('Enter')
    await other.ready()
    assert.equal(await other.text(), SQL)
    assert.equal(await other.page.locator('#view-told').innerText(), 'The whole project, gross')
    await other.page.getByText('This query came with the link. Read it, then run it.').waitFor()
    assert.deepEqual(
      asked.filter(body => body.includes('shared')),
      [],
    )
    await other.page.getByRole('button', { name: 'Run', exact: true }).click()
    await other.heading('Row 1 of 1')
    // What was typed after the link was opened outlives a reload.
    await other.write('SELECT 3')
    await other.page.reload()
    await other.ready()
    assert.equal(await other.text(), 'SELECT 3')
    assert.deepEqual([...desk.complaints, ...other.complaints], [])
  })

  it('open from a link that is pasted over another one, and from one whose project the key cannot read', async () => {
    const desk = await (await openDesk()).enter(site.url, await site.key())
    const { page } = desk
    const [project] = /project=[\w-]+/.exec(page.url()) ?? assert.fail(page.url())
    await page.goto(`${site.url}/explore#${project}&sql=SELECT+5`)
    await page.getByText('This query came with the link. Read it, then run it.').waitFor()
    await desk.ready()
    assert.equal(await desk.text(), 'SELECT 5')
    await page.goto(`${site.url}/explore#project=2aa8eb4e-0000-4000-8000-000000000000&sql=SELECT+6`)
    await page.getByText(/^This key cannot read the project that the link is for\./).waitFor()
    assert.equal(await desk.text(), 'SELECT 6')
  })

  it('open from a link where the browser blocks storage', async () => {
    const desk = await (await openDesk()).enter(site.url, await site.key())
    const [project] = /project=[\w-]+/.exec(desk.page.url()) ?? assert.fail(desk.page.url())
    const other = await openDesk()
    await other.page.addInitScript(`for (const name of ['sessionStorage', 'localStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError') } })`)
    await other.page.goto(`${site.url}/explore#${project}&sql=SELECT+5+AS+five`)
    await other.page.getByLabel('API key').fill(await site.key())
    await other.page.keyboard.press('Enter')
    await other.ready()
    assert.equal(await other.text(), 'SELECT 5 AS five')
    await other.page.getByRole('button', { name: 'Run', exact: true }).click()
    await other.heading('Row 1 of 1')
    assert.deepEqual(other.complaints, [])
  })

  it('are listed once each in the history, the latest first, also after a reload', async () => {
    const desk = await (await openDesk()).enter(site.url, await site.key())
    const { page } = desk
    await desk.run('SELECT 1 AS first', 'Row 1 of 1')
    await desk.run('SELECT 2 AS second;\n-- a comment', 'Row 1 of 1')
    await desk.run('SELECT 1 AS first', 'Row 1 of 1')
    await desk.refused('SELECT nothing')
    await page.reload()
    await desk.ready()
    await desk.menu('queries-menu')
    await page.locator('#history li').nth(2).waitFor()
    const listed = await page.locator('#history code').allTextContents()
    assert.deepEqual(listed.slice(0, 2), ['SELECT 1 AS first', 'SELECT 2 AS second;\n-- a comment'])
    assert.equal(listed.length, 3, 'the third is the example of the first visit')
    await page.locator('#history button').nth(1).click()
    assert.equal(await desk.text(), 'SELECT 2 AS second;\n-- a comment')
    assert.equal(await page.evaluate('document.activeElement.id'), 'run')
    await desk.menu('queries-menu')
    await page.getByRole('button', { name: 'Clear the history' }).click()
    await page.getByText('Queries that you run are listed here.').waitFor()
    assert.equal(await page.locator('#history li').count(), 0)
  })

  it('are saved for their user or an organization, and removed', async () => {
    const desk = await openDesk()
    const { page } = desk
    await logIn(page, site.url)
    await page.getByRole('link', { name: 'Query', exact: true }).click()
    await page.getByRole('button', { name: 'Create a key' }).click()
    await desk.ready()
    await desk.write(SQL)
    await desk.menu('queries-menu')
    const save = async (name: string) => {
      await page.getByLabel('Name', { exact: true }).fill(name)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
    }
    await save('<b>Mine</b>')
    const saved = page.locator('#saved li')
    await saved.first().waitFor()
    assert.equal(await saved.locator('.about-it').innerText(), '<b>Mine</b> · only you')
    await save('')
    await page.locator('#save-problem', { hasText: /name/ }).waitFor()
    await page.getByLabel('For', { exact: true }).selectOption({ index: 1 })
    await save('Ours')
    await page.locator('#saved', { hasText: 'Ours · shared with ' }).waitFor()
    assert.equal(await saved.count(), 2)
    await page.keyboard.press('Escape')
    await desk.write('SELECT 7')
    await desk.menu('queries-menu')
    await saved.filter({ hasText: 'Mine' }).getByRole('button').first().click()
    await page.locator('#queries-menu:not([open])').waitFor()
    assert.equal(await desk.text(), SQL)
    assert.equal(await page.evaluate('document.activeElement.id'), 'run')
    await desk.menu('queries-menu')
    await page.getByRole('button', { name: 'Remove Ours' }).click()
    await page.getByRole('button', { name: 'Remove Ours' }).waitFor({ state: 'detached' })
    assert.equal(await saved.count(), 1)
    assert.deepEqual(desk.complaints, [])
  })

  it('are listed page by page, and say what happened if one is gone', async () => {
    const desk = await openDesk()
    const { page } = desk
    await logIn(page, site.url)
    await page.goto(`${site.url}/explore`)
    await page.getByRole('button', { name: 'Create a key' }).click()
    await desk.ready()
    const user = (await findUser(site.store, ADA.email)) ?? assert.fail('Ada is not there')
    const place = { user, projectId: await page.locator('#project').inputValue(), organization: null, sql: 'SELECT 1' }
    await dbOf(site.store).deleteFrom('saved_queries').execute()
    for (let at = 0; at < SAVED_QUERIES_PER_PAGE + 3; at++)
      await saveQuery(site.store, { ...place, name: `Query ${at}` })
    await desk.menu('queries-menu')
    const saved = page.locator('#saved li')
    const more = page.getByRole('button', { name: 'Show more' })
    await more.waitFor()
    assert.equal(await saved.count(), SAVED_QUERIES_PER_PAGE)
    await more.press('Enter')
    await more.waitFor({ state: 'hidden' })
    assert.equal(await saved.count(), SAVED_QUERIES_PER_PAGE + 3)
    const next = saved.nth(SAVED_QUERIES_PER_PAGE).getByRole('button').first()
    const focused = "[...document.querySelectorAll('#saved li')].indexOf(document.activeElement.parentElement)"
    assert.equal(await page.evaluate(focused), SAVED_QUERIES_PER_PAGE)
    await dbOf(site.store).deleteFrom('saved_queries').execute()
    await next.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'This query is no longer there' }).waitFor()
    await page.keyboard.press('Escape')
    await desk.menu('queries-menu')
    await page.getByText('None for this project yet.').waitFor()
    assert.deepEqual(desk.complaints, [])
  })

  it('leave their panes as wide as they were drawn, or folded', async () => {
    const desk = await (await openDesk({ viewport: { width: 1400, height: 800 } })).enter(site.url, await site.key())
    const { page } = desk
    const width = async () => Math.round((await page.locator('#shelf').boundingBox())?.width ?? 0)
    const bar = page.getByRole('separator', { name: 'Width of the relations' })
    const before = await width()
    await bar.press('ArrowRight')
    assert.ok((await width()) > before)
    const box = (await bar.boundingBox()) ?? assert.fail('no separator')
    await page.mouse.move(box.x + 2, 400)
    await page.mouse.down()
    await page.mouse.move(402, 400)
    await page.mouse.up()
    assert.equal(await width(), 402)
    await page.reload()
    await desk.ready()
    assert.equal(await width(), 402)
    await page.getByRole('button', { name: 'Relations', exact: true }).click()
    assert.equal(await page.locator('#find').isVisible(), false)
    await bar.press('Enter')
    assert.equal(await page.locator('#find').isVisible(), true)
    const editor = page.locator('#sql')
    await page.getByRole('button', { name: 'Query', exact: true }).click()
    assert.equal(await editor.isVisible(), false)
    assert.ok(await page.locator('#idle').isVisible())
    assert.deepEqual(desk.complaints, [])
  })
})
