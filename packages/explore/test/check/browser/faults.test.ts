import assert from 'node:assert/strict'
import { createKey } from '../../../../../server/dist/store/keys.js'
import { addOrganization } from '../../../../../server/dist/store/organizations.js'
import { grantOrganizations } from '../../../../../server/dist/store/users.js'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { ADA } from '../../../../../test/check/pages/site.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { Desk } from './desk.js'

describeInBrowser('the query page when something fails', open => {
  let site: AssessedSite
  let isClosed = false
  before(async () => {
    // Opening the page takes six calls: projects, relations, the catalogue, warnings, entities and the first example.
    // The quota leaves two more per key.
    site = await startAssessedSite({ quota: '8/60s' })
  })
  after(async () => {
    if (!isClosed) await site.close()
  })

  const enter = async () => new Desk(await open()).enter(site.url, await site.key())

  it('says when to try again once the quota is used up, and tries again', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run('SELECT 1 AS one', 'Row 1 of 1')
    await desk.run('SELECT 2 AS two', 'Row 1 of 1')
    const { marked, said } = await desk.refused('SELECT 3 AS three')
    assert.equal(marked, '')
    const [, seconds, clock] = /Try again in (\d+) seconds?, at (\d\d:\d\d:\d\d)\./.exec(said) ?? []
    assert.ok(Number(seconds) > 0 && Number(seconds) <= 60 && clock, said)
    const [asked] = await Promise.all([
      desk.called('projects/query'),
      page.getByRole('button', { name: 'Try again' }).click(),
    ])
    assert.equal(asked.sql, 'SELECT 3 AS three')
    await page.locator('#refusal').waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'run')
  })

  it('asks once for a statement that takes too long', async () => {
    const slow = await startAssessedSite({ quota: '100/60s', queryTimeout: '1s' })
    try {
      const key = await slow.key()
      const desk = await new Desk(await open()).enter(slow.url, key)
      await desk.run('SELECT 1 AS one', 'Row 1 of 1')
      const before = await left(slow, key)
      const { said } = await desk.refused('SELECT count(*) FROM range(1000000) a, range(1000000) b')
      assert.match(said, /^The query ran longer than 1 seconds/)
      assert.equal(await left(slow, key), before - 2, 'one for the statement, and one to look')
    } finally {
      await slow.close()
    }
  })

  /** How many calls the quota of a key leaves after this one. */
  async function left({ url }: AssessedSite, key: string): Promise<number> {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${url}/public/v1/api/projects/list`, { method: 'POST', headers, body: '{}' })
    const [, remaining] = /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '') ?? []
    return Number(remaining)
  }

  it('keeps the rows when the next page fails, and hides them when another query fails', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run('SELECT i FROM range(500) AS t(i) ORDER BY i', 'Rows 1 to 100, and there are more')
    await page.getByRole('button', { name: 'Next page' }).click()
    await desk.heading('Rows 101 to 200, and there are more')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.locator('#refusal').waitFor()
    await desk.heading('Rows 101 to 200, and there are more')
    assert.equal(await desk.rows.count(), 100)
    await desk.refused('SELECT 1')
    assert.equal(await desk.rows.count(), 0)
    assert.ok(await page.getByText('The query failed: what to change is said beside it.').isVisible())
  })

  it('reports a refused export as it reports a refused query', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.refused('SELECT nothing')
    await desk.write('SELECT 1 AS one,\n oops')
    await page.getByRole('button', { name: 'Export as Parquet' }).click()
    await page.locator('#refusal').waitFor()
    assert.equal(await desk.marked(), 'oops')
    assert.equal(await page.locator('#exporting').isVisible(), false)
  })

  it('says that a project has no analytics yet', async () => {
    const desk = await enter()
    const { page } = desk
    const label = await page.locator('#project option', { hasText: 'being assessed' }).first().textContent()
    await page.getByLabel('Project').selectOption(label)
    await page.locator('#refusal').waitFor()
    assert.match(await page.locator('#refusal').innerText(), /assessment of the project is running/)
    assert.equal(await page.locator('#relations li').count(), 0)
    assert.ok(await page.locator('#idle', { hasText: 'This project cannot be queried now.' }).isVisible())
  })

  it('says that a key can read no project', async () => {
    await addOrganization(site.store, { key: 'empty', name: 'Empty' })
    await grantOrganizations(site.store, ADA.email, ['empty'])
    const { key } = await createKey(site.store, { user: ADA.email, organizations: ['empty'], name: 'empty' })
    const page = await open()
    await page.goto(`${site.url}/explore`)
    await page.getByLabel('API key').fill(key)
    await page.getByLabel('API key').press('Enter')
    await page.getByText(/^This key reads no project\. Ask the people who gave it to you/).waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('There is no project to query.').waitFor()
  })

  it('says that the service cannot be reached', async () => {
    const desk = await enter()
    await desk.run('SELECT 1 AS one', 'Row 1 of 1')
    isClosed = true
    await site.close()
    const { said } = await desk.refused('SELECT 2')
    assert.match(said, /The service cannot be reached: check your connection, then try again\./)
    assert.ok(await desk.page.getByRole('button', { name: 'Try again' }).isVisible())
    assert.equal(await desk.text(), 'SELECT 2')
  })
})
