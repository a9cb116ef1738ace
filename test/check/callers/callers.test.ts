import assert from 'node:assert/strict'
import { type ChildProcess, execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import axe, { type AxeResults } from 'axe-core'
import { outputJson, scratchFolder } from '../../server/command.js'
import { serve, stop } from '../../server/server.js'
import { describeInBrowser } from '../browser/browser.js'
import { FINE, failing, ScriptedService } from '../client/scripted.js'
import { MODULES, serveFiles } from '../client/site.js'

const CALLERS = fileURLToPath(new URL('../../../examples/callers/', import.meta.url))
const NOTEBOOK = fileURLToPath(new URL('./notebook.py', import.meta.url))
const TSX = createRequire(import.meta.url).resolve('tsx')
const INSTALL_MS = 300_000
const run = promisify(execFile)

/** Runs every example as its readers do, against a server with fictional companies. */
describe('the examples for callers', () => {
  const scratch = scratchFolder()
  let url: string
  let key: string
  let child: ChildProcess
  let site: { url: string; close(): void }
  before(async () => {
    const data = ['--data', 'demo']
    ;({ key } = await outputJson<{ key: string }>(scratch.path, 'demo', '--once', '--port', '0', ...data))
    site = await serveFiles(
      { '/': await readFile(join(CALLERS, 'browser/index.html')) },
      { '/node_modules/': MODULES, '/': join(CALLERS, 'browser') },
    )
    ;({ url, child } = await serve(scratch.path, ...data, '--cors-origin', site.url))
  })
  after(async () => {
    site.close()
    await stop(child)
  })

  /** Runs a program in the scratch folder, with the address and the key in its environment; returns its output. */
  async function printed(program: string, args: string[], given: { key?: string } = {}): Promise<string> {
    const environment = {
      ...process.env,
      FOLDGATE_URL: url,
      FOLDGATE_KEY: given.key ?? key,
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const { stdout } = await run(program, args, { cwd: scratch.path, env: environment, timeout: 120_000 })
    return stdout
  }

  /** The first number after a word. */
  const numberAfter = (text: string, word: string) => Number(new RegExp(`${word}\\D*?([\\d.]+)`).exec(text)?.[1])

  /** Skips a test, and says so, if a program cannot be run. */
  async function need(test: Mocha.Context, program: string, args: string[], what: string): Promise<void> {
    if (await run(program, args).catch(() => null)) return
    console.log(`Left out: the example ${what}, which is not installed.`)
    test.skip()
  }

  it('curl: calls every method and downloads a file', async function () {
    await need(this, 'curl', ['--version'], 'with curl')
    const text = await printed('sh', [join(CALLERS, 'curl.sh')])
    assert.match(text, /"state":"computed"/)
    assert.match(text, /"columns":\[\{"name":"ipbes_pressure"/)
    assert.match(text, /\{"result":\{"items":\[\{"ipbes_pressure":/)
    const { size } = await stat(join(scratch.path, 'pressures.parquet'))
    assert.equal(numberAfter(text, 'downloaded'), size)
  })

  it('curl: reports a failure and ends', async function () {
    await need(this, 'curl', ['--version'], 'with curl')
    await assert.rejects(printed('sh', [join(CALLERS, 'curl.sh')], { key: 'nobody' }), /UNAUTHENTICATED/)
  })

  it('Node: reads rows, downloads a file, reads a table', async () => {
    const text = await printed(process.execPath, ['--import', TSX, join(CALLERS, 'node.ts')])
    assert.equal(text.match(/\(made up\)/g)?.length, 4, text)
    assert.ok(numberAfter(text, 'climate change') > 0)
    assert.match(text, /\.parquet: \d+ rows of pressure_indicator, /)
  })

  describe('in Python', () => {
    let python: string
    before(async function () {
      this.timeout(INSTALL_MS)
      python = join(scratch.path, 'python/bin/python')
      try {
        await run('python3', ['-m', 'venv', 'python'], { cwd: scratch.path, timeout: INSTALL_MS / 2 })
        const wanted = ['-r', join(CALLERS, 'python/requirements.txt'), 'nbclient', 'ipykernel']
        const given = ['--quiet', '--no-input', '--disable-pip-version-check', '--retries', '1']
        const pip = ['-m', 'pip', 'install', ...given, ...wanted]
        await run(python, pip, { timeout: INSTALL_MS - 30_000 })
      } catch {
        console.log('Left out: the examples in Python, whose packages cannot be had.')
        this.skip()
      }
    })

    it('pandas, polars and DuckDB compute the same sum', async () => {
      const text = await printed(python, [join(CALLERS, 'python/frames.py')])
      assert.match(text, /climate change/)
      const sums = ['pandas', 'polars', 'duckdb'].map(library => numberAfter(text, library))
      assert.ok((sums[0] ?? 0) > 0, text)
      assert.deepEqual(sums, [sums[0], sums[0], sums[0]])
      assert.match(text, /INVALID_QUERY: .*nett.*'rule': 'engine'/s)
    })

    it('a call is retried only when the service asks for it', async () => {
      const service = new ScriptedService()
      await service.open()
      const code = [
        'import sys; sys.path.insert(0, sys.argv[1])',
        'import analytics; waits = []; analytics.time.sleep = waits.append',
        `service = analytics.Analytics("${service.url}", "k")`,
        'print(service.call("projects/list"), [int(wait) for wait in waits])',
        'try: service.call("projects/list")',
        'except analytics.AnalyticsError as error: print(error.error_class, len(waits))',
      ]
      service.says(
        failing('UNAVAILABLE', undefined, { 'retry-after': '7' }),
        failing('NOT_READY', { retry: true }),
        FINE,
        failing('QUERY_TIMEOUT'),
      )
      const text = await printed(python, ['-c', code.join('\n'), join(CALLERS, 'python')])
      service.close()
      assert.match(text, /^\{'items': \[\]\} \[7, 1\]\nQUERY_TIMEOUT 2\n$/)
      assert.equal(service.asked.length, 4)
    })

    it('the notebook runs from top to bottom, and is stored without outputs', async () => {
      const path = join(CALLERS, 'python/notebook.ipynb')
      const text = await printed(python, [NOTEBOOK, path])
      for (const part of ['Brindlemoor', 'climate change', 'co2e']) assert.ok(text.includes(part), `${part} in ${text}`)
      const { cells } = JSON.parse(await readFile(path, 'utf8')) as { cells: { outputs?: unknown[] }[] }
      assert.deepEqual(
        cells.flatMap(({ outputs = [] }) => outputs),
        [],
      )
    })
  })

  it('R: reads rows and downloads a file', async function () {
    await need(this, 'Rscript', ['-e', 'library(httr2); library(jsonlite)'], 'in R with httr2 and jsonlite')
    const text = await printed('Rscript', [join(CALLERS, 'r/analytics.R')])
    assert.match(text, /climate change/)
    assert.ok(numberAfter(text, 'downloaded') > 0)
  })

  describeInBrowser('the page', open => {
    it('opens an export from another origin under its own policy, and draws it', async () => {
      const page = await open()
      const complaints: string[] = []
      page.on('console', message => complaints.push(message.text()))
      page.on('pageerror', error => complaints.push(error.message))
      await page.goto(site.url)
      await page.getByLabel('Service').fill(url)
      await page.getByLabel('API key').fill('nobody')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText(/^UNAUTHENTICATED: /).waitFor()
      assert.deepEqual(
        complaints.splice(0).filter(text => !/status of 401/.test(text)),
        [],
      )
      await page.getByLabel('API key').fill(key)
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
