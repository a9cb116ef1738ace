/**
 * Searches the engine alone for statements that its optimizer answers wrongly: compares each generated statement with
 * and without the optimizer, and says which rule is at fault. Prints one JSON object per difference.
 *
 *     npx tsx test/check/answers/search.ts MINUTES [SEED]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BareEngine, type Digest, writeTables } from './bare-engine.js'
import { type Statement, Statements } from './statements.js'
import { TABLES } from './tables.js'

const [minutes = '1', seed = String(Date.now() % 10 ** 9)] = process.argv.slice(2)
const tables = process.env.SMALL ? TABLES.map(t => ({ ...t, rows: Math.min(t.rows, 60) })) : TABLES
const folder = mkdtempSync(join(tmpdir(), 'foldgate-search-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
await writeTables(folder, tables)
const engine = await BareEngine.open(folder, tables)
/** Rules that the product turns off. */
const OFF = (process.env.RULES_OFF ?? '').split(',').filter(Boolean)
const rules = (await engine.rows('SELECT name FROM duckdb_optimizers()')).flat() as string[]
const statements = new Statements(Number(seed), tables)
const until = Date.now() + Number(minutes) * 60_000
const count = { statements: 0, differ: 0, failed: 0, slow: 0, empty: 0 }

/** What the engine makes of a statement in one way. */
async function answer(sql: string, keys: readonly string[]): Promise<Digest | string> {
  try {
    await engine.store('r', sql)
    return await engine.digest('r', keys)
  } catch (error) {
    return String(error).split('\n')[0] as string
  }
}

const isSame = (a: Digest | string, b: Digest | string) =>
  typeof a !== 'string' && typeof b !== 'string' && a.any === b.any && a.keys === b.keys && a.rows === b.rows

/** Forms in which the product runs a statement: as it is, its first rows, and halves that add up to it. */
function formsOf({ sql, keys, condition }: Statement): { form: string; sql: string; keys: string[] }[] {
  const names = keys.map(({ column }) => column)
  const order = keys.map(({ written }) => written).join(', ')
  const part = (where: string) => `SELECT * FROM (${sql}) AS q WHERE ${where}`
  const forms = [
    { form: 'whole', sql, keys: names },
    {
      form: 'split',
      sql: [`(${condition})`, `NOT (${condition})`, `(${condition}) IS NULL`].map(part).join(' UNION ALL '),
      keys: [],
    },
    { form: 'last', sql: `SELECT * FROM (${sql}) AS q LIMIT 1000000000`, keys: names },
  ]
  if (order !== '') {
    for (const [limit, offset] of [
      [101, 0],
      [5, 0],
      [101, 1_000],
      [501, 40],
    ])
      forms.push({
        form: `page ${limit} ${offset}`,
        sql: `SELECT ${names.join(', ')} FROM (${sql}) AS q LIMIT ${limit} OFFSET ${offset}`,
        keys: names,
      })
  }
  return forms
}

/** The right answer to a form, from the rows that the engine finds without its optimizer. */
async function right(form: string, keys: readonly string[], all: Digest): Promise<Digest> {
  const [, limit, offset] = /^page (\d+) (\d+)$/.exec(form) ?? []
  if (limit === undefined) return { ...all, keys: keys.length > 0 ? all.keys : '' }
  await engine.store(
    'page',
    `SELECT ${keys.join(', ')} FROM temp.main.whole WHERE rowid >= ${offset} AND rowid < ${Number(offset) + Number(limit)}`,
  )
  return engine.digest('page', keys)
}

while (Date.now() < until) {
  const statement = statements.next()
  const { sql } = statement
  const from = count.statements % 2 === 0 ? 'stored' : 'sealed'
  count.statements += 1
  await engine.read(from)
  await engine.optimize('none')
  try {
    await engine.store('whole', sql)
  } catch (error) {
    const text = String(error)
    if (text.includes('INTERRUPT')) count.slow += 1
    else count.failed += 1
    if (!/INTERRUPT|Conversion Error|Out of Range/.test(text))
      console.log(JSON.stringify({ error: text.split('\n')[0], sql }))
    continue
  }
  const all = await engine.digest(
    'whole',
    statement.keys.map(({ column }) => column),
  )
  if (all.rows === '0') count.empty += 1
  if (all.rows === '0' && count.statements % 4 > 0) continue
  for (const { form, sql: written, keys } of formsOf(statement)) {
    const expected = await right(form, keys, all)
    const digest = (d: Digest) => (keys.length > 0 ? d : { ...d, keys: expected.keys })
    const judge = (found: Digest | string) => typeof found !== 'string' && isSame(digest(found), expected)
    await engine.optimize(OFF)
    const found = await answer(written, keys)
    if (typeof found === 'string' && /INTERRUPT|Conversion Error|Out of Range|for BETWEEN/.test(found)) continue
    if (judge(found)) continue
    count.differ += 1
    const [mending] = [[] as string[]]
    for (const rule of rules) {
      await engine.optimize([...OFF, rule])
      if (judge(await answer(written, keys))) mending.push(rule)
    }
    console.log(
      JSON.stringify({
        n: count.statements,
        seed,
        from,
        form,
        mending,
        rows: expected.rows,
        found: typeof found === 'string' ? found : found.rows,
        sql: written,
      }),
    )
    break
  }
  if (count.statements % 200 === 0) console.error(JSON.stringify(count))
}
console.error(JSON.stringify(count))
engine.close()
