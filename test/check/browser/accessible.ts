import assert from 'node:assert/strict'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Asserts that axe finds no violation on a page. axe bypasses the page's policy; the page's own script does not. */
export async function assertSound(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source)
  const options = JSON.stringify({ runOnly: RULES })
  const { violations, passes } = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResults
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  assert.deepEqual(found, [], what)
  assert.ok(
    passes.some(({ id }) => id === 'color-contrast'),
    `${what}: contrast was checked`,
  )
}
