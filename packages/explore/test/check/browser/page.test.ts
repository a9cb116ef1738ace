import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import catalogue from '../../../../../server/dist/assessed/catalogue.js'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { readParquetRows } from '../../../../../test/types/arrow.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { Desk, hearViolations, PROJECT } from './desk.js'

const SLOW = 'SELECT count(*) AS n FROM range(100000000) AS a(i), range(100000) AS b(j) WHERE a.i * b.j % 7 = 3'

describeInBrowser('the query page in a browser', open => {
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
  const enter = async () => (await openDesk()).enter(site.url, await site.key())

  it('takes a key, lists relations, runs an example, corrects a query, exports', async () => {
    const desk = await enter()
    const { page, sql } = desk
    const name = await page.getByLabel('Project').locator('option', { hasText: PROJECT }).textContent()
    await page.getByLabel('Project').selectOption(name)
    await desk.ready()

    await page.locator('#relations summary', { hasText: /^fold_pressures$/ }).click()
    const columns = page.getByRole('list', { name: 'Columns of fold_pressures' })
    await columns.waitFor()
    const { meanings } = catalogue.relations.get('fold_pressures') ?? assert.fail('the catalogue has no such fold')
    for (const [at, name] of ['pressure_indicator', 'unit'].entries()) {
      const text = await columns.getByRole('listitem').nth(at).textContent()
      assert.ok(meanings[name]?.about && text?.startsWith(`${name}VARCHAR${meanings[name].about}`), text ?? '')
    }

    await desk.menu('examples-menu')
    await page.getByRole('button', { name: /^What part of the total damage/ }).click()
    assert.match(await desk.text(), /AS percent\nFROM dash_ipbes/)
    await desk.heading('Rows 1 to 4 of 4')
    await desk.menu('examples-menu')
    await page.getByRole('button', { name: 'By which drivers do we harm nature most?' }).click()
    assert.match(await desk.text(), /FROM dash_ipbes\s+ORDER BY value DESC/)
    await desk.heading('Rows 1 to 5 of 5')
    assert.equal((await desk.column(1))[0], 'climate change')
    assert.deepEqual((await desk.column(2)).slice(-1), ['null'])

    const { marked, said } = await desk.refused('SELECT ipbes_pressure,\n  valeu\nFROM dash_ipbes')
    assert.equal(marked, 'valeu')
    assert.match(said, /valeu/)
    assert.equal(await desk.rows.count(), 0)
    assert.equal(await sql.getAttribute('aria-invalid'), 'true')
    await page.getByRole('button', { name: 'Go to line 2, column 3' }).click()
    assert.equal(await desk.selected(), 'valeu')
    await page.keyboard.type('value')
    assert.equal(await desk.marked(), '')
    assert.equal(await page.locator('#refusal').isVisible(), false)
    await page.keyboard.press('Control+Enter')
    await desk.heading('Rows 1 to 5 of 5')

    const sites = 'SELECT site_key, latitude FROM sites ORDER BY site_key'
    await desk.run(sites, /^Rows 1 to /)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as Parquet' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^brindlemoor-holdings-[\w-]+\.parquet$/)
    const bytes = await readFile(await download.path())
    assert.deepEqual([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()], ['PAR1', 'PAR1'])
    const rows = readParquetRows(bytes)
    await desk.run(sites, `Rows 1 to ${rows.length} of ${rows.length}`)
    assert.deepEqual(
      await desk.column(1),
      rows.map(row => row.site_key),
    )
    assert.deepEqual(desk.complaints, [])
  })

  it('pages forward and back, with the chosen number of rows per page', async () => {
    const desk = await enter()
    const { page } = desk
    const [previous, next] = ['Previous page', 'Next page'].map(name => page.getByRole('button', { name }))
    await page.getByLabel('Rows per page').selectOption('25')
    await desk.run('SELECT i FROM range(60) AS t(i) ORDER BY i', 'Rows 1 to 25, and there are more')
    assert.equal(await previous?.getAttribute('aria-disabled'), 'true')
    await next?.click()
    await desk.heading('Rows 26 to 50, and there are more')
    assert.equal((await desk.column(1))[0], '25')
    assert.equal(await desk.rows.first().locator('th').innerText(), '26')
    // Paging continues the query that ran, whatever the field contains now.
    await desk.write('SELECT 1')
    await next?.click()
    await desk.heading('Rows 51 to 60 of 60')
    assert.equal(await next?.getAttribute('aria-disabled'), 'true')
    await previous?.click()
    await desk.heading('Rows 26 to 50 of 60')
    await previous?.click()
    await desk.heading('Rows 1 to 25 of 60')
    assert.deepEqual(
      await desk.column(1),
      Array.from({ length: 25 }, (_, at) => String(at)),
    )
    await desk.run('SELECT 1 AS one WHERE false', 'No rows')
    assert.ok(await page.getByText('The query returned no rows.').isVisible())
    assert.deepEqual(desk.complaints, [])
  })

  it('shows strings that look like markup as text', async () => {
    const desk = await enter()
    const mark = '<img src=x onerror=alert(1)>'
    await desk.run(`SELECT '${mark}' AS "${mark}", ['${mark}'] AS list, 1 AS n -- ${mark}`, 'Row 1 of 1')
    assert.deepEqual(await desk.column(1), [mark])
    await desk.refused(`SELECT "${mark}" FROM entities`)
    assert.equal(await desk.page.locator('img').count(), 0)
    assert.deepEqual(desk.complaints, [])
  })

  it('queries from the chosen point of view', async () => {
    const desk = await enter()
    const { page } = desk
    const count = 'SELECT count(*) AS n FROM fold_dependencies'
    await desk.run(count, /of 1$/)
    const [whole] = await desk.column(1)
    const leaf =
      'SELECT entity_id, name FROM entities WHERE parent_key IS NOT NULL AND entity_key NOT IN (SELECT parent_key FROM entities WHERE parent_key IS NOT NULL) ORDER BY entity_key'
    await desk.run(leaf, /^Rows? 1/)
    const [[id = ''], [name = '']] = [await desk.column(1), await desk.column(2)]
    const field = page.getByLabel('From the entity')
    const told = () => page.locator('#view-told').innerText()
    assert.equal(await told(), 'The whole project, net')
    const asked = async () => {
      const [{ entityId, ownershipView }] = await Promise.all([
        desk.called('projects/query'),
        desk.sql.press('Control+Enter'),
      ])
      await page.locator('#results[aria-busy=false]').waitFor()
      return [entityId, ownershipView]
    }
    await desk.write(count)
    await desk.menu('view-menu')
    await field.fill(` ${id.toUpperCase()} `)
    await page.locator('#entity-hint', { hasText: /^Brindlemoor .+ · [\d.]+% owned$/ }).waitFor()
    await page.getByLabel('Gross').check()
    assert.deepEqual(await asked(), [id.toUpperCase(), 'gross'])
    assert.ok(Number((await desk.column(1))[0]) < Number(whole))

    // By a part of its name, with the keyboard.
    await desk.menu('view-menu')
    await field.fill(name.slice(1).toUpperCase())
    const entities = page.getByRole('listbox', { name: 'Entities' })
    await entities.getByRole('option', { name }).first().waitFor()
    await field.press('ArrowDown')
    await field.press('Enter')
    assert.equal(await field.inputValue(), name)
    assert.equal(await entities.isVisible(), false)
    assert.equal(await told(), `${name}, gross`)
    assert.deepEqual(await asked(), [id, 'gross'])
    await page.reload()
    await desk.ready()
    assert.equal(await field.inputValue(), name)
    assert.deepEqual(await asked(), [id, 'gross'])

    await desk.menu('view-menu')
    await field.fill('nobody')
    await desk.sql.press('Control+Enter')
    await page.getByText(/^No entity has this name, or several have it: choose one/).waitFor()
    assert.deepEqual(
      [await field.getAttribute('aria-invalid'), await page.evaluate('document.activeElement.id')],
      ['true', 'entity'],
    )
    await field.fill('')
    assert.deepEqual(await asked(), [undefined, 'gross'])
    assert.deepEqual(desk.complaints, [])
  })

  it('stops a query and an export, and so frees their connections', async () => {
    const desk = await enter()
    const { page } = desk
    for (const time of [1, 2, 3]) {
      await desk.write(`${SLOW} -- ${time}`)
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('button', { name: 'Export as Parquet' }).click()
      await page.getByRole('progressbar', { name: 'Export' }).waitFor()
      assert.equal(await page.locator('#export-said').innerText(), 'Creating the file …')
      await page.getByRole('button', { name: 'Stop the export' }).click()
      await page.getByText('The export was stopped.').waitFor()
      assert.equal(await page.getByRole('progressbar').count(), 0)
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await page.locator('#status', { hasText: 'Stopped' }).waitFor()
    }
    await desk.run('SELECT 1 AS one', 'Row 1 of 1')
    assert.deepEqual(desk.complaints, [])
  })

  it('shows the progress of a download', async () => {
    const desk = await enter()
    const { page } = desk
    await page.evaluate(`globalThis.seen = []; const bar = document.querySelector('#export-progress')
      new MutationObserver(() => seen.push(bar.position)).observe(bar, { attributes: true })`)
    await desk.run('SELECT i, hash(i) AS a, hash(i + 1) AS b FROM range(2000000) AS t(i)', /^Rows 1 to /)
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as Parquet' }).click()
    await downloaded
    const said = page.locator('#export-said')
    await page.getByRole('link', { name: 'Save it again' }).waitFor()
    assert.match(await said.innerText(), /^Downloaded .*\.parquet: 2,000,000 rows, \d+(\.\d)? MB\.$/)
    const seen = ((await page.evaluate('seen')) as number[]).filter(position => position > 0)
    assert.ok(seen.length > 2 && seen[0] !== 1 && seen.at(-1) === 1, seen.join())
    assert.deepEqual(seen, seen.toSorted())
    const [again] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save it again' }).click(),
    ])
    assert.equal(again.suggestedFilename(), (await downloaded).suggestedFilename())
    assert.deepEqual(desk.complaints, [])
  })
})
