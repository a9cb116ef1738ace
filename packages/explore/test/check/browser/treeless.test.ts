import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { output, scratchFolder } from '../../../../../test/server/command.js'
import { writeCatalogue, writeKiosk } from '../../../../../test/server/kiosk.js'
import { type Served, serve, stop } from '../../../../../test/server/server.js'
import { CONTENT, Desk } from './desk.js'

const scratch = scratchFolder()
const STRANGE = /assess|entit|ownership|nature|\bnet\b|gross|point.of.view/i

describeInBrowser('the query page over a catalogue without a tree', open => {
  let served: Served
  let key: string
  before(async () => {
    const catalogue = ['--catalogue', await writeCatalogue(scratch.path)]
    await writeKiosk(join(scratch.path, 'tables'))
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'The North')
    await output(scratch.path, 'user', 'add', 'ada@example.org', '--organization', 'north')
    const project = await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'A shop')
    await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'Another one')
    key = await output(scratch.path, 'key', 'create', '--user', 'ada@example.org', '--organization', 'north')
    await output(scratch.path, 'seal', project, 'tables', ...catalogue)
    served = await serve(scratch.path, ...catalogue)
  })
  after(() => stop(served.child))

  it('runs the first example, and neither shows nor sends a point of view', async () => {
    const page = await open()
    const sent: string[] = []
    page.on('request', request => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    const desk = await new Desk(page).enter(served.url, key)
    await desk.rows.first().waitFor()
    assert.deepEqual(await desk.rows.allTextContents(), ['1KEN30.50', '2PER12.00'])
    assert.equal(await page.locator('#view-menu').count(), 0)
    assert.deepEqual(await page.locator('#project option').allTextContents(), [
      'A shop (north)',
      'Another one (north, without data)',
    ])
    await desk.run('SELECT count(*) AS n FROM orders', 'Row 1 of 1')
    assert.match(page.url(), /#project=[0-9a-f-]+&sql=SELECT/)
    await desk.tab('Call')
    for (const shown of [await page.locator('#call').textContent(), await page.locator('body').innerText()])
      assert.doesNotMatch(shown ?? '', STRANGE)
    assert.ok(sent.some(each => each.includes('projects/query')))
    for (const each of sent) assert.doesNotMatch(each, /entityId|ownershipView/)
    assert.deepEqual(desk.complaints, [])
  })

  it('says what relations and columns are: beside the query, in completion and under the pointer', async () => {
    const page = await open()
    const desk = await new Desk(page).enter(served.url, key)
    const orders = page.locator('#relations li', { has: page.getByText('orders', { exact: true }) }).first()
    await orders.locator('summary').click()
    await orders.locator('.columns-list li').first().waitFor()
    const text = await orders.innerText()
    for (const part of [
      'An order of a customer, paid or not.',
      'One row per order_id',
      'What the customer paid, taxes included (EUR)',
      'One of open, paid, cancelled',
      'Refers to customers.customer_id',
    ])
      assert.ok(text.includes(part), `${part}: ${text}`)
    assert.match(await page.locator('#relations').innerText(), /Computed from the tables/)
    await desk.run('SELECT total FROM orders', 'Rows 1 to 3 of 3')
    const box = await page.evaluate(`(() => {
      ${CONTENT}
      const range = document.createRange()
      const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const at = walker.currentNode.data.indexOf('total')
        if (at < 0) continue
        range.setStart(walker.currentNode, at)
        range.setEnd(walker.currentNode, at + 5)
        const { x, y, width, height } = range.getBoundingClientRect()
        return { x: x + width / 2, y: y + height / 2 }
      }
    })()`)
    const { x, y } = box as { x: number; y: number }
    await page.mouse.move(x, y)
    const explained = page.locator('#sql .cm-tooltip-hover')
    await explained.waitFor()
    assert.equal(await explained.innerText(), 'total DECIMAL(12,2)\n\nWhat the customer paid, taxes included (EUR)')
    assert.deepEqual(desk.complaints, [])
  })
})
