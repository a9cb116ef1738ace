import assert from 'node:assert/strict'
import { addProject } from '../../../../../server/dist/store/projects.js'
import { assertSound } from '../../../../../test/check/browser/accessible.js'
import { describeInBrowser, logIn } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { Desk } from './desk.js'

const EXAMPLE = 'SELECT ipbes_pressure, value, unit FROM dash_ipbes'
const WIDTHS = { 'a wide window': 1400, 'a small one': 1024, 'a tablet': 768, 'a phone': 390 }
const LONG = 'x'.repeat(200)
const VALUES = `SELECT i, DATE '2026-01-01' + i::INTEGER AS day, NULL AS nothing, [i] AS list, repeat('${LONG}', 3) AS "${LONG}"
FROM range(30) AS t(i) -- ${LONG}`
const PARAMETERS = `SELECT $country AS "${LONG}", $since::DATE AS day, name FROM sites`

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
    await check('with a new key')
    await page.keyboard.press('Escape')
    if (width < 1024) await page.getByText('Relations and columns').click()
    await page.locator('#relations summary', { hasText: /^sites$/ }).click()
    await page.getByRole('list', { name: 'Columns of sites' }).waitFor()
    await check('with the columns of a relation')
    for (const menu of ['view-menu', 'sealed', 'examples-menu', 'copy-menu']) {
      await desk.menu(menu)
      await check(`with the menu ${menu}`)
      await page.keyboard.press('Escape')
    }
    await page.keyboard.press('Escape')
    await desk.run(EXAMPLE, /^Rows 1 to /)
    for (const tab of ['Chart', 'JSON', 'Call', 'Table']) {
      await desk.tab(tab)
      await check(`with rows as ${tab}`)
    }
    await desk.run('SELECT name, latitude, longitude FROM sites', /^Rows 1 to /)
    await desk.tab('Map')
    await check('with a map')
    await desk.tab('Table')
    await desk.menu('queries-menu')
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Remove Mine' }).first().waitFor()
    await check('with saved queries')
    await page.keyboard.press('Escape')
    await page.getByLabel('Rows per page').selectOption('25')
    await desk.run(VALUES, 'Rows 1 to 25, and there are more')
    await page.getByRole('button', { name: 'Next page' }).click()
    await desk.heading('Rows 26 to 30 of 30')
    await check('with values of every kind')
    await page.getByRole('button', { name: 'Export as Parquet' }).click()
    await page.getByRole('link', { name: 'Save it again' }).waitFor()
    await check('with an export')
    await desk.write(PARAMETERS)
    await page.locator('#value-of-country').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('#value-of-country[aria-invalid=true]').waitFor()
    await check('with a value that is missing')
    await page.locator('#value-of-country').fill(LONG)
    await page.getByRole('checkbox', { name: '$since is NULL' }).check()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('The statement is valid. It returns 3 columns.').waitFor()
    await check('with a statement that was checked')
    await desk.refused(`SELECT ${LONG}, "a'b", 'text', 1.5 -- comment\nFROM entities`)
    await check('with a query that was refused')
    await page.getByLabel('Project').selectOption({ label: `${LONG} (tallowick, not assessed)` })
    await page.locator('#refusal').waitFor()
    await check('with a project that has nothing to read')
    assert.deepEqual(desk.complaints, [])
  }

  for (const colorScheme of ['light', 'dark'] as const)
    for (const [name, width] of Object.entries(WIDTHS))
      it(`passes the accessibility rules in ${colorScheme} colours on ${name}, and fits its width`, () =>
        checkLooks(colorScheme, width)).timeout(60_000)
})
