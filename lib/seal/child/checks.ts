import type { CatalogueRule } from '../../catalogue/rules.js'
import type { Connection } from '../../duckdb/child/duckdb.js'
import { describeFailure } from '../../duckdb/child/duckdb-failure.js'
import type { SealProblem } from '../../model.js'
import { identifier, literal } from '../../values/quote.js'
import type { SealTable } from '../job.js'
import { changedWhenStored, type GivenTypes, readingIn } from './readings.js'
import { textRows } from './select.js'

const MAX_SHOWN = 60
/** Values that a problem names. */
const MOST_NAMED = 3
const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|DOUBLE|FLOAT|REAL|(DECIMAL|NUMERIC)\b.*)$/i
/** A number with a decimal comma, or with separators of thousands. */
const WRITTEN_OTHERWISE = /^[-+]?\d[\d.,' \u00a0\u202f]*$/
/** How to write dates and times, by the names of their types. */
const EXAMPLES: readonly [type: RegExp, example: string][] = [
  [/^DATE$/i, '2024-12-31'],
  [/^TIME WITH TIME ZONE/i, '23:59:59+00'],
  [/^TIME\b/i, '23:59:59'],
  [/^TIMESTAMP/i, '2024-12-31 23:59:59'],
]

/** A problem, or a warning, with the number of the row that it names. */
export interface Finding extends SealProblem {
  row?: number
  isWarning?: boolean
  /** Whether it is of a table that is the same for all tenants, and was told before. */
  isTold?: boolean
}

/**
 * Reports values of the raw table that cannot be read as the type of their column, or of which the type holds a part
 * only. The part is a warning in a column that is declared as lossy.
 */
export async function checkTypes(
  connection: Connection,
  table: SealTable,
  raw: string,
  given: GivenTypes,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [column, type] of Object.entries(given.types ?? {})) {
    const value = identifier(column)
    const { value: read, isOther, isCut } = readingIn(column, type, table, given)
    const stored = read(true)
    const isNone = isOther === null ? `${stored} IS NULL` : `${stored} IS NULL OR (${isOther})`
    const wrong = `${value} IS NOT NULL AND (${isNone})`
    const isNot = `is not ${/^[aeio]/i.test(type) ? 'an' : 'a'} ${type}`
    const what = (shown: string) => isNot + adviceFor(type, shown)
    findings.push(...(await wrongRows(connection, table, raw, { column, wrong, what })))
    if (isCut === null) continue
    const isWarning = table.lossy.includes(column)
    const cut = await wrongRows(connection, table, raw, {
      column,
      wrong: `${value} IS NOT NULL AND (${isNone}) IS NOT TRUE AND (${isCut})`,
      what: (_, part) =>
        isWarning
          ? `is stored as ${part}`
          : `${isNot}: it would be stored as ${part}. Correct it, or declare the column with lossy: true`,
      stored,
    })
    findings.push(...cut.map(each => (isWarning ? { ...each, isWarning } : each)))
  }
  return findings
}

function adviceFor(type: string, shown: string): string {
  if (NUMBER.test(type) && /[,' \u00a0\u202f]/.test(shown) && WRITTEN_OTHERWISE.test(shown))
    return ': write decimals with a point, and no separator of thousands, as in 1234.5'
  const example = EXAMPLES.find(([each]) => each.test(type))?.[1]
  return example === undefined ? '' : `: write it as ${example}`
}

/** Reports values of the raw table that a Parquet file would not hold as they are. */
export async function checkStored(
  connection: Connection,
  table: SealTable,
  raw: string,
  types: Readonly<Record<string, string>>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [column, type] of Object.entries(types)) {
    const changed = changedWhenStored(`TRY_CAST(${identifier(column)} AS ${type})`, type)
    if (changed === null) continue
    const { wrong, what } = changed
    findings.push(...(await wrongRows(connection, table, raw, { column, wrong, what: () => what })))
  }
  return findings
}

/** What values of a column must not be. */
export interface ValueCondition {
  column: string
  /** SQL that is true for a wrong value. */
  wrong: string
  /** What follows the value in a sentence. */
  what: string
  isWarning: boolean
}

/** What values of a table must not be, whatever their types. */
export function conditionsOf(table: SealTable): ValueCondition[] {
  const conditions = table.required.map(column => ({
    column,
    wrong: `${identifier(column)} IS NULL`,
    what: 'the value is missing',
    isWarning: false,
  }))
  const add = (column: string, wrong: string, what: string) =>
    conditions.push({ column, wrong, what, isWarning: table.warnings.includes(column) })
  for (const [column, { least, most }] of Object.entries(table.ranges)) {
    const value = `TRY_CAST(${identifier(column)} AS DOUBLE)`
    const wrong = [
      ...(least === undefined ? [] : [`${value} < ${least}`]),
      ...(most === undefined ? [] : [`${value} > ${most}`]),
    ].join(' OR ')
    add(column, wrong, rangeText(least, most))
  }
  for (const [column, list] of Object.entries(table.values)) {
    const wrong = `CAST(${identifier(column)} AS VARCHAR) NOT IN (${list.map(literal).join(', ')})`
    add(column, wrong, `is none of ${list.map(each => `"${each}"`).join(', ')}`)
  }
  return conditions
}

/** Reports values of the raw table that are missing, out of their range, or not in their list. */
export async function checkValues(connection: Connection, table: SealTable, raw: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { column, wrong, what, isWarning } of conditionsOf(table)) {
    const found = await wrongRows(connection, table, raw, { column, wrong, what: () => what })
    findings.push(...found.map(each => (isWarning ? { ...each, isWarning } : each)))
  }
  return findings
}

function rangeText(least: number | undefined, most: number | undefined): string {
  if (least === undefined) return `is above ${most}`
  return most === undefined ? `is below ${least}` : `is not within ${least} and ${most}`
}

/** Reports rows with the same values in the columns that identify a row. */
export async function checkUnique(connection: Connection, table: SealTable, raw: string): Promise<Finding[]> {
  if (table.unique.length === 0) return []
  const key = table.unique.map(identifier).join(', ')
  const twice = `SELECT max("#"), count(*) OVER (), ${key} FROM ${raw} GROUP BY ALL HAVING count(*) > 1 ORDER BY 1 LIMIT 1`
  const [row, count, ...values] = (await textRows(connection, twice))[0] ?? []
  if (row === undefined) return []
  const shown = values.map(value => (value === null ? 'NULL' : `"${clip(value)}"`)).join(', ')
  const others = Number(count) > 1 ? ` (and ${Number(count) - 1} more)` : ''
  return [
    {
      table: table.name,
      column: table.unique.join(', '),
      row: Number(row),
      message: `${shown} comes twice${others}`,
    },
  ]
}

/**
 * Reports columns with a value that is missing from the column that they refer to, if that table is there.
 */
export async function checkReferences(
  connection: Connection,
  table: SealTable,
  staged: ReadonlySet<string>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [column, reference] of Object.entries(table.references)) {
    const [target = '', targetColumn = ''] = reference.split('.')
    if (!staged.has(target)) continue
    const value = identifier(column)
    const held = `SELECT ${identifier(targetColumn)} FROM ${identifier(target)} WHERE ${identifier(targetColumn)} IS NOT NULL`
    const wrong = `SELECT ${value} FROM ${identifier(table.name)} WHERE ${value} IS NOT NULL AND ${value} NOT IN (${held})`
    const isWarning = table.warnings.includes(column)
    const place = { table: table.name, column, isWarning }
    const found = await wrongValues(connection, wrong, `not in ${reference}`).catch(cause => {
      if (describeFailure(cause).kind !== 'query') throw cause
      return { message: `has another type than ${targetColumn} of ${target}` }
    })
    if (found) findings.push({ ...place, ...found })
  }
  return findings
}

/** Reports values that break a rule of the catalogue, if all tables that it reads are there. */
export async function checkRule(
  connection: Connection,
  { table, column, reads, wrong, message, isWarning }: CatalogueRule,
  staged: ReadonlySet<string>,
): Promise<Finding[]> {
  if (![table, ...reads].every(name => staged.has(name))) return []
  const found = await wrongValues(connection, wrong, message)
  return found ? [{ table, column, isWarning, ...found }] : []
}

/** Names the first of the values that a statement returns, and counts them; null when it returns none. */
async function wrongValues(connection: Connection, statement: string, what: string) {
  const counted =
    `SELECT CAST(value AS VARCHAR), count(*) OVER (), sum(count(*)) OVER () FROM (${statement}) AS wrong(value) ` +
    `GROUP BY value ORDER BY 1 LIMIT ${MOST_NAMED}`
  const rows = await textRows(connection, counted)
  const [values = 0, count = 0] = (rows[0] ?? []).slice(1).map(Number)
  if (count === 0) return null
  const names = rows.map(([name]) => (name === null ? 'NULL' : `"${clip(name)}"`)).join(', ')
  const others = values > rows.length ? ` and ${values - rows.length} other values` : ''
  const message = `${names}${others} ${values > 1 ? 'are' : 'is'} ${what}${count > 1 ? ` (${count} rows)` : ''}`
  return { message, rows: count }
}

/** Reports the first of the rows that meet a condition, and counts the others. */
async function wrongRows(
  connection: Connection,
  table: SealTable,
  raw: string,
  {
    column,
    wrong,
    what,
    stored = 'NULL',
  }: {
    column: string
    wrong: string
    /** What follows the value in a sentence. */
    what: (shown: string, stored: string) => string
    /** SQL of the value as it is stored. */
    stored?: string
  },
): Promise<Finding[]> {
  const found = `SELECT "#", ${identifier(column)}, count(*) OVER (), ${stored} FROM ${raw} WHERE ${wrong} ORDER BY "#" LIMIT 1`
  const [row, value, count, part] = (await textRows(connection, found))[0] ?? []
  if (row === undefined) return []
  const others = Number(count) - 1
  const more = others > 0 ? ` (and ${others} more ${others > 1 ? 'rows' : 'row'})` : ''
  const shown = value === null ? '' : clip(value)
  const message = `${value === null ? '' : `"${shown}" `}${what(shown, clip(part))}${more}`
  return [{ table: table.name, column, row: Number(row), rows: Number(count), message }]
}

/** Shortens a value of a package for a message. */
export function clip(value: unknown, most = MAX_SHOWN): string {
  const text = String(value)
  return text.length > most ? `${text.slice(0, most)}…` : text
}
