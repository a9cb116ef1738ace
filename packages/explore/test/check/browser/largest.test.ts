import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importPackage } from '../../../../../packages/transfer/dist/import/import-package.js'
import { openStore } from '../../../../../server/dist/database/store.js'
import { startServer } from '../../../../../server/dist/serving/start.js'
import { readConfig } from '../../../../../server/dist/settings/config.js'
import { openDataFolder } from '../../../../../server/dist/snapshots/data-folder.js'
import { createKey } from '../../../../../server/dist/store/keys.js'
import { listOrganizations } from '../../../../../server/dist/store/organizations.js'
import { addUser } from '../../../../../server/dist/store/users.js'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { realData } from '../../../../../test/server/data/folder.js'
import { Desk, hearViolations } from './desk.js'

if (realData) {
  const source = realData
  describeInBrowser('the query page on the largest real project', open => {
    let folder: string
    let url: string
    let key: string
    let stop: () => Promise<unknown>
    before(async function () {
      this.timeout(180_000)
      folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
      const data = join(folder, 'data')
      const opened = await openDataFolder(data)
      const store = await openStore(opened.control)
      await importPackage(store, { data: opened }, source)
      const organizations = (await listOrganizations(store)).map(organization => organization.key)
      await addUser(store, { email: 'ada@example.org', organizations })
      key = (await createKey(store, { user: 'ada@example.org', organizations, name: 'largest' })).key
      await store.close()
      const server = await startServer(readConfig({ data, port: '0' }, {}, { connections: 2 }))
      url = server.url
      stop = () => server.close()
    })
    after(async () => {
      await stop?.()
      await rm(folder, { recursive: true, force: true })
    })

    it('finds any of its 9,196 entities by name, and draws 500 of its sites', async () => {
      const page = await open()
      await hearViolations(page)
      const desk = await new Desk(page).enter(url, key)
      const world = await page.locator('#project option', { hasText: /world/i }).first().textContent()
      await page.getByLabel('Project').selectOption(world)
      await desk.ready()
      assert.equal(await page.locator('#entity').getAttribute('data-entities'), '9196')
      // The last of all names, which no list of the first 500 has.
      await desk.run(
        'SELECT entity_id, name FROM entities WHERE parent_key IS NOT NULL ORDER BY name DESC, entity_id LIMIT 1',
        'Row 1 of 1',
      )
      const [[id], [name = '']] = [await desk.column(1), await desk.column(2)]
      await desk.menu('view-menu')
      await page.getByLabel('From the entity').fill(name)
      await page.getByRole('option', { name }).first().waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      assert.equal(await page.locator('#view-told').innerText(), `${name}, net`)
      const [{ entityId }] = await Promise.all([
        desk.called('projects/query'),
        desk.run('SELECT count(*) AS n FROM point_of_view', 'Row 1 of 1'),
      ])
      assert.equal(entityId, id)
      await desk.menu('view-menu')
      await page.getByLabel('From the entity').fill('')
      await page.keyboard.press('Escape')

      await page.getByLabel('Rows per page').selectOption('500')
      await desk.run('SELECT name, iso3, latitude, longitude FROM sites', 'Rows 1 to 500, and there are more')
      await desk.tab('Map')
      await page.locator('.chart-dot').nth(499).waitFor({ state: 'attached' })
      assert.equal(await page.locator('.chart-dot').count(), 500)
      assert.deepEqual(desk.complaints, [])
    }).timeout(60_000)
  })
}
