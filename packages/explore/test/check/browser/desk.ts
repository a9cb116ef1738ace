import assert from 'node:assert/strict'
import type { Locator, Page, Request } from 'playwright-core'

/** Name of the fictional project that the tests use. */
export const PROJECT = /^Brindlemoor Holdings/

/** Script of the page that finds the editable element, as `content`. */
export const CONTENT = "const content = document.querySelector('#sql').shadowRoot.querySelector('.cm-content');"

/** What Chromium itself logs: failed responses, and a login form that a test fills before it is loaded whole. */
const OF_THE_BROWSER =
  /Failed to load resource: the server responded with a status of|^Autofocus processing was blocked/

/** A call of a method. */
export interface Call {
  method: string
  params: { sql?: string; parameters?: object; entityId?: string; ownershipView?: string; dryRun?: boolean }
}

/** The call that a request of the page makes; null for other requests. */
export function callIn(request: Request): Call | null {
  return request.url().endsWith('/public/v1/json-rpc') ? request.postDataJSON() : null
}

/** The query page, operated as a user would. */
export class Desk {
  readonly page: Page
  /** Errors and console messages of the page, except for {@link OF_THE_BROWSER}. */
  readonly complaints: string[] = []

  constructor(page: Page) {
    this.page = page
    page.on('pageerror', error => this.complaints.push(error.message))
    page.on('console', message => {
      if (!OF_THE_BROWSER.test(message.text())) this.complaints.push(message.text())
    })
  }

  get sql(): Locator {
    return this.page.locator('#sql .cm-content')
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

  /** Waits until a project and its entities are there, and the query of a first visit has ended. */
  async ready(): Promise<void> {
    await this.page.locator('#relations li').first().waitFor({ state: 'attached' })
    if ((await this.page.locator('#entity').count()) > 0)
      await this.page.locator('#entity[data-entities]').waitFor({ state: 'attached' })
    await this.idle()
  }

  async idle(): Promise<void> {
    await this.page.locator('#results[aria-busy=false]').waitFor()
  }

  /** Waits for the next call of a method; resolves with its params. */
  async called(method: 'projects/query' | 'projects/export'): Promise<Call['params']> {
    const request = await this.page.waitForRequest(each => callIn(each)?.method === method)
    return callIn(request)?.params ?? {}
  }

  /** Opens a menu by the id of its element. */
  async menu(id: string): Promise<Locator> {
    const menu = this.page.locator(`#${id}`)
    if (!(await menu.evaluate('menu => menu.open'))) await menu.locator('summary').click()
    return menu
  }

  async tab(name: string): Promise<void> {
    await this.page.getByRole('tab', { name, exact: true }).click()
  }

  /** Replaces the query, as a paste over all of it does. */
  async write(sql: string): Promise<void> {
    await this.sql.focus()
    await this.page.keyboard.press('Control+A')
    if (sql === '') await this.page.keyboard.press('Delete')
    else await this.page.keyboard.insertText(sql)
  }

  /** The query. Lines that are far out of view are missing. */
  async text(): Promise<string> {
    return (await this.page.locator('#sql .cm-line').allTextContents()).join('\n')
  }

  /** Runs a statement and waits for the heading above its rows. */
  async run(sql: string, heading: string | RegExp): Promise<void> {
    await this.write(sql)
    await this.page.getByRole('button', { name: 'Run', exact: true }).click()
    await this.idle()
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
    await this.write(sql)
    await this.sql.press('Control+Enter')
    const box = this.page.getByRole('alert').filter({ visible: true })
    await box.waitFor()
    return { marked: await this.marked(), said: await box.innerText() }
  }

  /** The part of the query that is marked as wrong. */
  async marked(): Promise<string> {
    return (await this.page.locator('#sql .marked').allTextContents()).join('')
  }

  /** The selected part of the query. */
  async selected(): Promise<string> {
    return String(await this.page.evaluate("document.querySelector('#sql').shadowRoot.getSelection().toString()"))
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
