import assert from 'node:assert/strict'
import { listWebhooks } from '#webhooks/webhooks.js'
import { assertSound } from '../../../../test/check/browser/accessible.js'
import { describeInBrowser, logIn } from '../../../../test/check/browser/browser.js'
import { type Site, startSite } from '../../../../test/check/pages/site.js'
import { scratchFolder } from '../../../../test/server/command.js'

const LOOKS = [
  ['light', 'a wide window', 1280],
  ['dark', 'a small phone', 320],
] as const
const scratch = scratchFolder()

describeInBrowser('the pages of webhooks', open => {
  let site: Site
  before(async () => {
    site = await startSite(scratch.path)
  })
  after(() => site.close())

  for (const [colorScheme, where, width] of LOOKS)
    it(`pass the accessibility rules in ${colorScheme} colours on ${where}`, async () => {
      const page = await open({ colorScheme, viewport: { width, height: 800 } })
      const fits = async (what: string) => {
        await assertSound(page, what)
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        assert.ok(Number(wide) <= width, `${what} is ${wide} wide`)
      }
      await logIn(page, site.url)
      await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
      await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()
      await fits('webhooks')
      await page.getByLabel('URL').fill('https://127.0.0.1/')
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByText('webhooks may not reach').waitFor()
      await fits('form that failed')
      await page.getByLabel('URL').fill(`https://hooks.invalid/a-long-path/${'x'.repeat(90)}?of=${colorScheme}${width}`)
      await page.getByLabel('The South').check()
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByRole('heading', { name: 'Your new webhook' }).waitFor()
      await fits('secret')
      await page.getByRole('button', { name: 'Copy secret' }).click()
      await page.getByText('Copied', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'I have copied it' }).click()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('webhook.test').waitFor()
      await fits('deliveries')
      await page.getByRole('link', { name: 'Back to your webhooks' }).click()
      await fits('a webhook')
      await page.getByRole('link', { name: /^Remove/ }).click()
      await fits('removal')
      await page.getByRole('button', { name: 'Remove webhook' }).click()
      await page.getByText('nothing more is sent').waitFor()
      await fits('removed')
      assert.deepEqual(await listWebhooks(site.store), [])
    })
})
