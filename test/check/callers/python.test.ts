import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { listen } from '../client/front.js'
import { FINE, failing } from '../client/scripted.js'
import { CALLERS, demoService, numberAfter, STRANGE, withScript } from './demo.js'

const EXAMPLES = join(CALLERS, 'python')
const program = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url))
const INSTALL_MS = 300_000
/** What the suite says about these libraries holds for these versions. DuckDB's is the last one with httpfs here. */
const PINNED = [
  ...['requests==2.34.2', 'pandas==3.1.1', 'pyarrow==26.0.1', 'polars==2.1.0', 'duckdb==1.5.5'],
  ...[
    'openpyxl==3.1.5',
    'duckdb-extension-httpfs==1.5.5',
    'fsspec==2026.9.0',
    'aiohttp==3.14.5',
    'nbclient==0.11.0',
    'ipykernel==7.4.0',
  ],
]
const run = promisify(execFile)

describe('the examples in Python', () => {
  const demo = demoService()
  let python: string
  before(async function () {
    this.timeout(INSTALL_MS)
    python = join(demo.folder, 'python/bin/python')
    try {
      await run('python3', ['-m', 'venv', 'python'], { cwd: demo.folder, timeout: INSTALL_MS / 2 })
      // Imports compile what they need; most modules are never imported.
      const given = ['--quiet', '--no-input', '--no-compile', '--disable-pip-version-check', '--retries', '1']
      const pip = ['-m', 'pip', 'install', ...given, '-r', join(EXAMPLES, 'requirements.txt'), ...PINNED]
      await run(python, pip, { timeout: INSTALL_MS - 30_000 })
    } catch {
      console.log('Left out: the examples in Python, whose packages cannot be had.')
      this.skip()
    }
  })

  /** Runs a program that imports the module of the examples. */
  const printed = (args: string[], environment: NodeJS.ProcessEnv = {}) =>
    demo.printed(python, args, { PYTHONPATH: EXAMPLES, ...environment })

  /** Passes requests on to the service, and records those for files; returns its address. */
  async function relay(recorded: string[]) {
    const server = createServer((asked, answer) => {
      const { method = '', url = '', headers } = asked
      if (url.includes('/exports/')) recorded.push([method, headers.range].join(' ').trim())
      const passed = request(new URL(url, demo.url), { method, headers }, response => {
        answer.writeHead(response.statusCode ?? 500, response.headers)
        response.pipe(answer)
      })
      asked.pipe(passed)
      answer.on('close', () => passed.destroy()) // or the server waits for a reader that has gone
    })
    return { url: await listen(server), close: () => server.close() }
  }

  it('pandas, polars and DuckDB compute the same sum', async () => {
    const text = await printed([join(EXAMPLES, 'frames.py')])
    assert.match(text, /climate change/)
    const sums = ['pandas', 'polars', 'duckdb'].map(library => numberAfter(text, `\n${library}`))
    assert.ok((sums[0] ?? 0) > 0, text)
    assert.deepEqual(sums, [sums[0], sums[0], sums[0]])
    assert.match(text, /INVALID_QUERY: .*nett.*'rule': 'engine'/s)
  })

  it('pandas, polars and DuckDB compute the same sum from every format, and Excel has it', async () => {
    const lines = (await printed([join(EXAMPLES, 'formats.py')])).trim().split('\n')
    const net = ["from openpyxl import load_workbook; rows = load_workbook('pressures.xlsx').worksheets[0].values"]
    net.push("at = next(rows).index('net'); print(f'{sum(row[at] or 0 for row in rows):.3f}')")
    const sum = (await printed(['-c', net.join('\n')])).trim()
    assert.ok(Number(sum) > 0)
    const readers = ['pandas, csv', 'pandas, ndjson', 'pandas, arrow', 'polars, csv', 'polars, arrow']
    readers.push('polars, parquet', 'duckdb, csv', 'duckdb, ndjson', 'duckdb, parquet')
    assert.deepEqual(
      lines,
      readers.map(reader => `${reader}: ${sum}`),
    )
  })

  it('a frame keeps the types of its columns, with and without rows', async () => {
    assert.equal(await printed([program('frame.py')]), 'as expected\n')
  })

  it('pandas, polars and DuckDB read a URL with the key, in one request each', async () => {
    // DuckDB finds the extension in the home folder, as if it had downloaded it.
    const home = { HOME: demo.folder }
    await printed([program('install_httpfs.py')], home)
    const recorded: string[] = []
    const { url, close } = await relay(recorded)
    const text = await printed([join(EXAMPLES, 'by_url.py')], { ...home, FOLDGATE_URL: url })
    close()
    const counts = ['pandas', 'polars', 'duckdb'].map(library => numberAfter(text, library))
    assert.ok((counts[0] ?? 0) > 0, text)
    assert.deepEqual(counts, [counts[0], counts[0], counts[0]])
    assert.deepEqual(recorded, ['GET', 'GET', 'GET'])
  })

  it('rows added, removed and changed since the kept export are printed, and nothing else is compared', async () => {
    const example = [join(EXAMPLES, 'changes.py')]
    const kept = join(demo.folder, 'pressures-kept.parquet')
    assert.equal(await printed(example), '')
    const [from = '', to = '', ...none] = (await printed(example)).split('\n')
    assert.match(from, /^from 000001-[0-9a-f-]{36}, sealed 20[0-9-]{8}T[0-9:.]+Z$/)
    assert.deepEqual([to.replace('to   ', 'from '), none], [from, ['']])
    const expected = await printed([program('earlier.py')])
    const [before, , ...found] = (await printed(example)).split('\n')
    assert.match(before ?? '', /^from 000000-earlier, sealed 20/)
    assert.deepEqual(found.sort(), expected.split('\n').sort())
    const refused: [string, RegExp][] = [
      ['sql.parquet', /has another sql, 'SELECT 1': remove it to start again/],
      ['view.parquet', /has another ownership_view, 'gross'/],
      ['columns.parquet', /has other columns or types/],
      ['twice.parquet', /pressures-kept\.parquet has several rows of the same pressure_indicator, unit,/],
    ]
    for (const [file, message] of refused) {
      await copyFile(join(demo.folder, file), kept)
      await assert.rejects(printed(example), message)
    }
  })

  it('readers of URLs do as the table of the protocol says', async () => {
    const recorded: string[] = []
    const { url, close } = await relay(recorded)
    const home = { HOME: demo.folder }
    assert.equal(await printed([program('readers.py')], { ...home, FOLDGATE_URL: url }), 'as expected\n')
    close()
    assert.ok(recorded.some(line => /^GET bytes=/.test(line)))
  })

  it('a call is retried only when the service asks for it, or a proxy answers for one that is starting', async () => {
    const code = [
      'import analytics, os; waits = []; analytics.time.sleep = waits.append',
      'service = analytics.Analytics()',
      'print(service.call("projects/list"), [int(wait) for wait in waits])',
      'for _ in range(2):',
      '  try: service.call("projects/list")',
      '  except analytics.AnalyticsError as error: print(error, len(waits))',
    ]
    const [starting, welcome] = STRANGE
    assert.ok(starting && welcome)
    const script = [
      failing('UNAVAILABLE', undefined, { 'retry-after': '7' }),
      { ...starting, headers: { 'retry-after': 'Sun, 22 Nov 2026 12:00:00 GMT' } },
      failing('NOT_READY', { retry: true }),
      FINE,
      failing('QUERY_TIMEOUT'),
      welcome,
    ]
    const asked = await withScript(script, async url => {
      const lines = (await printed(['-c', code.join('\n')], { FOLDGATE_URL: url, FOLDGATE_KEY: 'k' })).split('\n')
      // Without a delay in seconds, half of 2 s and half of 4 s, and as much again at random.
      assert.match(lines[0] ?? '', /^\{'items': \[\]\} \[7, 1, [23]\]$/)
      assert.equal(lines[1], 'QUERY_TIMEOUT: QUERY_TIMEOUT. 3')
      const strange = `UNREADABLE: 200 from ${url}/public/v1/api/projects/list is not an answer of the service.`
      assert.equal(lines[2], `${strange} Check FOLDGATE_URL. <h1>Welcome</h1> 3`)
    })
    assert.equal(asked, 6)
  })

  it('the notebook runs from top to bottom, and is stored without outputs', async () => {
    const path = join(EXAMPLES, 'notebook.ipynb')
    const text = await printed([program('notebook.py'), path])
    for (const part of ['Brindlemoor', 'climate change', 'co2e']) assert.ok(text.includes(part), `${part} in ${text}`)
    const { cells } = JSON.parse(await readFile(path, 'utf8')) as { cells: { outputs?: unknown[] }[] }
    assert.deepEqual(
      cells.flatMap(({ outputs = [] }) => outputs),
      [],
    )
  })
})
