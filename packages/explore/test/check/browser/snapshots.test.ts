import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { assertSound } from '../../../../../test/check/browser/accessible.js'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { METER_FILES, meters } from '../../../../../test/hints/meters.js'
import { output, scratchFolder } from '../../../../../test/server/command.js'
import { writeCatalogue, writeKiosk } from '../../../../../test/server/kiosk.js'
import { type Served, serve, stop } from '../../../../../test/server/server.js'
import { Desk, hearViolations } from './desk.js'

const scratch = scratchFolder()
const COUNT = 'SELECT count(*) AS n FROM sites'

describeInBrowser('the snapshot that the query page reads', open => {
  let served: Served
  let key: string
  let project: string
  let catalogue: string[]
  /** Ids of the snapshots, in their order; each has one site more than the one before, and the first has four. */
  const ids: string[] = []

  const seal = async () => {
    const more = Array.from({ length: ids.length }, (_, at) => `${at + 5},Site ${at + 5},ES,low,1.00\n`)
    await writeFile(join(scratch.path, 'tables/sites.csv'), METER_FILES['sites.csv'] + more.join(''))
    ids.push(await output(scratch.path, 'seal', project, 'tables', ...catalogue))
  }
  before(async () => {
    catalogue = ['--catalogue', await writeCatalogue(scratch.path, meters)]
    await writeKiosk(join(scratch.path, 'tables'), METER_FILES)
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'The North')
    await output(scratch.path, 'user', 'add', 'ada@example.org', '--organization', 'north')
    project = await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'Meters')
    key = await output(scratch.path, 'key', 'create', '--user', 'ada@example.org', '--organization', 'north')
    await seal()
    served = await serve(scratch.path, ...catalogue)
  })
  after(() => stop(served.child))

  const enter = async (options = {}) => {
    const page = await open(options)
    await hearViolations(page)
    return new Desk(page).enter(served.url, key)
  }
  const sites = async (desk: Desk) => (await desk.column(1))[0]
  const later = (page: Page) => page.clock.setSystemTime(Date.now() + 61_000)

  it('stays the one that the page began with, until a newer one is announced and read', async () => {
    const desk = await enter()
    const { page } = desk
    const newer = page.locator('#newer')
    await desk.run(COUNT, 'Row 1 of 1')
    // Whether there is a newer one cannot be read for a while.
    const blocked = /json-rpc$/
    await page.route(blocked, route =>
      route.request().postData()?.includes('"snapshots"') ? route.fulfill({ status: 503 }) : route.continue(),
    )
    await later(page)
    await desk.run(COUNT, 'Row 1 of 1')
    assert.doesNotMatch(page.url(), /snapshot=/)
    await page.unroute(blocked)
    await seal()
    await desk.run(COUNT, 'Row 1 of 1')
    assert.deepEqual([await sites(desk), await newer.isVisible()], ['4', false])
    await page.clock.setSystemTime(Date.now() + 130_000)
    await desk.run(COUNT, 'Row 1 of 1')
    await newer.getByText(/^A newer snapshot was sealed on \d+ \w+ \d{4} at \d\d:\d\d\.$/).waitFor()
    assert.equal(await sites(desk), '4')
    await assertSound(page, 'a newer snapshot')
    await newer.getByRole('button', { name: 'Read it' }).click()
    await page.getByRole('cell', { name: '5', exact: true }).waitFor()
    assert.equal(await newer.isVisible(), false)
    assert.deepEqual(desk.complaints, [])
  })

  it('can be chosen of those that are kept; rows follow, and links and calls name it', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run(COUNT, 'Row 1 of 1')
    assert.equal(await sites(desk), '5')
    assert.doesNotMatch(page.url(), /snapshot=/)
    await desk.menu('sealed')
    const field = page.getByLabel('Queries read the snapshot that was sealed on')
    assert.deepEqual(await field.locator('option').evaluateAll(all => all.map(each => each.value)), [...ids].reverse())
    await field.selectOption(ids[0] ?? '')
    await page.getByRole('cell', { name: '4', exact: true }).waitFor()
    await page.locator('#sealed-told', { hasText: '· not the newest' }).waitFor()
    await assertSound(page, 'an older snapshot')
    assert.match(page.url(), new RegExp(`snapshot=${ids[0]}`))
    await desk.tab('Call')
    assert.match(await page.locator('#call').innerText(), new RegExp(`"snapshot":"${ids[0]}"`))

    const other = new Desk(await open())
    await other.page.goto(page.url())
    await other.page.getByLabel('API key').fill(key)
    await other.page.keyboard.press('Enter')
    await other.ready()
    await other.page.getByRole('button', { name: 'Run', exact: true }).click()
    await other.page.getByRole('cell', { name: '4', exact: true }).waitFor()

    await desk.menu('sealed')
    await field.selectOption(ids.at(-1) ?? '')
    await desk.tab('Table')
    await page.getByRole('cell', { name: '5', exact: true }).waitFor()
    await desk.tab('Call')
    assert.doesNotMatch(await page.locator('#call').innerText(), /snapshot/)
    assert.deepEqual([...desk.complaints, ...other.complaints], [])
  })

  it('is compared with another one, differences first', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run(
      'SELECT country, count(*) AS n, sum(budget) AS budget FROM sites GROUP BY country',
      'Rows 1 to 3 of 3',
    )
    await desk.tab('Compare')
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.getByText(/^3 rows: 1 new, 2 the same\. Before: .* at \d\d:\d\d; after: .* at \d\d:\d\d\.$/).waitFor()
    const heads = await page.locator('#compared th .column-name').allInnerTexts()
    assert.deepEqual(heads, ['row', 'country', 'n, before', 'n, after', 'budget, before', 'budget, after'])
    const cells = await page
      .locator('#compared tbody tr')
      .evaluateAll(all => all.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent)))
    assert.deepEqual(cells, [
      ['new', 'ES', '', '1', '', '1.00'],
      ['the same', 'DE', '2', '2', '180.15', '180.15'],
      ['the same', 'FR', '2', '2', '27.00', '27.00'],
    ])
    await assertSound(page, 'compared snapshots')
    await desk.run('SELECT i FROM range(5001) AS t(i)', /^Rows 1 to/)
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.getByText('More than 5,000 rows: aggregate or filter them to compare.').waitFor()
    assert.deepEqual(desk.complaints, [])
  })

  it('is said not to be kept any more where it is not, with a button that reads the newest', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run(COUNT, 'Row 1 of 1')
    await seal()
    await output(scratch.path, 'snapshot', 'prune', project)
    const { said } = await desk.refused(COUNT)
    assert.match(said, /snapshot/)
    await page.getByRole('button', { name: 'Read the newest snapshot' }).click()
    await page.getByRole('cell', { name: '6', exact: true }).waitFor()
    assert.deepEqual(desk.complaints, [])
  })
})
