import assert from 'node:assert/strict'
import { createKey as storeKey } from '#server/store/keys.js'
import { scratchFolder } from '../../server/command.js'
import { ADA, recordUsage, type Site, startSite } from '../pages/site.js'
import { assertSound } from './accessible.js'
import { changePassword, createKey, describeInBrowser, logIn } from './browser.js'

const DAY_MS = 86_400_000
const WIDTHS = { 'a wide window': 1280, 'a small phone': 320 }
const scratch = scratchFolder()

describeInBrowser('the looks of the pages', open => {
  let site: Site
  before(async () => {
    site = await startSite(scratch.path)
    const owner = { user: ADA.email, organizations: ['north', 'south'] }
    const { id: keyId } = await storeKey(site.store, { ...owner, name: 'Used', expiresAt: Date.now() + DAY_MS })
    await storeKey(site.store, { ...owner, name: '<b>Long</b> '.repeat(12) })
    const uses = { keyId, at: Date.now() - DAY_MS }
    await recordUsage(site.store, [
      { ...uses, method: 'projects/list' },
      { ...uses, method: 'download' },
    ])
  })
  after(() => site.close())

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [where, width] of Object.entries(WIDTHS)) {
      it(`pass the accessibility rules in ${colorScheme} colours on ${where}`, async () => {
        const page = await open({ colorScheme, viewport: { width, height: 800 } })
        await page.goto(site.url)
        await assertSound(page, 'login')
        await page.getByLabel('E-mail address').fill('eve@example.org')
        await page.getByLabel('Password').fill('wrong password')
        await page.getByRole('button', { name: 'Log in' }).click()
        await page.getByText('The e-mail address or password is wrong.').waitFor()
        await assertSound(page, 'login that failed')
        await logIn(page, site.url)
        for (const fold of await page.locator('summary').all()) await fold.click()
        await assertSound(page, 'keys')
        await page.getByRole('link', { name: 'Password' }).click()
        await page.getByRole('heading', { name: 'Change your password' }).waitFor()
        await assertSound(page, 'password')
        await changePassword(page, 'wrong password', 'another horse')
        await page.getByText('This is not your current password.').waitFor()
        await assertSound(page, 'password that was wrong')
        await changePassword(page, ADA.password, ADA.password)
        await page.getByText('Your password is changed.').waitFor()
        await assertSound(page, 'keys after the change of the password')
        await page.getByLabel('Name').fill('Another')
        await page.getByRole('button', { name: 'Create key' }).click()
        await page.getByText('Choose at least one').waitFor()
        await assertSound(page, 'form that failed')
        await createKey(page, `Key in ${colorScheme} ${width}`)
        await assertSound(page, 'new key')
        await page.reload()
        await assertSound(page, 'key not shown again')
        await page.getByRole('link', { name: 'Revoke it' }).click()
        await page.getByRole('heading', { name: 'Revoke this key?' }).waitFor()
        await assertSound(page, 'revocation')
        await page.getByRole('button', { name: 'Revoke key' }).click()
        await page.getByText('is revoked:').waitFor()
        await page.getByText(/inactive keys?/).click()
        await assertSound(page, 'keys with a revoked one')
        await page.goto(`${site.url}/keys/none/revoke`)
        await assertSound(page, 'error')
      })
    }
  }

  it('follow the preferred colour scheme of the user', async () => {
    const grounds = await Promise.all(
      (['light', 'dark'] as const).map(async colorScheme => {
        const page = await open({ colorScheme })
        await page.goto(site.url)
        const ground = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
        return (ground.match(/\d+/g) ?? []).slice(0, 3).map(Number)
      }),
    )
    const [light = [], dark = []] = grounds
    assert.ok(Math.min(...light) > 220 && Math.max(...dark) < 40, `${light} and ${dark}`)
  })
})
