import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { assertSound } from '../../../../../test/check/browser/accessible.js'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { callIn, Desk, hearViolations } from './desk.js'

const COUNT = 'SELECT count(*) AS n, sum(net) AS net FROM fold_pressures'
const NUMBERS = 'SELECT i, i % 7 AS rest FROM range(300) AS t(i)'
const NAMES = "SELECT DATE '2026-01-01' + i::INTEGER AS day, i * 2 AS amount FROM range(300) AS t(i) ORDER BY day"

interface Sent {
  method: string
  sql: string
  ownershipView?: string
  snapshot?: string
  page?: { limit: number }
}

describeInBrowser('rows of an earlier question', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  /** A desk, and what it sends to run and export statements from then on. */
  const enter = async (options = {}) => {
    const page = await open(options)
    await hearViolations(page)
    const desk = await new Desk(page).enter(site.url, await site.key())
    const sent: Sent[] = []
    page.on('request', request => {
      const { method = '', params } = callIn(request) ?? {}
      if (/query|export/.test(method)) sent.push({ method, ...(params as Omit<Sent, 'method'>) })
    })
    return { desk, page, sent, earlier: page.locator('#earlier') }
  }
  const exported = async ({ page }: Desk) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as' }).click(),
    ])
    await page.getByRole('link', { name: 'Save it again' }).waitFor()
    return { download, said: await page.locator('#export-said').innerText() }
  }

  it('are marked in every tab while the statement is another one, and are what a file has', async () => {
    const { desk, page, sent, earlier } = await enter()
    await desk.run(NUMBERS, 'Rows 1 to 100, and there are more')
    assert.equal(await earlier.isVisible(), false)
    await desk.write('SELECT 1 AS one')
    for (const tab of ['JSON', 'Call', 'Table']) {
      await desk.tab(tab)
      await earlier
        .getByText('These rows answer an earlier question, and so do their copies, pictures and files.')
        .waitFor()
    }
    await page.getByLabel('File format').selectOption('csv')
    const { download, said } = await exported(desk)
    assert.equal(sent.at(-1)?.sql, NUMBERS)
    assert.match(sent.at(-1)?.snapshot ?? '', /./, 'of the snapshot of the rows')
    assert.match(said, /: 300 rows, .* These are the rows shown, which answer an earlier question\.$/)
    assert.equal((await readFile(await download.path(), 'utf8')).trim().split('\n').length, 301)
    await desk.sql.focus()
    await page.keyboard.press('Control+Z')
    assert.equal(await desk.text(), NUMBERS)
    assert.equal(await earlier.isVisible(), false, 'the statement is that of the rows again')
    await desk.write('SELECT 1 AS one')
    await earlier.getByRole('button', { name: 'Run again' }).click()
    await desk.heading('Row 1 of 1')
    assert.equal(await earlier.isVisible(), false)
    assert.doesNotMatch((await exported(desk)).said, /earlier/)
    assert.deepEqual(desk.complaints, [])
  })

  it('are marked while a value is another one', async () => {
    const { desk, page, earlier } = await enter()
    await desk.write('SELECT $n AS n')
    await page.locator('#value-of-n').fill('1')
    await page.locator('#value-of-n').press('Enter')
    await desk.idle()
    await desk.heading('Row 1 of 1')
    await page.locator('#value-of-n').fill('2')
    await earlier.waitFor()
    await page.locator('#value-of-n').fill('1')
    await earlier.waitFor({ state: 'hidden' })
    assert.deepEqual(desk.complaints, [])
  })

  it('are read anew, sorted and filtered as they are, where the view or the size of pages alone is another', async () => {
    const { desk, page, sent, earlier } = await enter()
    await desk.run(NUMBERS, 'Rows 1 to 100, and there are more')
    await page.locator('#rows thead button').first().click()
    await page.getByText('The whole result, sorted by i, ascending.').waitFor()
    await page.getByLabel('Filter the result').fill('11')
    await page.getByLabel('Filter the result').press('Enter')
    await page.getByText('The whole result, filtered and sorted by i, ascending.').waitFor()
    await desk.idle()
    sent.length = 0
    await page.getByLabel('Rows per page').selectOption('25')
    await desk.idle()
    assert.deepEqual(
      sent.map(({ page: sentPage }) => sentPage?.limit),
      [25],
    )
    assert.equal(await page.getByLabel('Filter the result').inputValue(), '11')
    assert.ok((await desk.column(1)).every(text => text.includes('11')))
    assert.match(page.url(), /sql=SELECT\+i/)

    await desk.run(COUNT, 'Row 1 of 1')
    const net = await desk.column(2)
    sent.length = 0
    await desk.menu('view-menu')
    await page.getByLabel('Gross').check()
    await desk.idle()
    assert.deepEqual(
      sent.map(({ ownershipView }) => ownershipView),
      ['gross'],
    )
    assert.equal(await earlier.isVisible(), false)
    assert.match(page.url(), /view=gross/)
    await page.getByLabel('Net').check()
    await desk.idle()
    assert.deepEqual(await desk.column(2), net)

    // A name that is half typed is no question yet, and another statement is not run unasked.
    sent.length = 0
    await page.getByLabel('From the entity').fill('no entity has this name')
    await earlier.waitFor()
    await page.getByLabel('From the entity').fill('')
    await earlier.waitFor({ state: 'hidden' })
    await desk.write('SELECT 1 AS one')
    await desk.menu('view-menu')
    await page.getByLabel('Gross').check()
    await earlier.waitFor()
    assert.deepEqual(sent, [])
    assert.deepEqual(desk.complaints, [])
  })

  it('are filtered once for each text, and a file has the filter that the rows are about to have', async () => {
    const { desk, page, sent } = await enter()
    const filter = page.getByLabel('Filter the result')
    await desk.run(NUMBERS, 'Rows 1 to 100, and there are more')
    sent.length = 0
    await filter.fill('299')
    await filter.press('Enter')
    await desk.heading('Row 1 of 1')
    await desk.idle()
    assert.equal(sent.length, 1)
    // Typed, and not entered: the click on Export leaves the field, which filters the rows.
    await filter.fill('29')
    const { said } = await exported(desk)
    await desk.heading('Rows 1 to 13 of 13')
    assert.match(said, /: 13 rows, /)
    const [first, second] = sent.slice(1)
    assert.equal(sent.length, 3)
    assert.equal(first?.sql, second?.sql)
    // The same with a click on a head.
    await filter.fill('298')
    await page.locator('#rows thead button').first().click()
    await page.getByText('The whole result, filtered and sorted by i, ascending.').waitFor()
    await desk.heading('Row 1 of 1')
    assert.deepEqual(await desk.column(1), ['298'])
    assert.deepEqual(desk.complaints, [])
  })

  it('say of which part they are: a relation is shown whole, and a chart tells which rows it draws', async () => {
    const { desk, page } = await enter()
    await page.locator('#relations summary', { hasText: /^sites$/ }).click()
    await page.getByRole('button', { name: 'Show its rows' }).filter({ visible: true }).click()
    await desk.heading(/^Rows 1 to /)
    assert.equal(await desk.text(), 'SELECT *\nFROM sites')
    await desk.run(`${NAMES} LIMIT 50`, 'Rows 1 to 50 of 50')
    await page.locator('#rows thead button').nth(1).click()
    await page.getByText('The rows within the LIMIT of the statement, sorted by amount, ascending.').waitFor()
    await desk.run(NAMES, 'Rows 1 to 100, and there are more')
    await desk.tab('Chart')
    assert.equal(await page.locator('#panel-chart .chart-rows').textContent(), 'Rows 1 to 100, and there are more')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#panel-chart').getByRole('button', { name: 'Save as SVG' }).click(),
    ])
    assert.match(await readFile(await download.path(), 'utf8'), />Rows 1 to 100, and there are more</)
    const drawAll = page.getByRole('button', { name: 'Draw all rows' })
    const drawn = page.locator('#panel-chart .chart-rows')
    await drawAll.click()
    await page.locator('#status', { hasText: 'Drawn: all 300 rows' }).waitFor()
    assert.deepEqual([await drawn.textContent(), await drawAll.isVisible()], ['All 300 rows', false])
    await desk.tab('Table')
    assert.equal(await desk.rows.count(), 100)
    await desk.run(NAMES.replace('300', '6000'), 'Rows 1 to 100, and there are more')
    assert.equal(await drawAll.isVisible(), false)
    await desk.tab('Chart')
    await drawAll.click()
    await page.locator('#status', { hasText: 'Drawn: the first 5,000 rows, and there are more' }).waitFor()
    await desk.run('SELECT name, latitude, longitude FROM sites', /^Rows 1 to /)
    await desk.tab('Map')
    await page.locator('#panel-map .chart-rows', { hasText: /^Rows 1 to / }).waitFor()
    assert.deepEqual(desk.complaints, [])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1400, 390])
      it(`can be told in ${colorScheme} colours, ${width} pixels wide`, async () => {
        const { desk, page, earlier } = await enter({ colorScheme, viewport: { width, height: 800 } })
        await desk.run(NAMES, /^Rows 1 to /)
        await desk.write('SELECT 1 AS one')
        await earlier.waitFor()
        await assertSound(page, `an earlier question, ${colorScheme}, ${width} pixels wide`)
        await desk.assertFits('an earlier question')
      })
})
