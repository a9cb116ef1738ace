import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** Name of the fictional project that the tests use. */
export const PROJECT = /^Brindlemoor Holdings/

/** The query page, operated as a user would. */
export class Desk {
  readonly page: Page
  /** Errors and console messages of the page, except those that the browser itself logs for failed responses. */
  readonly complaints: string[] = []

  constructor(page: Page) {
    this.page = page
    page.on('pageerror', error => this.complaints.push(error.message))
    page.on('console', message => {
      if (!/Failed to load resource: the server responded with a status of/.test(message.text()))
        this.complaints.push(message.text())
    })
  }

  get sql(): Locator {
    return this.page.getByLabel('SQL')
  }

  get rows(): Locator {
    return this.page.locator('#rows tbody tr')
  }

  /** Opens the page, pastes a key and waits until the first project is shown. */
  async enter(url: string, key: string): Promise<this> {
    await this.page.goto(`${url}/explore`)
    await this.page.getByLabel('API key').fill(key)
    await this.page.getByRole('button', { name: 'Use key' }).click()
    await this.ready()
    return this
  }

  async ready(): Promise<void> {
    await this.page.locator('#relations li').first().waitFor({ state: 'attached' })
    await this.page.locator('#entity[data-entities]').waitFor({ state: 'attached' })
  }

  /** Runs a statement and waits for the heading above its rows. */
  async run(sql: string, heading: string | RegExp): Promise<void> {
    await this.sql.fill(sql)
    await this.page.getByRole('button', { name: 'Run', exact: true }).click()
    await this.page.locator('#results[aria-busy=false]').waitFor()
    await this.heading(heading)
  }

  async heading(words: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { name: words }).waitFor()
  }

  /** The cells of a column, as displayed; columns are numbered from 1. */
  column(at: number): Promise<string[]> {
    return this.page.locator(`#rows tbody td:nth-of-type(${at})`).allTextContents()
  }

  /** Runs a statement that is refused; returns the part that the editor marks and the message. */
  async refused(sql: string): Promise<{ marked: string; said: string }> {
    await this.sql.fill(sql)
    await this.sql.press('Control+Enter')
    const box = this.page.getByRole('alert').filter({ visible: true })
    await box.waitFor()
    const marks = await this.page.locator('#painted mark').allTextContents()
    return { marked: marks.join(''), said: await box.innerText() }
  }

  /** The selected part of the query. */
  async selected(): Promise<string> {
    const text =
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)'
    return String(await this.page.evaluate(text))
  }

  async assertFits(what: string): Promise<void> {
    const [content, width] = (await this.page.evaluate(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )) as [number, number]
    assert.ok(content <= width, `${what}: ${content} in ${width}`)
  }
}

/** Makes a page log to its console everything that its policy blocks. */
export async function hearViolations(page: Page): Promise<void> {
  await page.addInitScript(
    "document.addEventListener('securitypolicyviolation', e => console.log('policy: ' + e.violatedDirective + ' ' + e.blockedURI))",
  )
}
