import type { Page } from 'playwright-core'
import { startAssessedSite } from '../packages/explore/test/check/browser/assessed-site.js'
import { busyMs, NEXT_PAGE } from '../packages/explore/test/check/browser/busy.js'
import { Desk } from '../packages/explore/test/check/browser/desk.js'
import { launchBrowser } from '../test/check/browser/browser.js'
import { median, timed } from './assessed.js'
import type { Figure } from './run.js'

const ROUNDS = 7
const ROWS = 500
const SQL = `SELECT i, ${Array.from({ length: 12 }, (_, at) => `i * ${at + 2} AS column_${at}`).join(', ')} FROM range(30000) AS t(i)`
/** The same cells as a plain table, whose columns are as wide as their longest cells. */
const PLAIN = `(from => {
  const table = document.createElement('table')
  for (let row = from; row < from + ${ROWS}; row++) {
    const line = table.insertRow()
    for (let column = 1; column <= 13; column++) line.insertCell().textContent = (row * column).toLocaleString('en')
  }
  document.body.replaceChildren(table)
})`
/** Resolves when the page has been painted once more. */
const PAINTED = 'new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))'

/** What a page of 500 rows × 13 costs the browser on the query page, and as a plain table in an empty page. */
export async function run(): Promise<Figure[]> {
  const site = await startAssessedSite({ quota: '10000/60s' })
  const browser = await launchBrowser()
  try {
    const desk = await new Desk(await (await browser.newContext()).newPage()).enter(site.url, await site.key())
    await desk.page.getByLabel('Rows per page').selectOption(String(ROWS))
    await desk.run(SQL, `Rows 1 to ${ROWS}, and there are more`)
    const plain = await (await browser.newContext()).newPage()
    const ours: Costs = { busy: [], whole: [] }
    const bare: Costs = { busy: [], whole: [] }
    for (let round = 1; round <= ROUNDS; round++) {
      await cost(desk.page, ours, () => desk.page.evaluate(NEXT_PAGE))
      await desk.idle()
      await cost(plain, bare, () => plain.evaluate(`${PLAIN}(${round * ROWS})`))
    }
    const figure = (what: string, key: keyof Costs, bar: string): Figure => ({
      what,
      measured: `${median(ours[key]).toFixed(0)} ms`,
      baseline: `${median(bare[key]).toFixed(0)} ms as a plain table`,
      bar: `${bar}here ${(median(ours[key]) / median(bare[key])).toFixed(2)}×`,
    })
    return [
      figure(`${ROWS} rows × 13, work of the browser`, 'busy', '100 ms, '),
      figure(`${ROWS} rows × 13, from the click to the rows`, 'whole', ''),
    ]
  } finally {
    await browser.close()
    await site.close()
  }
}

interface Costs {
  /** Processor time of the page's thread, in milliseconds. */
  busy: number[]
  /** Milliseconds on the clock. */
  whole: number[]
}

async function cost(page: Page, costs: Costs, work: () => Promise<unknown>): Promise<void> {
  costs.busy.push(
    await busyMs(page, async () => {
      costs.whole.push(
        await timed(async () => {
          await work()
          await page.evaluate(PAINTED)
        }),
      )
    }),
  )
}
