import assert from 'node:assert/strict'
import { describeInBrowser, logIn } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { Desk, hearViolations } from './desk.js'

const SQL = 'SELECT $country AS country, $since AS day, $Country = $tags[1] AS same'
const COPYING = { permissions: ['clipboard-read', 'clipboard-write'] }

describeInBrowser('the parameters of a statement on the query page', open => {
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
  const enter = async (options = {}) => (await openDesk(options)).enter(site.url, await site.key())
  const field = ({ page }: Desk, name: string) => page.getByRole('textbox', { name: `$${name}`, exact: true })
  const type = ({ page }: Desk, name: string) => page.getByRole('combobox', { name: `Type of $${name}` })
  const isNull = ({ page }: Desk, name: string) => page.getByRole('checkbox', { name: `$${name} is NULL` })
  const names = ({ page }: Desk) => page.locator('.parameter > label:first-child').allTextContents()
  const focused = ({ page }: Desk) => page.evaluate('document.activeElement.id')
  const fill = async (desk: Desk) => {
    await desk.write(SQL)
    await field(desk, 'country').fill('KEN')
    await field(desk, 'since').fill('2026-01-02')
    await type(desk, 'since').selectOption('DATE')
    await field(desk, 'tags').fill('KEN, UGA')
    await type(desk, 'tags').selectOption('VARCHAR[]')
  }
  const ROW = [['KEN'], ['2026-01-02'], ['true']]
  const row = (desk: Desk) => Promise.all([1, 2, 3].map(at => desk.column(at)))

  it('have a field each, whose values are sent with their types', async () => {
    const desk = await enter()
    assert.equal(await desk.page.locator('#parameters').isVisible(), false)
    await fill(desk)
    assert.deepEqual(await names(desk), ['$country', '$since', '$tags'])
    const [asked] = await Promise.all([desk.called('projects/query'), field(desk, 'tags').press('Enter')])
    await desk.heading('Row 1 of 1')
    assert.deepEqual(asked.parameters, {
      country: 'KEN',
      since: { type: 'DATE', value: '2026-01-02' },
      tags: { type: 'VARCHAR[]', value: ['KEN', 'UGA'] },
    })
    assert.deepEqual(await row(desk), ROW)
    // Sorts and files have the values, too.
    await desk.page.locator('#rows thead button').first().click()
    await desk.page.getByText('The whole result, sorted by country, ascending.').waitFor()
    await desk.idle()
    assert.deepEqual(await row(desk), ROW)
    await Promise.all([
      desk.page.waitForEvent('download'),
      desk.page.getByRole('button', { name: 'Export as Parquet' }).click(),
    ])
    // What was typed for a name comes back with it.
    await desk.write('SELECT $since')
    assert.deepEqual(await names(desk), ['$since'])
    await desk.write('SELECT $since, $country')
    assert.equal(await field(desk, 'country').inputValue(), 'KEN')
    await desk.write("SELECT '$a', $$ $b $$ -- $c")
    assert.equal(await desk.page.locator('#parameters').isVisible(), false)
    assert.deepEqual(desk.complaints, [])
  })

  it('have the type that is guessed from what is typed, or NULL', async () => {
    const desk = await enter()
    await desk.write('SELECT $a AS a, typeof($a) AS type, $b::DATE IS NULL AS none')
    await isNull(desk, 'b').check()
    assert.equal(await field(desk, 'b').isDisabled(), true)
    for (const [text, guessed] of [
      ['12', 'BIGINT'],
      ['9007199254740993', 'BIGINT'],
      ['1.50', 'DOUBLE'],
      ['false', 'BOOLEAN'],
      ['0042', 'VARCHAR'],
    ] as const) {
      await field(desk, 'a').fill(text)
      assert.equal(await type(desk, 'a').locator('option:checked').textContent(), `Auto: ${guessed}`)
      await field(desk, 'a').press('Enter')
      await desk.page.locator('#rows tbody td', { hasText: new RegExp(`^${guessed}$`) }).waitFor()
      await desk.idle()
    }
    assert.deepEqual(await row(desk), [['0042'], ['VARCHAR'], ['true']])
    assert.deepEqual(desk.complaints, [])
  })

  it('say at their fields what is missing or wrong', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.write('SELECT $one AS one, $two::VARCHAR AS two')
    await field(desk, 'one').fill('x')
    await desk.sql.press('Control+Enter')
    const missing = page.getByRole('alert').filter({ hasText: 'Type a value, or choose NULL.' })
    await missing.waitFor()
    assert.equal(await page.getByRole('alert').filter({ visible: true }).count(), 1)
    assert.equal(await focused(desk), 'value-of-two')
    assert.equal(await field(desk, 'two').getAttribute('aria-invalid'), 'true')
    await page.keyboard.type('2026-13-01')
    assert.equal(await missing.isVisible(), false)
    await type(desk, 'two').selectOption('DATE')
    await desk.sql.press('Control+Enter')
    await page.getByRole('alert').filter({ hasText: 'The value of the parameter "two" must be a date' }).waitFor()
    assert.deepEqual([await focused(desk), await page.locator('#refusal').isVisible()], ['value-of-two', false])
    await field(desk, 'two').fill('2026-12-01')
    await field(desk, 'two').press('Enter')
    await desk.heading('Row 1 of 1')
    assert.deepEqual(desk.complaints, [])
  })

  it('travel in a link, outlive a reload, and come back from the history', async () => {
    const desk = await enter(COPYING)
    const { page } = desk
    await fill(desk)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    await field(desk, 'tags').press('Enter')
    await desk.heading('Row 1 of 1')
    assert.equal(page.url(), link, 'the address is that of the query that ran')
    await field(desk, 'country').fill('UGA')
    await page.reload()
    await desk.ready()
    assert.equal(await field(desk, 'country').inputValue(), 'UGA')
    assert.equal(await type(desk, 'since').inputValue(), 'DATE')
    await desk.menu('queries-menu')
    await page.locator('#history button').first().click()
    assert.equal(await field(desk, 'country').inputValue(), 'KEN')

    const other = await openDesk()
    await other.page.goto(link)
    await other.page.getByLabel('API key').fill(await site.key())
    await other.page.keyboard.press('Enter')
    await other.ready()
    await other.page.getByRole('button', { name: 'Run', exact: true }).click()
    await other.heading('Row 1 of 1')
    assert.deepEqual(await row(other), ROW)
    assert.deepEqual([...desk.complaints, ...other.complaints], [])
  })

  it('are saved with a query', async () => {
    const desk = await openDesk()
    const { page } = desk
    await logIn(page, site.url)
    await page.getByRole('link', { name: 'Query', exact: true }).click()
    await page.getByRole('button', { name: 'Create a key' }).click()
    await desk.ready()
    await fill(desk)
    await isNull(desk, 'since').check()
    await desk.menu('queries-menu')
    await page.getByLabel('Name', { exact: true }).fill('With values')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Remove With values' }).waitFor()
    await page.keyboard.press('Escape')
    await desk.write('SELECT $country')
    await field(desk, 'country').fill('other')
    await desk.menu('queries-menu')
    await page.locator('#saved li button').first().click()
    await page.locator('#queries-menu:not([open])').waitFor()
    assert.deepEqual(await names(desk), ['$country', '$since', '$tags'])
    assert.equal(await field(desk, 'country').inputValue(), 'KEN')
    assert.deepEqual([await isNull(desk, 'since').isChecked(), await type(desk, 'since').inputValue()], [true, 'DATE'])
    await desk.menu('queries-menu')
    await page.getByRole('button', { name: 'Remove With values' }).click()
    assert.deepEqual(desk.complaints, [])
  })

  it('are bound by a check, which tells columns and relations without running the statement', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.write('SELECT name, 1.50::DECIMAL(18,2) * $factor AS amount FROM sites')
    await field(desk, 'factor').fill('2')
    const told = page.locator('#checked')
    const [asked] = await Promise.all([desk.called('projects/query'), desk.sql.press('Control+Shift+Enter')])
    assert.equal(asked.dryRun, true)
    await told.getByText('The statement is valid. It returns 2 columns. It reads sites.').waitFor()
    const columns = page.getByRole('list', { name: 'Columns of the result' }).getByRole('listitem')
    assert.deepEqual(await columns.allInnerTexts(), ['name VARCHAR', 'amount DECIMAL(37,2)'])
    await field(desk, 'factor').fill('3')
    assert.equal(await told.isVisible(), false, 'it is about another statement')
    await desk.write('SELECT nothing FROM fold_risks')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.locator('#refusal', { hasText: 'nothing' }).waitFor()
    assert.deepEqual([await desk.marked(), await told.isVisible()], ['nothing', false])
    await desk.write('SELECT count(*) AS n FROM fold_dependencies, sites')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await told.getByText(/The first run builds fold_dependencies, and takes longer\./).waitFor()
    await desk.sql.press('Control+Enter')
    await desk.heading('Row 1 of 1')
    assert.equal(await told.isVisible(), false)
    assert.deepEqual(desk.complaints, [])
  })
})
