import assert from 'node:assert/strict'
import { addProject } from '#server/store/projects.js'
import { assertSound } from './accessible.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { describeInBrowser, logIn } from './browser.js'
import { Desk } from './desk.js'

const WIDTHS = { 'a wide window': 1280, 'a phone': 390 }
const LONG = 'x'.repeat(200)
const VALUES = `SELECT i, DATE '2026-01-01' + i::INTEGER AS day, NULL AS nothing, [i] AS list, repeat('${LONG}', 3) AS "${LONG}"
FROM range(30) AS t(i) -- ${LONG}`

describeInBrowser('the query page, looked at', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
    await addProject(site.store, { organization: 'tallowick', name: LONG })
  })
  after(() => site.close())

  /** Checks every state of the page in a context of its own. */
  async function checkLooks(colorScheme: 'light' | 'dark', width: number): Promise<void> {
    const page = await open({ colorScheme, viewport: { width, height: 800 } })
    const desk = new Desk(page)
    const check = async (what: string) => {
      await assertSound(page, `${what}, ${width} pixels wide`)
      await desk.assertFits(`${what}, ${width} pixels wide`)
    }
    await page.goto(`${site.url}/explore`)
    await check('without a key')
    await page.getByLabel('API key').fill('fg_wrong')
    await page.getByLabel('API key').press('Enter')
    await page.locator('#key-problem').waitFor()
    await check('with a key that does not hold')
    await logIn(page, site.url)
    await page.getByRole('link', { name: 'Query', exact: true }).click()
    await check('logged in')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await desk.ready()
    if (width < 500) await page.getByText('Relations and columns').click()
    await page.locator('#relations summary', { hasText: /^sites$/ }).click()
    await page.getByRole('list', { name: 'Columns of sites' }).waitFor()
    await check('with a new key')
    await page.getByLabel('Worked examples').selectOption({ index: 2 })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('#plot canvas').waitFor()
    await check('with rows and bars')
    await page.getByLabel('Rows per page').selectOption('25')
    await desk.run(VALUES, 'Rows 1 to 25, and there are more')
    await page.getByRole('button', { name: 'Next page' }).click()
    await desk.heading('Rows 26 to 30 of 30')
    await check('with values of every kind')
    await page.getByRole('button', { name: 'Export as Parquet' }).click()
    await page.getByRole('link', { name: 'Save it again' }).waitFor()
    await check('with an export')
    await desk.refused(`SELECT ${LONG}, "a'b", 'text', 1.5 -- comment\nFROM entities`)
    await check('with a query that was refused')
    await page.getByLabel('Project').selectOption({ label: `${LONG} (tallowick, not assessed)` })
    await page.locator('#refusal').waitFor()
    await check('with a project that has nothing to read')
    assert.deepEqual(desk.complaints, [])
  }

  for (const colorScheme of ['light', 'dark'] as const)
    it(`passes the accessibility rules in ${colorScheme} colours on ${Object.keys(WIDTHS).join(' and ')}, and fits its width`, async () => {
      await Promise.all(Object.values(WIDTHS).map(width => checkLooks(colorScheme, width)))
    })

  for (const width of Object.values(WIDTHS))
    it(`aligns the query with its highlighted copy at a width of ${width} pixels`, async () => {
      const page = await open({ viewport: { width, height: 800 } })
      const desk = await new Desk(page).enter(site.url, await site.key())
      for (const text of [
        '',
        '\n',
        'SELECT 1\n\n',
        VALUES,
        `${LONG} ${LONG}`,
        'a\tb  c   ',
        "'日本語 😀' ".repeat(40),
        'x '.repeat(3000),
      ]) {
        await desk.sql.fill(text)
        const [field, ground, hidden] = (await page.evaluate(`(() => {
          const [field, ground] = [document.querySelector('#sql'), document.querySelector('#painted')]
          return [field, ground].map(each => each.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height].join())
            .concat(field.scrollHeight - field.clientHeight)
        })()`)) as [string, string, number]
        assert.equal(field, ground, text.slice(0, 40))
        assert.equal(hidden, 0, `all of it is visible: ${text.slice(0, 40)}`)
        assert.equal(await page.locator('#painted').textContent(), text.replaceAll('\n', ''))
      }
    })

  it('redraws the chart when the colours or the width change', async () => {
    const page = await open({ colorScheme: 'light' })
    const desk = await new Desk(page).enter(site.url, await site.key())
    await desk.run("SELECT 'a' AS name, 1 AS value", 'Row 1 of 1')
    await page.locator('#plot canvas').waitFor()
    const drawn = (what: string) =>
      page.evaluate(`new Promise(resolve => {
        const look = () => {
          const canvas = document.querySelector('#plot canvas')
          const pixel = canvas.getContext('2d').getImageData(canvas.width / 2, 24, 1, 1).data.join()
          ${what} ? resolve([pixel, canvas.clientWidth]) : requestAnimationFrame(look)
        }
        look()
      })`) as Promise<[string, number]>
    const [light, wide] = await drawn('!pixel.endsWith(",0")')
    await page.emulateMedia({ colorScheme: 'dark' })
    const [dark] = await drawn(`!pixel.endsWith(",0") && pixel !== "${light}"`)
    assert.notEqual(dark, light)
    await page.setViewportSize({ width: 500, height: 800 })
    const [, narrow] = await drawn(`canvas.clientWidth < ${wide}`)
    assert.ok(narrow < 500)
  })
})
