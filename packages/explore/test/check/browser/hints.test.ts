import assert from 'node:assert/strict'
import { join } from 'node:path'
import { assertSound } from '../../../../../test/check/browser/accessible.js'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { METER_FILES, meters } from '../../../../../test/hints/meters.js'
import { output, scratchFolder } from '../../../../../test/server/command.js'
import { writeCatalogue, writeKiosk } from '../../../../../test/server/kiosk.js'
import { type Served, serve, stop } from '../../../../../test/server/server.js'
import { Desk, hearViolations } from './desk.js'

const scratch = scratchFolder()

/** Statements with what is underlined, what the button writes there, and the statement after it. */
const WRONG = [
  [
    "SELECT name\nFROM sites -- é\nWHERE risk = 'Hihg'",
    "'Hihg'",
    "'high'",
    "SELECT name\nFROM sites -- é\nWHERE risk = 'high'",
  ],
  [
    'SELECT median(s.budget) FROM sites s',
    's.budget',
    'CAST(s.budget AS DOUBLE)',
    'SELECT median(CAST(s.budget AS DOUBLE)) FROM sites s',
  ],
  [
    'SELECT name FROM sites AS s ORDER BY s."risk", name',
    's."risk"',
    `list_position(['low', 'medium', 'high'], s."risk")`,
    `SELECT name FROM sites AS s ORDER BY list_position(['low', 'medium', 'high'], s."risk"), name`,
  ],
] as const
const UNITS = 'SELECT sum(amount) AS amount FROM readings'
const RIGHT = "SELECT name FROM sites WHERE risk = 'high'"

describeInBrowser('hints on the query page', open => {
  let served: Served
  let key: string
  before(async () => {
    const catalogue = ['--catalogue', await writeCatalogue(scratch.path, meters)]
    await writeKiosk(join(scratch.path, 'tables'), METER_FILES)
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'The North')
    await output(scratch.path, 'user', 'add', 'ada@example.org', '--organization', 'north')
    const project = await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'Meters')
    key = await output(scratch.path, 'key', 'create', '--user', 'ada@example.org', '--organization', 'north')
    await output(scratch.path, 'seal', project, 'tables', ...catalogue)
    served = await serve(scratch.path, ...catalogue)
  })
  after(() => stop(served.child))

  const enter = async (options = {}) => {
    const page = await open(options)
    await hearViolations(page)
    return new Desk(page).enter(served.url, key)
  }
  const hinted = async ({ page }: Desk) => (await page.locator('#sql .hinted').allTextContents()).join('')

  it('are below a statement that ran, each with its place and what to write there, which can be undone', async () => {
    const desk = await enter()
    const { page } = desk
    const list = page.locator('#hints')
    for (const [wrong, place, fix, right] of WRONG) {
      await desk.run(wrong, /row/i)
      await list.locator('li').waitFor()
      assert.equal(await hinted(desk), place)
      assert.equal(await desk.sql.getAttribute('aria-invalid'), null, 'the statement is valid')
      await list.locator('.place').click()
      assert.equal(await desk.selected(), place)
      await list.getByRole('button', { name: `Replace with ${fix}` }).click()
      assert.equal(await desk.text(), right)
      assert.equal(await page.evaluate('document.activeElement.id'), 'sql')
      assert.deepEqual([await list.isVisible(), await hinted(desk)], [false, ''], 'the statement is another one')
      await page.keyboard.press('Control+Z')
      assert.equal(await desk.text(), wrong)
    }
    assert.deepEqual(desk.complaints, [])
  })

  it('are told by a check, too, and vanish with an edit', async () => {
    const desk = await enter()
    const { page } = desk
    const list = page.locator('#hints')
    await desk.write(UNITS)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await list.getByText(/in different units/).waitFor()
    assert.equal(await list.getByRole('button', { name: /^Replace/ }).count(), 0)
    assert.equal(await hinted(desk), 'sum')
    await desk.sql.press('End')
    await page.keyboard.type(' ')
    assert.deepEqual([await list.isVisible(), await hinted(desk)], [false, ''])
    assert.deepEqual(desk.complaints, [])
  })

  it('stay while the rows are sorted, and are none for a statement without faults', async () => {
    const desk = await enter()
    const { page } = desk
    const list = page.locator('#hints')
    await desk.run(UNITS, 'Row 1 of 1')
    await list.locator('li').waitFor()
    await page.getByRole('button', { name: 'amount', exact: true }).click()
    await page.getByText('sorted by amount, ascending').waitFor()
    await desk.idle()
    assert.equal(await hinted(desk), 'sum')
    await desk.run(RIGHT, 'Row 1 of 1')
    assert.deepEqual([await list.isVisible(), await hinted(desk)], [false, ''])
    assert.deepEqual(desk.complaints, [])
  })

  it('stand beside what the values of columns are, which is asked when their relation is opened', async () => {
    const desk = await enter()
    const { page } = desk
    const asked: (string | null)[] = []
    page.on('request', request => request.postData()?.includes('"statistics"') && asked.push(request.postData()))
    await desk.write('SELECT m. FROM meters m')
    await page.locator('#relations summary', { hasText: /^meters$/ }).click()
    const columns = page.getByRole('list', { name: 'Columns of meters' })
    await columns.waitFor()
    const told = await columns.locator('li').allInnerTexts()
    assert.match(told[2] ?? '', /1 different value, from 10 to 10, 3 NULLs\.$/)
    assert.match(told[0] ?? '', /4 different values, from 10 to 13, no NULLs\.$/)
    assert.match(told[3] ?? '', /2 different values, no NULLs\.$/)
    await page.locator('#relations summary', { hasText: /^meters$/ }).click()
    await page.locator('#relations summary', { hasText: /^meters$/ }).click()
    assert.equal(asked.length, 1)
    assert.deepEqual(desk.complaints, [])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1400, 390])
      it(`can be read and used in ${colorScheme} colours, ${width} pixels wide`, async () => {
        const desk = await enter({ colorScheme, viewport: { width, height: 800 } })
        await desk.run(WRONG[0][0], 'No rows')
        await desk.page.locator('#hints li').waitFor()
        await assertSound(desk.page, `hints, ${colorScheme}, ${width} pixels wide`)
        await desk.assertFits('hints')
      })
})
