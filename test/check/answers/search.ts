/**
 * Searches the engine alone for statements that it answers wrongly: compares each generated statement with and without
 * the optimizer, says which rule is at fault, and compares with the next version of the engine if Python can get it.
 * Prints one JSON object per difference.
 *
 *     npx tsx test/check/answers/search.ts MINUTES [--seed N] [--small] [--off RULE,…]
 *
 * `--small` has tables of at most 60 rows, which is much quicker, but knows nothing of row groups. The rules that are off
 * are those that the product turns off for the statement, or those of `--off`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { rulesOff } from '#lib/duckdb/child/optimizer.js'
import { BareEngine, type Digest, writeTables } from './bare-engine.js'
import { NextEngine } from './next-engine.js'
import { type Statement, Statements } from './statements.js'
import { TABLES } from './tables.js'

const { positionals, values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 10 ** 9) },
    small: { type: 'boolean', default: false },
    off: { type: 'string' },
  },
  allowPositionals: true,
})
const [minutes = 1, ...others] = positionals.map(Number)
if (!(minutes > 0 && Number(values.seed) >= 0) || others.length > 0) {
  process.stderr.write('Usage: search.ts MINUTES [--seed N] [--small] [--off RULE,…]\n')
  process.exit(2)
}
const SMALL_ROWS = 60
/**
 * Failures of values that cannot be cast, which depend on the order of evaluation; of what takes too long; and of structs
 * and lists as constants in a filter, which callers are told.
 */
const EXPECTED = /INTERRUPT|Conversion Error|Out of Range|Invalid type for BETWEEN|Out of buffer/

const tables = values.small ? TABLES.map(table => ({ ...table, rows: Math.min(table.rows, SMALL_ROWS) })) : TABLES
const folder = mkdtempSync(join(tmpdir(), 'foldgate-search-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
await writeTables(folder, tables)
const engine = await BareEngine.open(folder, tables)
const next = await NextEngine.open(folder, tables)
const rules = (await engine.rows('SELECT name FROM duckdb_optimizers()')).flat() as string[]
const statements = new Statements(Number(values.seed), tables)
const until = Date.now() + minutes * 60_000
const count = { statements: 0, differ: 0, failed: 0, empty: 0 }

/** A way in which the product runs a statement; of a page, how many rows come before it, and its most. */
interface Form {
  form: string
  sql: string
  keys: string[]
  page?: { offset: number; limit: number }
}

function formsOf({ sql, keys, condition }: Statement): Form[] {
  const names = keys.map(({ column }) => column)
  const part = (where: string) => `SELECT * FROM (${sql}) AS q WHERE ${where}`
  const parts = [`(${condition})`, `NOT (${condition})`, `(${condition}) IS NULL`].map(part)
  const pages = [
    { offset: 0, limit: 101 },
    { offset: 0, limit: 5 },
    { offset: 1_000, limit: 101 },
  ].map(page => ({
    form: `page of ${page.limit} after ${page.offset}`,
    sql: `SELECT ${names.join(', ')} FROM (${sql}) AS q LIMIT ${page.limit} OFFSET ${page.offset}`,
    keys: names,
    page,
  }))
  return [
    { form: 'whole', sql, keys: names },
    { form: 'split', sql: parts.join(' UNION ALL '), keys: [] },
    ...(names.length > 0 ? pages : []),
  ]
}

/** Digests of what the engine finds; the text of its failure if there is one. */
async function answer(sql: string, keys: readonly string[]): Promise<Digest | string> {
  try {
    await engine.store('found', sql)
    return await engine.digest('found', keys)
  } catch (error) {
    return String(error).split('\n')[0] as string
  }
}

async function rightOf({ keys, page }: Form): Promise<Digest> {
  if (!page) return engine.digest('whole', keys)
  const range = `rowid >= ${page.offset} AND rowid < ${page.offset + page.limit}`
  await engine.store('page', `SELECT ${keys.join(', ')} FROM temp.main.whole WHERE ${range}`)
  return engine.digest('page', keys)
}

function isSame(found: Digest | string, right: Digest): boolean {
  return typeof found !== 'string' && JSON.stringify(found) === JSON.stringify(right)
}

function tell(form: string, sql: string, found: Digest | string, right: Digest, mendedBy: readonly string[]): void {
  count.differ += 1
  const rows = typeof found === 'string' ? found : found.rows
  console.log(JSON.stringify({ at: count.statements, form, mendedBy, right: right.rows, found: rows, sql }))
}

async function search(statement: Statement): Promise<void> {
  await engine.read(count.statements % 2 === 0 ? 'stored' : 'sealed')
  await engine.optimize('none')
  try {
    await engine.store('whole', statement.sql)
  } catch {
    count.failed += 1
    return
  }
  const whole = await engine.digest('whole', [])
  if (whole.rows === '0') count.empty += 1
  for (const form of formsOf(statement)) {
    const right = await rightOf(form)
    const off = (values.off ?? (await rulesOff(engine.connection, form.sql))).split(',').filter(Boolean)
    await engine.optimize(off)
    const found = await answer(form.sql, form.keys)
    if (isSame(found, right) || (typeof found === 'string' && EXPECTED.test(found))) continue
    const mendedBy: string[] = []
    for (const rule of rules) {
      await engine.optimize([...off, rule])
      if (isSame(await answer(form.sql, form.keys), right)) mendedBy.push(rule)
    }
    return tell(form.form, form.sql, found, right, mendedBy)
  }
  const theirs = await next?.digest(statement.sql, []).catch(() => null)
  if (theirs && !isSame(theirs, whole)) tell(`DuckDB ${next?.version}`, statement.sql, whole, theirs, [])
}

while (Date.now() < until) {
  count.statements += 1
  await search(statements.next())
  if (count.statements % 200 === 0) console.error(JSON.stringify(count))
}
console.error(JSON.stringify({ seed: values.seed, ...count }))
await next?.close()
engine.close()
