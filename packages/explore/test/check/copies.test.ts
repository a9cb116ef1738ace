import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { callOf, csvOf, markdownOf } from '#explore/script/clipboard.js'
import { fragmentOf, readLink } from '#explore/script/tab.js'
import { columnsOf } from '#explore/script/values.js'

const run = promisify(execFile)
const COLUMNS = ['name', 'a "b"', 'n']
const TYPED = columnsOf(COLUMNS, ['VARCHAR', 'JSON', 'DOUBLE'])
const ROWS = [
  { name: 'Smith, "Joe"\nline | 2', 'a "b"': null, n: 0.1234567890123 },
  { name: '*x* <b> [y]', 'a "b"': { list: [1, 'é'] }, n: '9007199254740993' },
]

describe('rows as they are copied', () => {
  it('are CSV that a parser reads back with every digit', () => {
    assert.deepEqual(parse(csvOf(TYPED, ROWS)), [
      COLUMNS,
      ['Smith, "Joe"\nline | 2', '', '0.1234567890123'],
      ['*x* <b> [y]', '{"list":[1,"é"]}', '9007199254740993'],
    ])
    assert.equal(csvOf(columnsOf(['n'], ['BIGINT']), []), 'n\r\n')
  })

  it('are formulas in CSV only if they are not escaped, and numbers stay numbers', () => {
    const evil = ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x']
    const columns = columnsOf(['=HYPERLINK("x")', 'n'], ['VARCHAR', 'DOUBLE'])
    const [{ name: formula } = assert.fail()] = columns
    const rows = [...evil, "'=1", ' =1', 'a=b', ''].map((text, at) => ({
      [formula]: text,
      n: at % 2 === 0 ? -1.5 : '-9007199254740993',
    }))
    const read = (escapes: boolean) => parse(csvOf(columns, rows, escapes)) as string[][]
    const asTheyAre = rows.map(row => [row[formula], String(row.n)])
    assert.deepEqual(read(false), [columns.map(({ name }) => name), ...asTheyAre])
    const [head, ...cells] = read(true)
    assert.deepEqual(head, ['\'=HYPERLINK("x")', 'n'])
    assert.deepEqual(
      cells,
      asTheyAre.map(([text = '', n], at) => [at < evil.length ? `'${text}` : text, n]),
    )
  })

  it('have the digits of the scale of a DECIMAL', () => {
    const columns = columnsOf(['n', 'd'], ['DECIMAL(18,2)', 'DOUBLE'])
    const rows = [
      { n: 12.5, d: 12.5 },
      { n: '12345678901234567.80', d: null },
    ]
    assert.equal(csvOf(columns, rows), 'n,d\r\n12.50,12.5\r\n12345678901234567.80,\r\n')
    assert.match(markdownOf(columns, rows), /^\| 12\.50 \| 12\.5 \|$/m)
  })

  it('are one line each in Markdown, which shows no markup of theirs', () => {
    assert.deepEqual(markdownOf(TYPED, ROWS).split('\n'), [
      '| name | a "b" | n |',
      '| --- | --- | --- |',
      '| Smith, "Joe"<br>line \\| 2 |  | 0.1234567890123 |',
      '| \\*x\\* \\<b\\> \\[y\\] | {"list":\\[1,"é"\\]} | 9007199254740993 |',
      '',
    ])
  })
})

describe('the call that the page shows', () => {
  const PARAMS = {
    projectId: 'f7076cb5-2afb-538a-a9fe-792854d6084c',
    sql: `SELECT 'it''s "$HOME" \`x\` $(x) \\n é 😀 \${1} !! !x "!y" ^a^b^ %d \\\\' -- end!\r\n\tFROM entities`,
    ownershipView: 'net',
    parameters: { none: null, yes: true, 'said "true"': false, day: { type: 'DATE[]', value: ['2026-11-20', null] } },
    page: { limit: 2 },
  }
  let server: Server
  let url: string
  const heard: { authorization: string | undefined; params: Record<string, unknown> }[] = []
  before(async () => {
    server = createServer(async (request, response) => {
      const params = JSON.parse(await text(request))
      heard.push({ authorization: request.headers.authorization, params })
      const last = params.page.cursor === 'next'
      const result = last ? { items: [{ row: 'two' }] } : { items: [{ row: 'one' }], nextCursor: 'next' }
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ result }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/public/v1/api/projects/query`
  })
  after(() => server.close())

  it('is for a POSIX shell as curl, also for one in which people type, where ! recalls earlier lines', async function () {
    if (['curl', 'bash'].some(program => spawnSync(program, ['--version']).error)) {
      console.log('Left out: the call in an interactive bash, since it or curl is not installed.')
      return this.skip()
    }
    heard.length = 0
    const env = { ...process.env, FOLDGATE_KEY: 'fg_secret', HISTFILE: '' }
    const shell = spawn('bash', ['--norc', '--noprofile', '-i'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
    shell.stdin.end(`set -o history -o histexpand\necho earlier\n${callOf('curl', url, PARAMS)}exit\n`)
    await once(shell, 'exit')
    assert.deepEqual(heard, [{ authorization: 'Bearer fg_secret', params: PARAMS }])
  })

  it('says what is missing if the key is not set', async function () {
    if (spawnSync('curl', ['--version']).error) return this.skip()
    heard.length = 0
    const { FOLDGATE_KEY: _, ...env } = process.env
    await assert.rejects(run('sh', ['-c', callOf('curl', url, PARAMS)], { env }), /FOLDGATE_KEY: set it to an API key/)
    assert.deepEqual(heard, [])
  })

  const programs = [
    ['curl', 'sh', '-c'],
    ['python', 'python3', '-c'],
    ['javascript', process.execPath, '--input-type=module', '-e'],
  ] as const
  for (const [language, program, ...args] of programs)
    it(`sends the same params from ${language}, with the key of the environment`, async function () {
      const needed = language === 'curl' ? 'curl' : program
      if (spawnSync(needed, ['--version']).error) {
        console.log(`Left out: the call in ${language}, since ${needed} is not installed.`)
        return this.skip()
      }
      heard.length = 0
      const env = { ...process.env, FOLDGATE_KEY: 'fg_secret' }
      const { stdout } = await run(program, [...args, callOf(language, url, PARAMS)], { env })
      assert.ok(stdout.includes('one'), stdout)
      assert.deepEqual(heard[0], { authorization: 'Bearer fg_secret', params: PARAMS })
      if (language === 'curl') return
      assert.ok(stdout.includes('two'), stdout)
      assert.deepEqual(heard[1]?.params.page, { limit: 2, cursor: 'next' })
    })
})

describe('the link to a query', () => {
  it('holds the query and its point of view, whatever characters they have', () => {
    const link = { project: 'p', sql: `SELECT '#&=+% é😀'\nFROM x`, entity: 'e', ownership: 'gross' } as const
    assert.deepEqual(readLink(fragmentOf(link)), link)
    const whole = { project: 'p', sql: 'SELECT 1', ownership: 'net' } as const
    assert.deepEqual(readLink(fragmentOf(whole)), whole)
    const parameters = { a: { value: '#&=+% é😀\n' }, b: { type: 'DATE[]', value: null } }
    assert.deepEqual(readLink(fragmentOf({ ...link, parameters })), { ...link, parameters })
    assert.equal(fragmentOf({ ...whole, parameters: {} }), fragmentOf(whole))
  })

  it('is none when it has no project or no query, and net when its view is unknown', () => {
    for (const fragment of ['', '#', '#sql=SELECT+1', '#project=p', '#project=&sql=x', '#%', '#results'])
      assert.equal(readLink(fragment), null, fragment)
    assert.equal(readLink('#project=p&sql=x&view=other')?.ownership, 'net')
  })
})
