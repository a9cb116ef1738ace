import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineQuery } from 'foldgate'
import { assertSound } from '../../../../../test/check/browser/accessible.js'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { METER_FILES, meters } from '../../../../../test/hints/meters.js'
import { output, scratchFolder } from '../../../../../test/server/command.js'
import { writeCatalogue, writeKiosk } from '../../../../../test/server/kiosk.js'
import { type Served, serve, stop } from '../../../../../test/server/server.js'
import { Desk, hearViolations } from './desk.js'

const scratch = scratchFolder()
const parameters = {
  risk: { type: 'VARCHAR', about: 'The risk', values: ['low', 'medium', 'high'] },
  least: { type: 'DECIMAL(10,2)', about: 'The smallest budget, in EUR', default: 10 },
  names: { type: 'VARCHAR[]', about: 'Names to leave out', default: ['Nice'] },
} as const
const SITES = 'SELECT name, budget FROM sites'
const catalogue = defineCatalogue({
  relations: [...meters.relations.values()],
  queries: [1, 2].map(version =>
    defineQuery({
      name: 'sites_at_risk',
      version,
      about: `Which sites are at this risk? Version ${version}.`,
      parameters,
      sql: `${SITES} WHERE risk = $risk AND budget >= $least AND NOT list_contains($names, name) ORDER BY name`,
      columns: { name: 'VARCHAR', budget: 'DECIMAL(10,2)' },
    }),
  ),
})

describeInBrowser('named queries on the query page', open => {
  let served: Served
  let key: string
  let limited: string
  before(async () => {
    const flags = ['--catalogue', await writeCatalogue(scratch.path, catalogue)]
    await writeKiosk(join(scratch.path, 'tables'), METER_FILES)
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'The North')
    await output(scratch.path, 'user', 'add', 'ada@example.org', '--organization', 'north')
    const project = await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'Meters')
    const create = ['key', 'create', '--user', 'ada@example.org', '--organization', 'north']
    key = await output(scratch.path, ...create)
    limited = await output(scratch.path, ...create, '--only-query', 'sites_at_risk')
    await output(scratch.path, 'seal', project, 'tables', ...flags)
    served = await serve(scratch.path, ...flags)
  })
  after(() => stop(served.child))

  const start = async (given: string) => {
    const page = await open()
    await hearViolations(page)
    const desk = new Desk(page)
    await page.goto(`${served.url}/explore`)
    await page.getByLabel('API key').fill(given)
    await page.getByRole('button', { name: 'Use key' }).click()
    return desk
  }
  const rows = (desk: Desk) => Promise.all([desk.column(1), desk.column(2)])
  const run = async ({ page }: Desk) => page.getByRole('button', { name: 'Run', exact: true }).click()

  it('are forms, whose fields have the types, the values and the defaults that the catalogue declares', async () => {
    const desk = await start(key)
    const { page } = desk
    await desk.ready()
    await desk.menu('examples-menu')
    await page.getByRole('button', { name: /^Which sites are at this risk\? Version 2\./ }).click()
    assert.equal(await page.locator('#sql').isVisible(), false)
    const risk = page.getByLabel('The risk')
    assert.deepEqual(await risk.locator('option').allTextContents(), ['', 'low', 'medium', 'high'])
    assert.equal(await page.getByLabel('The smallest budget, in EUR').inputValue(), '10')
    assert.equal(await page.getByLabel('Names to leave out').inputValue(), 'Nice')
    await run(desk)
    await page.locator('.parameter .problem', { hasText: 'Type a value' }).waitFor()
    await risk.selectOption('low')
    await run(desk)
    await desk.heading('Row 1 of 1')
    assert.deepEqual(await rows(desk), [['Bonn'], ['80.05']])
    await assertSound(page, 'the form of a named query')
    // Rows that no SQL of the page has made cannot be sorted by it.
    assert.equal(await page.locator('#rows thead button').count(), 0)
    assert.equal(await page.locator('#filter').isVisible(), false)
    await page.getByLabel('The smallest budget, in EUR').fill('1')
    await page.locator('#earlier').waitFor()
    await page.getByLabel('Names to leave out').fill('Bonn')
    await run(desk)
    await page.locator('#rows tbody td', { hasText: 'Nice' }).waitFor()
    assert.deepEqual(await rows(desk), [['Nice'], ['7.00']])
    await page.getByLabel('File format').selectOption('csv')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ])
    assert.equal(await readFile(await download.path(), 'utf8'), 'name,budget\nNice,7.00\n')
    await desk.tab('Call')
    const call = await page.locator('#call').innerText()
    assert.match(call, /\/public\/v1\/queries\/sites_at_risk@2'/)
    assert.doesNotMatch(call, /"sql"/)
    assert.equal(await page.locator('#queries-menu').isVisible(), false, 'it would save the hidden statement')
    await page.getByRole('button', { name: 'Write SQL instead' }).click()
    await page.locator('#earlier').waitFor()
    assert.deepEqual(await page.locator('#parameters').isVisible(), false)
    assert.equal(await page.locator('.parameter').count(), 0)
    assert.equal(await page.locator('#queries-menu').isVisible(), true)
    await desk.run(`${SITES} ORDER BY name`, 'Rows 1 to 4 of 4')
    assert.equal(await page.locator('#rows thead button').count(), 2)
    assert.deepEqual(desk.complaints, [])
  })

  it('are all there is for a key that can run nothing else', async () => {
    const desk = await start(limited)
    const { page } = desk
    await page.getByText('Which sites are at this risk? Version 2.').first().waitFor()
    assert.doesNotMatch(await page.locator('body').innerText(), /cannot be queried/)
    for (const id of ['sql', 'check', 'shelf', 'named-close', 'queries-menu'])
      assert.equal(await page.locator(`#${id}`).isVisible(), false, id)
    await page.getByLabel('The risk').selectOption('high')
    await run(desk)
    await desk.heading('Row 1 of 1')
    assert.deepEqual(await rows(desk), [['Aachen'], ['100.10']])
    await assertSound(page, 'a key for named queries')
    assert.deepEqual(desk.complaints, [])
  })
})
