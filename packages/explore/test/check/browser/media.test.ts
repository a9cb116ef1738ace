import assert from 'node:assert/strict'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { Desk } from './desk.js'

/** A function for the page that reads a style of an element. */
const styleOf = (name: string) =>
  new Function('element', `return getComputedStyle(element).${name}`) as (element: unknown) => string

describeInBrowser('the query page on other media', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  const enter = async () => {
    const desk = await new Desk(await open({ viewport: { width: 1400, height: 700 } })).enter(
      site.url,
      await site.key(),
    )
    await desk.run('SELECT i, i * 2 AS twice FROM range(90) AS t(i) ORDER BY i', 'Rows 1 to 90 of 90')
    return desk
  }

  it('prints the question and all rows of the page, and nothing to click', async () => {
    const desk = await enter()
    const { page } = desk
    await page.emulateMedia({ media: 'print' })
    for (const id of ['bar', 'shelf', 'run', 'export', 'filter', 'limit', 'split-asking'])
      assert.equal(await page.locator(`#${id}`).isVisible(), false, id)
    for (const id of ['sql', 'results-title', 'rows']) assert.ok(await page.locator(`#${id}`).isVisible(), id)
    const [hidden = 1, last = 0, whole = 0] = (await page.evaluate(`(() => {
      const scroll = document.querySelector('#scroll')
      const last = document.querySelector('#rows tbody tr:last-child')
      return [scroll.scrollHeight - scroll.clientHeight, last.getBoundingClientRect().bottom, document.documentElement.scrollHeight]
    })()`)) as number[]
    assert.ok(hidden <= 1, 'nothing scrolls')
    assert.ok(last > 700 && last <= whole + 1, `the last row ends at ${last} of ${whole}`)
    assert.deepEqual(desk.complaints, [])
  })

  it('marks in forced colours what else only colours tell', async () => {
    const desk = await enter()
    const { page } = desk
    await page.emulateMedia({ forcedColors: 'active' })
    const outline = (name: string) => page.getByRole('tab', { name, exact: true }).evaluate(styleOf('outlineStyle'))
    assert.deepEqual([await outline('Table'), await outline('JSON')], ['solid', 'none'])
    await desk.write('SELECT 1')
    const border = await page.locator('#earlier').evaluate(styleOf('borderTopStyle'))
    assert.equal(border, 'solid')
    assert.deepEqual(desk.complaints, [])
  })
})
