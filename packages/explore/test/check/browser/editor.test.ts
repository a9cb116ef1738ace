import assert from 'node:assert/strict'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { CONTENT, Desk, hearViolations } from './desk.js'

describeInBrowser('the SQL editor of the query page', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  const enter = async () => {
    const page = await open()
    await hearViolations(page)
    return new Desk(page).enter(site.url, await site.key())
  }

  /** Waits for the completion with this name, and for it to be selected when Enter is to take it. */
  const optionOf = async ({ page }: Desk, name: string, isSelected = false) => {
    const option = page.locator('#sql [role=option]').filter({ hasText: name }).first()
    await option.waitFor()
    // A list that has just appeared does not take keys yet, lest they were meant for the text.
    if (isSelected) await page.waitForTimeout(150)
    return option
  }

  it('edits a selection without leaving styles that the policy blocks', async () => {
    const desk = await enter()
    const { page } = desk
    const { keyboard } = page
    const LINES = "SELECT 'a', 1 -- one\nFROM sites\nWHERE true"
    for (const [key, left] of [
      ['x', 'x'],
      ['Backspace', ''],
      ['Delete', ''],
      ['Enter', '\n'],
      ['Control+Backspace', ''],
      ['Control+x', ''],
    ] as const) {
      await desk.write(LINES)
      assert.equal(await desk.text(), LINES)
      await keyboard.press('Control+A')
      await keyboard.press(key)
      assert.equal(await desk.text(), left, key)
      await keyboard.press('Control+Z')
      assert.equal(await desk.text(), LINES, `undo of ${key}`)
    }
    await keyboard.press('Control+Home')
    await keyboard.press('Shift+ArrowDown')
    await keyboard.type('SELECT 2 ')
    assert.equal(await desk.text(), 'SELECT 2 FROM sites\nWHERE true')
    await keyboard.press('Control+B')
    assert.equal(await page.locator('#sql .cm-content :is(b, [style])').count(), 0)
    assert.deepEqual(desk.complaints, [])
  })

  it('takes the plain text of what is pasted or dropped', async () => {
    const desk = await enter()
    await desk.write('SELECT old')
    await desk.page.keyboard.press('Control+A')
    await desk.page.evaluate(`(() => {
      ${CONTENT}
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', '<b style="color: red">SELECT</b> 1')
      clipboardData.setData('text/plain', 'SELECT 1')
      content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })()`)
    assert.equal(await desk.text(), 'SELECT 1')
    await desk.page.evaluate(`(() => {
      ${CONTENT}
      const dataTransfer = new DataTransfer()
      dataTransfer.setData('text/html', '<i style="color: red">, 2</i>')
      dataTransfer.setData('text/plain', ', 2')
      const { right, bottom } = content.querySelector('.cm-line').getBoundingClientRect()
      const at = { clientX: right - 4, clientY: bottom - 4 }
      content.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true, ...at }))
    })()`)
    assert.equal(await desk.text(), 'SELECT 1, 2')
    assert.deepEqual(desk.complaints, [])
  })

  it('completes relations, columns of aliases and functions', async () => {
    const desk = await enter()
    const { keyboard } = desk.page
    await desk.write('')
    await keyboard.type('SELECT * FROM fold_ris')
    assert.match(await (await optionOf(desk, 'fold_risks')).innerText(), /computed/)
    await optionOf(desk, 'fold_risks', true)
    await keyboard.press('Enter')
    assert.equal(await desk.text(), 'SELECT * FROM fold_risks')

    await desk.write('SELECT  FROM sites AS s')
    await keyboard.press('Home')
    for (let step = 0; step < 'SELECT '.length; step++) await keyboard.press('ArrowRight')
    await keyboard.type('s.lat')
    assert.match(await (await optionOf(desk, 'latitude')).innerText(), /DOUBLE/)
    await optionOf(desk, 'latitude', true)
    await keyboard.press('Enter')
    assert.equal(await desk.text(), 'SELECT s.latitude FROM sites AS s')

    await keyboard.type(', list_ag')
    await keyboard.press('Escape')
    await keyboard.type(' ')
    await keyboard.type('count_i')
    await (await optionOf(desk, 'count_if')).click()
    await keyboard.type('true')
    assert.equal(await desk.text(), 'SELECT s.latitude, list_ag count_if(true) FROM sites AS s')
    assert.deepEqual(desk.complaints, [])
  })

  it('ends the line with Enter when the completed word is there already', async () => {
    const desk = await enter()
    const { keyboard } = desk.page
    await desk.write('')
    await keyboard.type('SELECT * FROM sites')
    await optionOf(desk, 'sites', true)
    await keyboard.press('Enter')
    await keyboard.type('LIMIT 1')
    assert.equal(await desk.text(), 'SELECT * FROM sites\nLIMIT 1')
    await keyboard.press('Control+Enter')
    await desk.heading('Row 1 of 1')
    assert.deepEqual(desk.complaints, [])
  })

  it('fixes what a hint names, which can be undone', async () => {
    const desk = await enter()
    const { page } = desk
    for (const [wrong, mistake, fix, right] of [
      ['SELECT count(*) AS n\nFROM sitse', 'sitse', 'sites', 'SELECT count(*) AS n\nFROM sites'],
      ['SELECT cuont(*) AS n FROM sites', 'cuont', 'count', 'SELECT count(*) AS n FROM sites'],
      ['SELECT max(latitdue) AS n FROM sites', 'latitdue', 'latitude', 'SELECT max(latitude) AS n FROM sites'],
    ] as const) {
      const { marked } = await desk.refused(wrong)
      assert.equal(marked, mistake)
      assert.equal(await desk.sql.getAttribute('aria-invalid'), 'true')
      await page.getByRole('button', { name: `Replace with ${fix}` }).click()
      assert.equal(await desk.text(), right)
      assert.equal(await page.evaluate('document.activeElement.id'), 'sql')
      assert.equal(await desk.sql.getAttribute('aria-invalid'), null)
      assert.equal(await desk.marked(), '')
      await page.keyboard.press('Control+Enter')
      await desk.heading('Row 1 of 1')
      await page.keyboard.press('Control+Z')
      assert.equal(await desk.text(), wrong)
    }
    await desk.refused('SELECT average(DISTINCT) FROM sites')
    assert.equal(await page.getByRole('button', { name: /^Replace with/ }).count(), 0)
    assert.deepEqual(desk.complaints, [])
  })

  it('finds text and replaces it', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.write('SELECT one, one FROM sites')
    await page.keyboard.press('Control+F')
    const field = page.getByRole('textbox', { name: 'Find' })
    await field.waitFor()
    await page.keyboard.type('one')
    assert.equal(await page.locator('#sql .cm-searchMatch').count(), 2)
    await page.getByRole('textbox', { name: 'Replace' }).fill('two')
    await page.getByRole('button', { name: 'Replace all' }).click()
    assert.equal(await desk.text(), 'SELECT two, two FROM sites')
    await field.press('Escape')
    assert.equal(await field.count(), 0)
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' ')
    assert.equal(await desk.text(), 'SELECT two, two FROM sites ')
    assert.deepEqual(desk.complaints, [])
  })

  it('lets Tab leave, in both directions', async () => {
    const desk = await enter()
    const { keyboard } = desk.page
    const focused = () => desk.page.evaluate('document.activeElement.id')
    await desk.write('SELECT 1')
    await keyboard.press('Tab')
    assert.equal(await focused(), 'run')
    await keyboard.press('Shift+Tab')
    assert.equal(await focused(), 'sql')
    await keyboard.press('Shift+Tab')
    assert.equal(await desk.page.evaluate('document.activeElement.innerText'), 'Key')
    assert.equal(await desk.text(), 'SELECT 1')
  })
})
