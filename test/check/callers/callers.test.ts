import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { describeInBrowser } from '../browser/browser.js'
import { MODULES, serveFiles } from '../client/site.js'
import { CALLERS, demoService, need, numberAfter, STRANGE, withScript } from './demo.js'

const TSX = createRequire(import.meta.url).resolve('tsx')

/** Runs the examples as their readers do; those in Python and R have suites of their own. */
describe('the examples for callers', () => {
  let site: { url: string; close(): void }
  before(async () => {
    site = await serveFiles(
      { '/': await readFile(join(CALLERS, 'browser/index.html')) },
      { '/node_modules/': MODULES, '/': join(CALLERS, 'browser') },
    )
  })
  const demo = demoService(() => ['--cors-origin', site.url])
  after(() => site.close())

  for (const shell of [['sh'], ['dash'], ['busybox', 'sh']])
    describe(`curl, in ${shell.join(' ')}`, () => {
      const [program = '', ...args] = shell
      const script = [...args, join(CALLERS, 'curl.sh')]
      before(async function () {
        await need(this, 'curl', ['--version'], 'with curl')
        await need(this, program, [...args, '-c', ':'], `with curl in ${shell.join(' ')}`)
      })

      it('calls every method and downloads a file', async () => {
        const text = await demo.printed(program, script)
        const answers = text.split('\n').filter(line => line.startsWith('{'))
        assert.equal(answers.length, 3, text)
        assert.ok(answers.some(line => line.includes('\\n'))) // which the echo of some shells replaces
        for (const answer of answers) assert.ok('result' in JSON.parse(answer))
        assert.match(text, /"state":"computed"/)
        assert.match(text, /"columns":\[\{"name":"ipbes_pressure"/)
        assert.match(
          text,
          /\{"result":\{"items":\[\{"ipbes_pressure":.*"columns":\[\{"name":"ipbes_pressure",.*"total":\d/,
        )
        const { size } = await stat(join(demo.folder, 'pressures.parquet'))
        assert.equal(numberAfter(text, 'downloaded'), size)
      })

      it('downloads the format that the file is named after', async () => {
        await demo.printed(program, [...script, '', 'curl.csv'])
        assert.match(await readFile(join(demo.folder, 'curl.csv'), 'utf8'), /^pressure_indicator,.*\n[^\n]+,/)
        await demo.printed(program, [...script, '', 'curl.xlsx'])
        assert.equal((await readFile(join(demo.folder, 'curl.xlsx'))).toString('latin1', 0, 2), 'PK')
      })

      it('reports a failure and ends', async () => {
        await assert.rejects(demo.printed(program, script, { FOLDGATE_KEY: 'nobody' }), /UNAUTHENTICATED/)
      })

      it('reports an answer that is no JSON', async () => {
        for (const strange of STRANGE)
          await withScript([strange], async url => {
            const ended = demo.printed(program, script, { FOLDGATE_URL: url })
            await assert.rejects(ended, /projects\/list: not an answer of the service.*<h1>Welcome/s)
          })
      })
    })

  it('Node: reads rows, downloads a file, reads a table', async () => {
    const text = await demo.printed(process.execPath, ['--import', TSX, join(CALLERS, 'node.ts')])
    assert.equal(text.match(/\(made up\)/g)?.length, 4, text)
    assert.ok(numberAfter(text, 'climate change') > 0)
    assert.match(text, /\.parquet: [1-9]\d* rows of pressure_indicator, /)
  })

  it('Node: reports an answer that is no JSON', async () => {
    for (const strange of STRANGE)
      await withScript([strange], async url => {
        const ended = demo.printed(process.execPath, ['--import', TSX, join(CALLERS, 'node.ts')], { FOLDGATE_URL: url })
        await assert.rejects(ended, ({ stderr }: { stderr: string }) =>
          /^[^\n]*is not the service[^\n]*\n$/.test(stderr),
        )
      })
  })

  describeInBrowser('the page', open => {
    it('opens an export from another origin under its own policy, and draws it', async () => {
      const page = await open()
      const complaints: string[] = []
      page.on('console', message => complaints.push(message.text()))
      page.on('pageerror', error => complaints.push(error.message))
      await page.goto(site.url)
      await page.getByLabel('Service').fill(demo.url)
      await page.getByLabel('API key').fill('nobody')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText(/^UNAUTHENTICATED: /).waitFor()
      assert.deepEqual(
        complaints.splice(0).filter(text => !/status of 401/.test(text)),
        [],
      )
      await page.getByLabel('API key').fill(demo.key)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByLabel('Pressure').selectOption('co2e (t)')
      const drawing = page.getByRole('img', { name: 'co2e (t) by biome' })
      const bars = await drawing.locator('rect').count()
      assert.ok(bars >= 3, `${bars} bars`)
      assert.equal(await drawing.locator('.label').count(), bars)
      assert.match((await page.getByRole('status').textContent()) ?? '', /\(made up\).*: \d+ rows$/)
      assert.deepEqual(complaints, [])
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate('axe.run(document)')) as AxeResults
      assert.deepEqual(
        violations.map(({ id }) => id),
        [],
      )
    })
  })
})
