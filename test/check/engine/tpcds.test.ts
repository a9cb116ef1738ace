import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { defineCatalogue, defineTable } from 'foldgate'
import { scratchFolder } from '../../server/command.js'
import { PROJECT, type Service, startService } from '../../service/service.js'

const run = promisify(execFile)
const WRITE = fileURLToPath(new URL('./tpcds.py', import.meta.url))
const PIP = '-m pip install --quiet --no-input --disable-pip-version-check --retries 1 --only-binary=:all:'.split(' ')
const PINNED = ['duckdb==1.5.5', 'duckdb-extension-tpcds==1.5.5']

/** The keys of the tables with more than one column in them. */
const KEYS: Record<string, string[]> = {
  catalog_returns: ['cr_item_sk', 'cr_order_number'],
  catalog_sales: ['cs_item_sk', 'cs_order_number'],
  inventory: ['inv_date_sk', 'inv_item_sk', 'inv_warehouse_sk'],
  store_returns: ['sr_item_sk', 'sr_ticket_number'],
  store_sales: ['ss_item_sk', 'ss_ticket_number'],
  web_returns: ['wr_item_sk', 'wr_order_number'],
  web_sales: ['ws_item_sk', 'ws_order_number'],
}
/**
 * Statements that do add or average values once for each row that they meet: sales and returns of shops, once for each sale
 * by catalogue to the same customer (17, 25 and 29), and customers once for each of their sales (18).
 */
const MULTIPLYING = [17, 18, 25, 29]

describe('hints on the statements of TPC-DS', () => {
  const scratch = scratchFolder()
  let service: Service
  let statements: string[]

  before(async function () {
    this.timeout(240_000)
    const python = join(scratch.path, 'python/bin/python')
    try {
      await run('python3', ['-m', 'venv', 'python'], { cwd: scratch.path, timeout: 60_000 })
      await run(python, [...PIP, ...PINNED], { timeout: 120_000 })
    } catch {
      console.log('Left out: the statements of TPC-DS, whose packages for Python cannot be had.')
      return this.skip()
    }
    await run(python, [WRITE, scratch.path])
    const written = JSON.parse(await readFile(join(scratch.path, 'tpcds.json'), 'utf8'))
    const columns: Record<string, Record<string, string>> = written.columns
    statements = written.statements
    const relations = Object.entries(columns).map(([name, of]) =>
      defineTable({ name, columns: of, unique: KEYS[name] ?? Object.keys(of).slice(0, 1) }),
    )
    const files: Record<string, string> = {}
    for (const name of Object.keys(columns))
      files[`${name}.csv`] = await readFile(join(scratch.path, `${name}.csv`), 'utf8')
    service = await startService({ catalogue: defineCatalogue({ relations }), files })
  })
  after(() => service?.close())

  const ask = async (params: object) => {
    const { status, body } = await service.call('projects/query', { projectId: PROJECT, ...params })
    assert.equal(status, 200, body.message)
    return body.result as { hints: Told[]; items: Record<string, unknown>[] }
  }
  interface Told {
    kind: string
    message: string
    relation: string
    column: string
  }
  const hinted = async () => {
    const told: (Told & { number: number })[] = []
    for (const [at, sql] of statements.entries())
      for (const hint of (await ask({ sql, dryRun: true, include: ['hints'] })).hints)
        told.push({ ...hint, number: at + 1 })
    return told
  }

  it('are true, and of joins only where a statement multiplies', async function () {
    this.timeout(120_000)
    assert.equal(statements.length, 99)
    const told = await hinted()
    const multiplied = told.filter(({ kind }) => kind === 'join').map(({ number }) => number)
    assert.deepEqual([...new Set(multiplied)], MULTIPLYING)
    // The small tables lack some of the values that the statements look for.
    const others = told.filter(({ kind }) => kind !== 'join')
    assert.ok(others.length > 0)
    for (const { number, message, relation, column } of others) {
      const [, value] = /(?:never has the value|compares it with) (.+?)\.(?: |$)/.exec(message) ?? []
      assert.ok(value, `${number}: ${message}`)
      const sql = `SELECT count(*) AS found FROM ${relation} WHERE ${column} = ${value}`
      assert.deepEqual((await ask({ sql })).items, [{ found: 0 }], `${number}: ${message}`)
    }
  })
})
