import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { busyMs, NEXT_PAGE } from './busy.js'
import { Desk, hearViolations } from './desk.js'

const counted = (number: number) => number.toLocaleString('en')
const COPYING = { permissions: ['clipboard-read', 'clipboard-write'] }

describeInBrowser('the results of the query page in a browser', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  const enter = async (options = {}) => {
    const page = await open(options)
    await hearViolations(page)
    return new Desk(page).enter(site.url, await site.key())
  }
  const heads = (page: Page) => page.locator('#rows thead th:not(:first-child)').allInnerTexts()
  const copied = async (page: Page, name: string): Promise<string> => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    return String(await page.evaluate('navigator.clipboard.readText()'))
  }

  it('show the types of columns, also where the rows do not tell', async () => {
    const desk = await enter()
    await desk.run(
      "SELECT 1.50 AS price, NULL::DATE AS day, [1] AS list, 'x' AS word, 2::HUGEINT AS huge -- end",
      'Row 1 of 1',
    )
    assert.deepEqual(
      (await heads(desk.page)).map(text => text.split('\n').at(-1)),
      ['DECIMAL(3,2)', 'DATE', 'INTEGER[]', 'VARCHAR', 'HUGEINT'],
    )
    assert.deepEqual(desk.complaints, [])
  })

  it('format numbers for reading, and keep every digit on hover and in every copy', async () => {
    const desk = await enter(COPYING)
    const { page } = desk
    await desk.run("SELECT 1234567.891 AS n, 9007199254740993 AS big, 1/3 AS third, 'a,b' AS t", 'Row 1 of 1')
    const cells = page.locator('#rows tbody td')
    assert.deepEqual(await cells.allInnerTexts(), ['1,234,567.891', '9,007,199,254,740,993', '0.333333', 'a,b'])
    assert.deepEqual(await Promise.all([0, 1, 2].map(at => cells.nth(at).getAttribute('title'))), [
      '1234567.891',
      '9007199254740993',
      '0.3333333333333333',
    ])
    await desk.menu('copy-menu')
    assert.equal(
      await copied(page, 'Copy as CSV'),
      'n,big,third,t\r\n1234567.891,9007199254740993,0.3333333333333333,"a,b"\r\n',
    )
    await page.getByRole('button', { name: 'Copy as CSV' }).waitFor()
    assert.match(await copied(page, 'Copy as Markdown'), /^\| n \| big \| third \| t \|\n/)
    await desk.tab('JSON')
    const rows = [{ n: 1234567.891, big: '9007199254740993', third: 1 / 3, t: 'a,b' }]
    assert.deepEqual(JSON.parse(await page.locator('#json').innerText()), rows)
    assert.deepEqual(JSON.parse(await copied(page, 'Copy JSON')), rows)
    assert.deepEqual(desk.complaints, [])
  })

  it('say that cells of CSV may be formulas, and escape them in copies and exports', async () => {
    const desk = await enter(COPYING)
    const { page } = desk
    await desk.run(`SELECT '=1+1' AS "@x", -5 AS n`, 'Row 1 of 1')
    await desk.menu('copy-menu')
    await page.getByText('Spreadsheets run text that begins with =, +, - or @ as a formula').waitFor()
    assert.equal(await copied(page, 'Copy as CSV'), '@x,n\r\n=1+1,-5\r\n')
    await page.getByRole('button', { name: 'Copy as CSV' }).waitFor()
    await page.getByLabel('Escape formulas in CSV').check()
    assert.equal(await copied(page, 'Copy as CSV'), "'@x,n\r\n'=1+1,-5\r\n")
    await page.keyboard.press('Escape')
    const escaping = page.getByLabel('Escape text that spreadsheets run as formulas')
    assert.equal(await escaping.isVisible(), false, 'files of other formats hold no formulas')
    await page.getByLabel('File format').selectOption('csv')
    assert.ok(await escaping.isChecked(), 'it is one choice')
    const exported = async () => {
      const button = page.getByRole('button', { name: 'Export as CSV' })
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
      return readFile(await download.path(), 'utf8')
    }
    assert.equal(await exported(), "'@x,n\n'=1+1,-5\n")
    await escaping.uncheck()
    assert.equal(await exported(), '@x,n\n=1+1,-5\n')
    assert.deepEqual(desk.complaints, [])
  })

  it('are copied for a spreadsheet as a table and with tabs, and no text of them is run as a formula', async () => {
    const desk = await enter(COPYING)
    const { page } = desk
    await desk.run(`SELECT '=1+1' AS "@x", -5.50 AS n, NULL AS none, 'a<b' || chr(9) || 'c' AS t`, 'Row 1 of 1')
    await desk.menu('copy-menu')
    assert.equal(await copied(page, 'Copy for a spreadsheet'), '\'@x\tn\tnone\tt\r\n\'=1+1\t-5.50\t\t"a<b\tc"')
    const read = `navigator.clipboard.read().then(([item]) => item.getType('text/html')).then(html => html.text())`
    const html = String(await page.evaluate(read))
    const rows = [
      ["'@x", 'n', 'none', 't'],
      ["'=1+1", '-5.50', '', 'a&lt;b\tc'],
    ]
    const lines = rows.map(row => `<tr>${row.map(cell => `<td>${cell}</td>`).join('')}</tr>`)
    assert.ok(html.replaceAll('<tbody>', '').replaceAll('</tbody>', '').includes(lines.join('')), html)
    assert.deepEqual(desk.complaints, [])
  })

  it('are shown as a call, with what it needs', async () => {
    const { page, ...desk } = await enter()
    await page.getByRole('tab', { name: 'Call' }).click()
    await page.getByText('Set the key first: export FOLDGATE_KEY=').waitFor()
    await page.getByLabel('The same call in').selectOption('Python')
    await page.getByText('For Python 3.').waitFor()
    assert.deepEqual(desk.complaints, [])
  })

  it('are sorted by a head over the whole result, and say so', async () => {
    const desk = await enter()
    const { page } = desk
    await page.getByLabel('Rows per page').selectOption('25')
    await desk.run('SELECT i, 60 - i AS "Back; to" FROM range(60) AS t(i); -- end', 'Rows 1 to 25, and there are more')
    const head = page.getByRole('button', { name: 'Back; to' })
    const sorted = page.locator('th[aria-sort=ascending], th[aria-sort=descending]')
    await head.click()
    await page.getByText('The whole result, sorted by Back; to, ascending.').waitFor()
    await desk.idle()
    assert.deepEqual((await desk.column(2)).slice(0, 2), ['1', '2'])
    assert.equal(await sorted.getAttribute('aria-sort'), 'ascending')
    assert.equal(await page.evaluate('document.activeElement.title'), 'Back; to: sort the whole result')
    await page.getByRole('button', { name: 'Next page' }).click()
    await desk.heading('Rows 26 to 50, and there are more')
    assert.equal((await desk.column(2))[0], '26')
    await head.click()
    await page.getByText('The whole result, sorted by Back; to, descending.').waitFor()
    await desk.heading('Rows 1 to 25, and there are more')
    assert.equal((await desk.column(2))[0], '60')
    await head.click()
    await sorted.waitFor({ state: 'detached' })
    await desk.idle()
    // The query itself stays as it was written.
    assert.match(await desk.text(), /^SELECT i, 60 - i AS "Back; to" FROM range\(60\) AS t\(i\); -- end$/)
    assert.deepEqual(desk.complaints, [])
  })

  it('are filtered by a text over the whole result, in any column and case', async () => {
    const desk = await enter()
    const { page } = desk
    await page.getByLabel('Rows per page').selectOption('25')
    const sql =
      "SELECT i, 'It''s ' || chr(65 + i::INTEGER % 26) AS \"The word\", [i] AS list FROM range(300) AS t(i) -- end"
    await desk.run(sql, 'Rows 1 to 25, and there are more')
    const filter = page.getByLabel('Filter the result')
    await filter.fill("IT'S c")
    await filter.press('Enter')
    await page.getByText('The whole result, filtered.').waitFor()
    await desk.heading('Rows 1 to 12 of 12')
    assert.deepEqual([...new Set(await desk.column(2))], ["It's C"])
    await page.locator('#rows thead button').first().click()
    await page.getByText('The whole result, filtered and sorted by i, ascending.').waitFor()
    await desk.idle()
    assert.equal((await desk.column(1))[0], '2')
    // A file has the rows that are shown.
    const exported = async () => {
      const [{ sql }] = await Promise.all([
        desk.called('projects/export'),
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export as Parquet' }).click(),
      ])
      await page.getByRole('link', { name: 'Save it again' }).waitFor()
      return { sql, said: await page.locator('#export-said').innerText() }
    }
    assert.match((await exported()).said, /: 12 rows, /)
    await filter.fill('%')
    await filter.press('Enter')
    await page.getByText('No row contains this text: clear the filter to see all.').waitFor()
    await filter.fill('')
    await filter.press('Enter')
    await page.getByText('The whole result, sorted by i, ascending.').waitFor()
    await desk.run('SELECT 1 AS one', 'Row 1 of 1')
    assert.equal(await filter.inputValue(), '')
    assert.deepEqual(desk.complaints, [])
  })

  it('are counted when that is asked', async () => {
    const desk = await enter()
    const { page } = desk
    const count = page.getByRole('button', { name: 'Count rows' })
    await page.getByLabel('Rows per page').selectOption('25')
    await desk.run('SELECT i FROM range(1060) AS t(i) ORDER BY i', 'Rows 1 to 25, and there are more')
    await count.click()
    await desk.heading('Rows 1 to 25 of 1,060')
    assert.deepEqual([await count.isVisible(), await page.evaluate('document.activeElement.id')], [false, 'next'])
    await page.getByRole('button', { name: 'Next page' }).click()
    await desk.heading('Rows 26 to 50 of 1,060')
    assert.deepEqual(desk.complaints, [])
  })

  it('keep long values short until they are opened', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run("SELECT repeat('é😀', 200) AS long", 'Row 1 of 1')
    const cell = page.locator('#rows tbody td')
    assert.match(await cell.locator('summary').innerText(), /^(é😀)+é?…$/)
    await cell.locator('summary').click()
    assert.equal(await cell.locator('div').innerText(), 'é😀'.repeat(200))
  })

  it('offer a chart and a map only where they make sense', async () => {
    const desk = await enter()
    const { page } = desk
    const isOffered = async (name: string) => !(await page.getByRole('tab', { name }).isDisabled())
    await desk.run('SELECT ipbes_pressure, value, unit FROM dash_ipbes', /of 5$/)
    assert.deepEqual([await isOffered('Chart'), await isOffered('Map')], [true, false])
    await desk.tab('Chart')
    await page.locator('#panel-chart svg').first().waitFor()
    await desk.run('SELECT name, latitude, longitude FROM sites', /^Rows 1 to /)
    assert.deepEqual([await isOffered('Chart'), await isOffered('Map')], [false, true])
    assert.equal(await page.getByRole('tab', { name: 'Table' }).getAttribute('aria-selected'), 'true')
    await desk.tab('Map')
    await page.locator('#panel-map svg').first().waitFor()
    assert.deepEqual(desk.complaints, [])
  })

  it('appear within 100 ms of work of the browser, 500 rows of 13 columns at a time', async () => {
    const desk = await enter()
    const { page } = desk
    await page.getByLabel('Rows per page').selectOption('500')
    const columns = Array.from({ length: 12 }, (_, at) => `i * ${at + 2} AS column_${at}`).join(', ')
    await desk.run(`SELECT i, ${columns} FROM range(3000) AS t(i)`, 'Rows 1 to 500, and there are more')
    const spent: number[] = []
    for (let at = 1; at < 5; at++) {
      spent.push(await busyMs(page, () => page.evaluate(NEXT_PAGE)))
      await desk.idle()
      await desk.heading(`Rows ${counted(at * 500 + 1)} to ${counted((at + 1) * 500)}, and there are more`)
    }
    assert.equal(await desk.rows.count(), 500)
    assert.ok(Math.min(...spent) < 100, `${spent.join(', ')} ms`)
  })

  it('do not freeze the page when they are wide', async () => {
    const desk = await enter()
    const { page } = desk
    await page.getByLabel('Rows per page').selectOption('500')
    const columns = Array.from({ length: 200 }, (_, at) =>
      at % 2 ? `i * ${at} AS n${at}` : `'v' || i % ${at + 2} AS t${at}`,
    )
    const spent = await busyMs(page, () =>
      desk.run(`SELECT ${columns.join(', ')} FROM range(500) AS t(i)`, 'Rows 1 to 500 of 500'),
    )
    assert.equal(await page.locator('#rows tbody tr').first().locator('td').count(), 200)
    assert.ok(spent < 2_000, `${spent} ms`)
  })
})
