import assert from 'node:assert/strict'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { Desk, hearViolations } from './desk.js'

describeInBrowser('the query page by keyboard', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  /**
   * Presses Tab until an element with this id or text has the focus; asserts that the focus is visible there, and returns
   * how often it pressed.
   */
  async function tabTo({ page }: Desk, wanted: string | RegExp): Promise<number> {
    const focused = 'const at = document.activeElement; [at.id, at.innerText ?? ""]'
    for (let steps = 1; steps <= 60; steps++) {
      await page.keyboard.press('Tab')
      const names = (await page.evaluate(`(() => { ${focused.replace('[', 'return [')} })()`)) as string[]
      if (!names.some(name => (typeof wanted === 'string' ? name.trim() === wanted : wanted.test(name)))) continue
      const outline = await page.evaluate(
        "getComputedStyle(document.activeElement.closest('.editor') ?? document.activeElement).outlineStyle",
      )
      assert.equal(outline, 'solid', `the focus on ${wanted} is visible`)
      return steps
    }
    assert.fail(`Tab does not reach ${wanted}`)
  }

  it('supports everything that works with a mouse', async () => {
    const page = await open()
    await hearViolations(page)
    const desk = new Desk(page)
    const { keyboard } = page
    const press = async (key: string, heading: string | RegExp) => {
      await keyboard.press(key)
      await desk.heading(heading)
    }
    await page.goto(`${site.url}/explore`)
    await tabTo(desk, 'key')
    await keyboard.type(await site.key())
    await keyboard.press('Enter')
    await desk.ready()
    // The key's field is hidden now, so the focus has to move.
    assert.equal(await page.evaluate('document.activeElement.id'), 'project')

    assert.ok((await tabTo(desk, 'sql')) <= 8, 'from the project to the query in eight steps')
    await keyboard.press('Control+A')
    await keyboard.type('SELECT i FROM range(120) AS t(i) ORDRE BY i')
    await keyboard.press('Control+Enter')
    await page.locator('#refusal').waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'sql')
    await tabTo(desk, /^Go to line 1, column \d+$/)
    await keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'sql')
    const wrong = await desk.selected()
    assert.ok(wrong.length > 0 && 'ORDRE BY i'.includes(wrong), wrong)
    await keyboard.press('Control+A')
    await keyboard.type('SELECT i, i * i AS square FROM range(120) AS t(i) ORDER BY i')
    await press('Control+Enter', 'Rows 1 to 100, and there are more')

    await tabTo(desk, 'scroll')
    await keyboard.press('End')
    await page.evaluate(`new Promise(resolve => {
      const look = () => document.activeElement.scrollTop > 0 ? resolve() : requestAnimationFrame(look)
      look()
    })`)
    await tabTo(desk, 'next')
    await press('Enter', 'Rows 101 to 120 of 120')
    assert.equal(await page.evaluate('document.activeElement.id'), 'next')
    await keyboard.press('Shift+Tab')
    await press('Enter', 'Rows 1 to 100 of 120')

    await tabTo(desk, 'fold_risks')
    await keyboard.press('Enter')
    await page.getByRole('list', { name: 'Columns of fold_risks' }).waitFor()
    await tabTo(desk, 'Show its rows')
    await press('Enter', /^Rows 1 to /)
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'Show its rows')

    await tabTo(desk, 'Examples')
    await keyboard.press('Enter')
    await tabTo(desk, /^By which drivers do we harm nature most/)
    await press('Enter', 'Rows 1 to 5 of 5')
    assert.equal(await page.evaluate('document.activeElement.id'), 'run')
    await tabTo(desk, 'tab-table')
    await keyboard.press('ArrowRight')
    await page.locator('#panel-chart svg').first().waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'tab-chart')
    await keyboard.press('End')
    assert.equal(await page.evaluate('document.activeElement.id'), 'tab-compare')
    await keyboard.press('ArrowRight')
    assert.equal(await page.evaluate('document.activeElement.id'), 'tab-table')

    await tabTo(desk, 'export')
    const downloaded = page.waitForEvent('download')
    await keyboard.press('Enter')
    assert.match((await downloaded).suggestedFilename(), /\.parquet$/)
    await tabTo(desk, 'export-again')
    await tabTo(desk, 'Key')
    await keyboard.press('Enter')
    await tabTo(desk, 'forget')
    await keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'key')
    assert.deepEqual(desk.complaints, [])
  })

  it('restores the previous query when an example that replaced it is undone', async () => {
    const desk = await new Desk(await open()).enter(site.url, await site.key())
    const { page, sql } = desk
    await sql.press('Control+A')
    await page.keyboard.type('SELECT mine')
    await desk.menu('examples-menu')
    await page.getByRole('button', { name: /^How much of each pressure is ours/ }).click()
    assert.match(await desk.text(), /FROM fold_pressures/)
    await sql.press('Control+Z')
    assert.equal(await desk.text(), 'SELECT mine')
  })

  it('inserts names into the query at the caret', async () => {
    const desk = await new Desk(await open()).enter(site.url, await site.key())
    const { page, sql } = desk
    await desk.write('SELECT  FROM entities')
    await sql.press('Home')
    for (let step = 0; step < 'SELECT '.length; step++) await sql.press('ArrowRight')
    await page.locator('#relations summary', { hasText: /^entities$/ }).click()
    await page.getByRole('button', { name: 'iso3', exact: true }).click()
    await page.keyboard.type(', 1')
    assert.equal(await desk.text(), 'SELECT iso3, 1 FROM entities')
  })
})
