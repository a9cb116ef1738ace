import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { ADA } from '../pages/site.js'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP *.example.test 127.0.0.1',
]

/** Whether Chromium is installed. */
const hasBrowser = existsSync(CHROMIUM)

if (!hasBrowser)
  console.log(`Left out: the pages in a browser, which is not at ${CHROMIUM} (Debian's package chromium).`)

/** The same address under a host name other than localhost, which browsers therefore treat as an insecure origin. */
export function insecure(url: string, name: string): string {
  return `http://${name}.example.test:${new URL(url).port}`
}

/** Starts the browser. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
}

/** A suite in a real browser, which it closes at the end. Skipped if no browser is installed. */
export function describeInBrowser(
  title: string,
  suite: (open: (options?: BrowserContextOptions) => Promise<Page>) => void,
) {
  ;(hasBrowser ? describe : describe.skip)(title, () => {
    let browser: Browser
    before(async () => {
      browser = await launchBrowser()
    })
    after(() => browser.close())
    suite(async options => (await browser.newContext(options)).newPage())
  })
}

/** Logs Ada in through the form. */
export async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('E-mail address').fill(ADA.email)
  await page.getByLabel('Password').fill(ADA.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
}

/** Fills in and submits the form that changes the password. */
export async function changePassword(page: Page, current: string, next: string): Promise<void> {
  await page.getByLabel('Current password').fill(current)
  await page.getByLabel('New password', { exact: true }).fill(next)
  await page.getByLabel('New password, again').fill(next)
  await page.getByRole('button', { name: 'Change password' }).click()
}

/** Fills in and submits the form that creates a key. */
export async function createKey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('The South').check()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
}
