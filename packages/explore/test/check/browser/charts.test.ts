import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describeInBrowser } from '../../../../../test/check/browser/browser.js'
import { type AssessedSite, startAssessedSite } from './assessed-site.js'
import { Desk, hearViolations } from './desk.js'

const PRESSURES = `SELECT pressure_indicator, unit, scope, sum(net) AS net, sum(gross) AS gross
FROM fold_pressures GROUP BY ALL ORDER BY ALL`

describeInBrowser('the charts and the map of the query page in a browser', open => {
  let site: AssessedSite
  before(async () => {
    site = await startAssessedSite()
  })
  after(() => site.close())

  const enter = async () => {
    const page = await open({ viewport: { width: 1400, height: 1200 } })
    await hearViolations(page)
    return new Desk(page).enter(site.url, await site.key())
  }

  it('draw what the columns mean, with titles, units and values under the pointer', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run('SELECT ipbes_pressure, value, unit FROM dash_ipbes', 'Rows 1 to 5 of 5')
    await desk.tab('Chart')
    const bars = page.locator('.chart-bar')
    await bars.first().waitFor()
    assert.equal(await bars.count(), 4)
    assert.deepEqual((await page.locator('#panel-chart .chart-title').allTextContents()).sort(), [
      'ipbes_pressure',
      'value (species.yr)',
    ])
    assert.equal(
      await page.locator('#panel-chart .chart-caption').innerText(),
      'value by ipbes_pressure, 4 bars. 1 row without a number left out.',
    )
    await desk.tab('Table')
    const [value] = await page.locator('#rows tbody td:nth-of-type(2)').first().allInnerTexts()
    await desk.tab('Chart')
    await bars.first().hover()
    const tip = page.locator('#panel-chart .chart-tip')
    await tip.waitFor()
    const said = await tip.innerText()
    assert.ok(said.includes('climate change') && said.includes(value?.slice(0, 5) ?? '?'), said)
    assert.deepEqual(desk.complaints, [])
  })

  it('keep quantities of different units apart', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run(PRESSURES, /^Rows 1 to /)
    await desk.tab('Chart')
    await page.locator('.chart-bar').first().waitFor()
    const unit = page.getByRole('combobox', { name: 'Unit', exact: true })
    const [first, second] = await unit.locator('option').allTextContents()
    assert.ok(first && second)
    await unit.selectOption({ index: 1 })
    const unitName = second.replace(/ \(\d+\)$/, '')
    await page.locator('.chart-title', { hasText: `(${unitName})` }).waitFor()
    assert.match(await page.locator('#panel-chart .chart-caption').innerText(), /rows? of other units left out\./)
    assert.deepEqual(desk.complaints, [])
  })

  it('are saved as pictures, drawn without any request', async () => {
    const desk = await enter()
    const { page } = desk
    await desk.run('SELECT ipbes_pressure, value, unit FROM dash_ipbes', 'Rows 1 to 5 of 5')
    await desk.tab('Chart')
    await page.locator('.chart-bar').first().waitFor()
    const asked: string[] = []
    page.on('request', request => request.url().startsWith('http') && asked.push(request.url()))
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('#panel-chart').getByRole('button', { name }).click(),
      ])
      return readFile(await download.path())
    }
    const png = await save('Save as PNG')
    assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    assert.ok(png.readUInt32BE(16) > 300 && png.readUInt32BE(20) > 100, 'width and height')
    const svg = (await save('Save as SVG')).toString()
    assert.match(svg, /<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    assert.ok(svg.includes('climate change') && !svg.includes('var(--'), 'its colours are its own')
    assert.deepEqual(asked, [])
    assert.deepEqual(desk.complaints, [])
  })

  it('are saved as SVG that every reader of XML accepts, whatever the labels are', async () => {
    const desk = await enter()
    const { page } = desk
    const labels = [
      `'&amp; & <b> "c" '' ]]>'`,
      "'bell' || chr(7) || chr(1) || chr(27) || '[0m'",
      "'tab' || chr(9) || '😀'",
    ]
    const values = labels.map((label, at) => `(${label}, ${at + 1})`).join(', ')
    await desk.run(`SELECT "a & <b>", n AS "n ""&" FROM (VALUES ${values}) AS v("a & <b>", n)`, 'Rows 1 to 3 of 3')
    await desk.tab('Chart')
    await page.locator('.chart-bar').first().waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#panel-chart').getByRole('button', { name: 'Save as SVG' }).click(),
    ])
    const svg = await readFile(await download.path(), 'utf8')
    // The query page lets no string become markup, so another page parses it.
    const parser = await open()
    const [root, texts] = (await parser.evaluate(`(() => {
      const { documentElement: root } = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml')
      return [root.nodeName, [...root.querySelectorAll('text')].map(each => each.textContent)]
    })()`)) as [string, string[]]
    assert.equal(root, 'svg', svg.slice(0, 300))
    for (const label of [`&amp; & <b> "c" ' ]]>`, 'bell\ufffd\ufffd\ufffd[0m', 'a & <b>', 'n "&'])
      assert.ok(texts.includes(label), `${label} in ${JSON.stringify(texts)}`)
    assert.deepEqual(desk.complaints, [])
  })

  it('show sites on land outlines of this server, and zoom', async () => {
    const desk = await enter()
    const { page } = desk
    const elsewhere: string[] = []
    page.on('request', request => !request.url().startsWith(site.url) && elsewhere.push(request.url()))
    await desk.run('SELECT name, iso3, latitude, longitude FROM sites', /^Rows 1 to /)
    await desk.tab('Map')
    await page.locator('.chart-land').first().waitFor()
    /** Waits until the first point lies at a place for which `condition` holds, and returns the place. */
    const place = (condition: string) =>
      page.evaluate(`new Promise(resolve => {
        const look = () => {
          const { x, y } = document.querySelector('.chart-dot')?.getBoundingClientRect() ?? {}
          const at = x + ' ' + y
          if (x > 0 && ${condition}) resolve(at)
          else requestAnimationFrame(look)
        }
        look()
      })`)
    const before = await place('true')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await place(`at !== '${before}'`)
    await page.getByRole('button', { name: 'Reset the map' }).click()
    await place(`at === '${before}'`)
    assert.deepEqual(elsewhere, [])
    assert.deepEqual(desk.complaints, [])
  })
})
