import assert from 'node:assert/strict'
import type { BrowserContextOptions } from 'playwright-core'
import { assertSound } from '../../../../../test/check/browser/accessible.js'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { busyMs } from './busy.js'
import { CONTENT, Desk, hearViolations } from './desk.js'

describeInBrowser('the SQL editor of the query page, looked at', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  const enter = async (options: BrowserContextOptions = {}) => {
    const page = await open(options)
    await hearViolations(page)
    return new Desk(page).enter(site.url, await site.key())
  }

  for (const [width, size] of [
    [1280, '15px'],
    [390, '16px'],
  ] as const)
    it(`numbers the lines beside the text at a width of ${width} pixels`, async () => {
      const desk = await enter({ viewport: { width, height: 800 } })
      const { page } = desk
      const look = async () =>
        (await page.evaluate(`(() => {
          const { shadowRoot } = document.querySelector('#sql')
          const boxes = selector => [...shadowRoot.querySelectorAll(selector)]
            .filter(each => each.getBoundingClientRect().height > 0).map(each => {
              const range = document.createRange()
              range.selectNodeContents(each)
              const { left, right } = range.getBoundingClientRect()
              const { top, bottom } = each.getBoundingClientRect()
              return { text: each.textContent, left, right, top, bottom }
            })
          const numbers = boxes('.cm-lineNumbers .cm-gutterElement')
          return [numbers, shadowRoot.querySelector('.cm-content').getBoundingClientRect().left]
        })()`)) as [{ text: string; left: number; right: number; top: number; bottom: number }[], number]
      await desk.write(Array.from({ length: 12 }, (_, at) => `SELECT ${at} ${'x '.repeat(at * 10)}`).join('\n'))
      const [numbers, left] = await look()
      assert.deepEqual(
        numbers.map(({ text }) => text),
        Array.from({ length: 12 }, (_, at) => String(at + 1)),
      )
      for (const [at, number] of numbers.entries()) {
        assert.ok(number.right <= left, JSON.stringify({ number, left }))
        assert.ok(number.top >= (numbers[at - 1]?.bottom ?? Number.NEGATIVE_INFINITY), number.text)
      }
      assert.equal(await page.evaluate(`(() => { ${CONTENT} return getComputedStyle(content).fontSize })()`), size)
      await desk.write('x\n'.repeat(5000))
      await page.keyboard.press('Control+End')
      await page.locator('#sql .cm-gutterElement', { hasText: /^5001$/ }).waitFor()
      const [many, edge] = await look()
      const box = await page.locator('#sql').boundingBox()
      assert.ok(many.every(({ left, right }) => left >= (box?.x ?? 0) && right <= edge))
      await desk.assertFits('5000 lines')
    })

  it('stays responsive in the longest statements', async () => {
    const desk = await enter()
    const { page } = desk
    for (const part of ["'", '(', '/*', 'a+', '((\n', 'é']) {
      const spent = await busyMs(page, async () => {
        await desk.write(part.repeat(65_536 / part.length))
        await page.keyboard.type(' )')
        await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
      })
      assert.ok(spent < 2_000, `${part}: ${spent} ms`)
    }
    assert.deepEqual(desk.complaints, [])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`passes the accessibility rules in ${colorScheme} colours with what it opens`, async () => {
      const desk = await enter({ colorScheme })
      const { page } = desk
      await desk.write('-- sites\nSELECT "name", count(*) + 1.5, \'x\'::VARCHAR, (SELECT 1)\nFROM ')
      await page.keyboard.type('fold')
      await page.locator('#sql [role=option]', { hasText: 'fold_risks' }).waitFor()
      await page.locator('#sql .cm-completionInfo').waitFor()
      await assertSound(page, 'completion')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+F')
      await page.getByRole('textbox', { name: 'Find' }).waitFor()
      await page.keyboard.type('s')
      await assertSound(page, 'find')
      assert.deepEqual(desk.complaints, [])
    })
})
