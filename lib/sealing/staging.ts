import { join } from 'node:path'
import { identifier, literal } from '../engine/quote.js'
import { columnsOf } from '../engine/worker/columns.js'
import type { Connection } from '../engine/worker/duckdb.js'
import { describeFailure } from '../engine/worker/duckdb-failure.js'
import type { SealJob, SealProblem, SealTable } from './seal-job.js'

const CSV = "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', all_varchar = true"
const MAX_SHOWN = 60
/** Values that a problem names. */
const MOST_NAMED = 3

/** Reads one table of a package into the staging database under its own name, or returns its problems. */
export async function stageTable(connection: Connection, table: SealTable, job: SealJob): Promise<SealProblem[]> {
  try {
    return await stage(connection, table, job)
  } catch (cause) {
    const failure = describeFailure(cause)
    if (failure.kind !== 'query' && failure.kind !== 'fault') throw cause
    return [
      { table: table.name, message: `cannot be read as ${table.format.toUpperCase()}: ${unreadable(String(cause))}` },
    ]
  }
}

async function stage(connection: Connection, table: SealTable, job: SealJob): Promise<SealProblem[]> {
  const path = literal(join(job.source, `${table.name}.${table.format}`))
  const options = table.columns ? CSV : CSV.replace(', all_varchar = true', '')
  const from = table.format === 'csv' ? `read_csv(${path}, ${options})` : `read_parquet(${path})`
  const present = (await columnsOf(connection, `SELECT * FROM ${from}`)).map(column => column.name)
  const partition = job.partition && present.includes(job.partition.column) ? job.partition : undefined
  const stored = present.filter(name => name !== partition?.column)
  const problems = checkColumns(table, stored)
  if (problems.length > 0) return problems

  const raw = identifier(`${table.name} raw`)
  const where =
    partition?.value === undefined
      ? ''
      : `WHERE CAST(${identifier(partition.column)} AS VARCHAR) = ${literal(partition.value)}`
  await connection.run(
    `CREATE TABLE ${raw} AS SELECT * FROM (SELECT row_number() OVER () AS "#", * FROM ${from}) ${where}`,
  )
  if (partition && partition.value === undefined)
    problems.push(...(await checkPartition(connection, table, raw, partition.column)))
  const types = table.columns
  if (types)
    for (const name of stored)
      problems.push(...(await checkValues(connection, table, raw, name, types[name] as string)))
  for (const check of [checkRequired, checkUnique, checkRanges]) problems.push(...(await check(connection, table, raw)))
  if (problems.length > 0) return problems

  const names = types ? Object.keys(types) : stored
  const select = names.map(name =>
    types ? `CAST(${identifier(name)} AS ${types[name]}) AS ${identifier(name)}` : identifier(name),
  )
  await connection.run(`CREATE TABLE ${identifier(table.name)} AS SELECT ${select.join(', ')} FROM ${raw} ORDER BY "#"`)
  await connection.run(`DROP TABLE ${raw}`)
  return []
}

/** Reports columns with a value that is missing from the column that they refer to. */
export async function checkReferences(
  connection: Connection,
  table: SealTable,
  staged: ReadonlySet<string>,
): Promise<SealProblem[]> {
  const problems: SealProblem[] = []
  for (const [column, reference] of Object.entries(table.references)) {
    const [target = '', targetColumn = ''] = reference.split('.')
    if (!staged.has(target)) continue
    const value = identifier(column)
    const held = `SELECT ${identifier(targetColumn)} FROM ${identifier(target)} WHERE ${identifier(targetColumn)} IS NOT NULL`
    const unknown =
      `SELECT CAST(${value} AS VARCHAR), count(*) OVER (), sum(count(*)) OVER () FROM ${identifier(table.name)} ` +
      `WHERE ${value} IS NOT NULL AND ${value} NOT IN (${held}) GROUP BY ${value} ORDER BY 1 LIMIT ${MOST_NAMED}`
    const rows = await connection.runAndReadAll(unknown).catch(cause => {
      if (describeFailure(cause).kind !== 'query') throw cause
      problems.push({ table: table.name, column, message: `has another type than ${targetColumn} of ${target}` })
    })
    const named = rows?.getRows() ?? []
    const [, values = 0, count = 0] = (named[0] ?? []).map(Number)
    if (count === 0) continue
    const names = named.map(([name]) => `"${clip(name)}"`).join(', ')
    const others = values > named.length ? ` and ${values - named.length} other values` : ''
    const message = `${names}${others} ${values > 1 ? 'are' : 'is'} not in ${reference}${count > 1 ? ` (${count} rows)` : ''}`
    problems.push({ table: table.name, column, message })
  }
  return problems
}

function checkColumns(table: SealTable, present: readonly string[]): SealProblem[] {
  const known = table.columns && Object.keys(table.columns)
  const missing = (known ?? table.named).filter(name => !present.includes(name))
  const unknown = known ? present.filter(name => !known.includes(name)) : []
  return [
    ...missing.map(column => ({ table: table.name, column, message: 'the column is missing' })),
    ...unknown.map(column => ({ table: table.name, column: clip(column), message: 'the table has no such column' })),
  ]
}

async function checkPartition(
  connection: Connection,
  table: SealTable,
  raw: string,
  column: string,
): Promise<SealProblem[]> {
  const found = await first(connection, `SELECT count(DISTINCT ${identifier(column)}) FROM ${raw}`)
  if (Number(found?.[0]) <= 1) return []
  return [{ table: table.name, column, message: 'the column holds several values: seal one project at a time' }]
}

async function checkValues(
  connection: Connection,
  table: SealTable,
  raw: string,
  column: string,
  type: string,
): Promise<SealProblem[]> {
  const value = identifier(column)
  const typed = `TRY_CAST(${value} AS ${type})`
  const infinite = type === 'DOUBLE' ? ` OR NOT isfinite(${typed})` : ''
  const wrong = `${value} IS NOT NULL AND (${typed} IS NULL${infinite})`
  return wrongRows(connection, table, raw, { column, wrong, what: `is not a ${type}` })
}

async function checkRequired(connection: Connection, table: SealTable, raw: string): Promise<SealProblem[]> {
  const problems: SealProblem[] = []
  for (const column of table.required) {
    const wrong = `${identifier(column)} IS NULL`
    problems.push(...(await wrongRows(connection, table, raw, { column, wrong, what: 'the value is missing' })))
  }
  return problems
}

async function checkRanges(connection: Connection, table: SealTable, raw: string): Promise<SealProblem[]> {
  const problems: SealProblem[] = []
  for (const [column, { least, most }] of Object.entries(table.ranges)) {
    const value = `TRY_CAST(${identifier(column)} AS DOUBLE)`
    const wrong = [
      ...(least === undefined ? [] : [`${value} < ${least}`]),
      ...(most === undefined ? [] : [`${value} > ${most}`]),
    ].join(' OR ')
    const what =
      least === undefined
        ? `is above ${most}`
        : most === undefined
          ? `is below ${least}`
          : `is not within ${least} and ${most}`
    problems.push(...(await wrongRows(connection, table, raw, { column, wrong, what })))
  }
  return problems
}

/** Reports the first of the rows that meet a condition, and counts the others. */
async function wrongRows(
  connection: Connection,
  table: SealTable,
  raw: string,
  { column, wrong, what }: { column: string; wrong: string; what: string },
): Promise<SealProblem[]> {
  const rows = `SELECT "#", ${identifier(column)}, count(*) OVER () FROM ${raw} WHERE ${wrong} ORDER BY "#" LIMIT 1`
  const [row, value, count] = (await first(connection, rows)) ?? []
  if (row === undefined) return []
  const others = Number(count) - 1
  const more = others > 0 ? ` (and ${others} more ${others > 1 ? 'rows' : 'row'})` : ''
  const shown = value === null ? '' : `"${clip(value)}" `
  return [{ table: table.name, column, message: `row ${row}: ${shown}${what}${more}` }]
}

async function checkUnique(connection: Connection, table: SealTable, raw: string): Promise<SealProblem[]> {
  if (table.unique.length === 0) return []
  const key = table.unique.map(identifier).join(', ')
  const found = await first(
    connection,
    `SELECT max("#"), ${key} FROM ${raw} GROUP BY ALL HAVING count(*) > 1 ORDER BY 1 LIMIT 1`,
  )
  if (!found) return []
  const values = found.slice(1).map(value => `"${clip(value)}"`)
  return [
    {
      table: table.name,
      column: table.unique.join(', '),
      message: `row ${found[0]}: ${values.join(', ')} comes twice`,
    },
  ]
}

async function first(connection: Connection, sql: string): Promise<unknown[] | undefined> {
  return (await connection.runAndReadAll(sql)).getRows()[0]
}

function clip(value: unknown): string {
  const text = String(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

const NOT_UTF8 = /invalid unicode|invalid utf-?8|not valid utf-?8/i

/** The reason in the engine's error about a file, without the path and the engine's advice. */
function unreadable(message: string): string {
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1]
  const reason = NOT_UTF8.test(message)
    ? 'it holds text that is not UTF-8'
    : /(Expected Number of Columns: \d+ Found: \d+|Value with unterminated quote)/i.exec(message)?.[1]
  if (line) return `line ${line}${reason ? `: ${reason}` : ''}`
  return reason ?? 'the file is damaged or of another format'
}
