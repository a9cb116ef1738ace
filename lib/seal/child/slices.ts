import { type Connection, columnsOf } from '../../duckdb/child/duckdb.js'
import { describeFailure } from '../../duckdb/child/duckdb-failure.js'
import { fileOf } from '../../files/given-names.js'
import type { Column } from '../../model.js'
import { identifier } from '../../values/quote.js'
import type { SealTable, TenantsJob } from '../job.js'
import type { Finding } from './checks.js'
import { checkColumns, lookAt, type TableFile, withoutColumn } from './given-file.js'
import type { StagedTable } from './parts.js'
import { refusingLong } from './row-size.js'
import { numberIn, textRows } from './select.js'
import { explain, nameRows, otherRows, stageRows } from './staging.js'
import { STAGING, type Workplace } from './workplace.js'
import { countSound, readAs } from './written.js'

/** The rows of a table, stored tenant by tenant. */
export interface Slices {
  /** Name of the table of the staging database, in which rows are numbered in `#` as they are in the source. */
  from: string
  /** Name of the column in which they are numbered as they are stored. */
  at: string
  /** Name of the column with the keys of their tenants. */
  key: string
  given: TableFile
  /** Where the rows of each tenant are. */
  byKey: ReadonlyMap<string | null, TenantSlice>
  /**
   * The rows of several tenants, as a rule, that are in memory, in a table of their own. They have their types, unless a
   * value is of another.
   */
  window: Pick<TenantSlice, 'first' | 'rows'> & { isTyped: boolean }
  /** The columns as they are stored, once those of one tenant are. */
  columns: Column[] | null
}

interface TenantSlice {
  first: number
  rows: number
  /** Number of the first row in the source. */
  firstRow: number
}

const NO_ROWS: TenantSlice = { first: 1, rows: 0, firstRow: 0 }
/** Rows of a window. */
const WINDOW_ROWS = 32_768
/** Rows of one group in a Parquet file. */
const GROUP_ROWS = 122_880

const MISSING = 'the column is missing'
const ADVICE = 'name the table as shared if all tenants may see all of its rows'
const YET_HAS_IT =
  'there is the column, although the table is named as shared: its rows would be seen by all tenants'

/**
 * Stores the rows of a table tenant by tenant, as they are. Returns what is wrong with the table as a whole, and null
 * for one that is the same for all tenants.
 */
export async function sliceTable(
  table: SealTable,
  { by, shared }: Pick<TenantsJob, 'by' | 'shared'>,
  work: Workplace,
): Promise<Slices | Finding[] | null> {
  try {
    const opened = await work.files.open(fileOf(table.name, table.format))
    const given = await lookAt(work.connection, table, opened, { asText: by })
    if ('unreadable' in given) return [given.unreadable]
    const alike = given.present.find(name => name !== by && name.toLowerCase() === by.toLowerCase())
    if (alike !== undefined) {
      const message = `the column is named ${JSON.stringify(alike)}: write its name as ${JSON.stringify(by)}`
      return [{ table: table.name, column: by, message }]
    }
    const isThere = given.present.includes(by)
    const isShared = shared ? shared.includes(table.name) : !table.isOfProject && !isThere
    if (isShared && !isThere) return null
    if (isShared) return [{ table: table.name, column: by, message: YET_HAS_IT }]
    if (!isThere)
      return [{ table: table.name, column: by, message: shared ? `${MISSING}: ${ADVICE}` : MISSING }]
    const own = withoutColumn(given, by)
    const wrong = checkColumns(table, own, by)
    if (wrong.length > 0) return wrong
    const sliced = await slice(table, by, given, work).catch(async cause => {
      const searched =
        given.rows === null ? await lookAt(work.connection, table, opened, { isSearched: true }) : given
      if ('unreadable' in searched) return searched.unreadable
      throw cause
    })
    return 'message' in sliced
      ? [sliced]
      : { ...sliced, given: own, window: { ...NO_ROWS, isTyped: false }, columns: null }
  } catch (cause) {
    return [explain(cause, table)]
  }
}

async function slice(
  table: SealTable,
  by: string,
  given: TableFile,
  { connection }: Workplace,
): Promise<Pick<Slices, 'from' | 'at' | 'key' | 'byKey'> | Finding> {
  const [unsorted, from] = ['unsorted', 'sorted'].map(
    state => `${STAGING}.main.${identifier(`${table.name} ${state}`)}`,
  ) as [string, string]
  const value = `CAST(${identifier(by)} AS VARCHAR)`
  const at = nameBeside(given.present, '# stored')
  const keyName = nameBeside(given.present, '# key')
  const key = identifier(keyName)
  await connection.run(
    `CREATE TABLE ${unsorted} AS SELECT row_number() OVER () AS "#", ${value} AS ${key}, * FROM ${given.from}`,
  )
  await connection.run(
    `CREATE TABLE ${from} AS SELECT row_number() OVER () AS ${identifier(at)}, *
     FROM (SELECT * FROM ${unsorted} ORDER BY ${key}, "#")`,
  )
  await connection.run(`DROP TABLE ${unsorted}`)
  const slices = `SELECT ${key}, min(${identifier(at)}), count(*), min("#") FROM ${from} GROUP BY ${key}`
  const found = await textRows(connection, slices)
  const byKey = new Map(
    found.map(([value = null, ...numbers]) => {
      const [first = 0, rows = 0, firstRow = 0] = numbers.map(Number)
      return [value, { first, rows, firstRow }]
    }),
  )
  const rows = [...byKey.values()].reduce((sum, each) => sum + each.rows, 0)
  if (given.rows !== null && given.rows !== rows) return otherRows(table)
  return { from, at, key: keyName, byKey }
}

/** A name like this one that no column has. */
function nameBeside(columns: readonly string[], name: string): string {
  const isTaken = columns.some(column => column.toLowerCase() === name)
  return isTaken ? nameBeside(columns, `${name} `) : name
}

/**
 * Reads the rows of a tenant into a table of their name. They are few as a rule: as long as nothing is wrong with them,
 * one statement reads them, and another one checks them.
 */
export async function stageSlice(
  table: SealTable,
  slices: Slices,
  key: string,
  work: Workplace,
): Promise<StagedTable> {
  const slice = slices.byKey.get(key) ?? NO_ROWS
  const { given } = slices
  const { from, isTyped } = await holding(slice, slices, table, work)
  const typed = typedColumns(table, given, isTyped)
  const kept = `${within(slice, slices)} AND ${identifier(slices.key)} = ${textLiteral(key)}`
  const { connection } = work
  const rowsOfTenant = `SELECT * FROM (SELECT "#", ${typed} FROM ${from} WHERE ${kept})${refusingLong(given)}`
  const read = await readSlice(connection, table, rowsOfTenant)
  if (read !== null) {
    compareRows(table, read, slice)
    slices.columns ??= await columnsOf(connection, identifier(table.name))
    const small = slice.rows <= GROUP_ROWS ? { small: { columns: slices.columns } } : {}
    return { findings: [], isRead: true, written: null, guessed: given.guessed, ...small }
  }
  const own = `SELECT "#", ${given.present.map(identifier).join(', ')} FROM ${slices.from} WHERE ${kept}`
  const rows = { ...given, from: `(${own})`, rows: null, isNumbered: true }
  const staged = await stageRows(table, work, rows, [])
  const stored = `SELECT count(*) FROM ${identifier(table.name)}`
  if (staged.isRead) compareRows(table, await numberIn(connection, stored), slice)
  return { ...staged, findings: await nameRows(staged.findings, table, given.file) }
}

/** The table that holds a slice: in memory, unless it is large, or there is nothing to hold. */
async function holding(
  { first, rows }: TenantSlice,
  slices: Slices,
  table: SealTable,
  { connection }: Workplace,
): Promise<{ from: string; isTyped: boolean }> {
  if (rows > WINDOW_ROWS || rows === 0) return { from: slices.from, isTyped: false }
  const from = identifier(`${table.name} window`)
  const { window } = slices
  if (first < window.first || first + rows > window.first + window.rows) {
    const next = { first, rows: WINDOW_ROWS }
    const hold = (columns: string) =>
      connection.run(
        `CREATE OR REPLACE TABLE ${from} AS SELECT ${identifier(slices.at)}, ${identifier(slices.key)}, "#", ${columns}
         FROM ${slices.from}
         WHERE ${within(next, slices)}`,
      )
    const isTyped = await hold(typedColumns(table, slices.given, false)).then(
      () => true,
      cause => {
        if (describeFailure(cause).kind !== 'query') throw cause
        return false
      },
    )
    if (!isTyped) await hold(slices.given.present.map(identifier).join(', '))
    slices.window = { ...next, isTyped }
  }
  return { from, isTyped: slices.window.isTyped }
}

/** The columns as they are stored, from rows that have their types already or not. */
function typedColumns(table: SealTable, given: TableFile, isTyped: boolean): string {
  const names = given.types ? Object.keys(given.types) : given.present
  return names.map(name => (isTyped ? identifier(name) : readAs(name, table, given))).join(', ')
}

/** Throws unless as many rows have the key of a tenant as were counted of it when all were read: nothing is published. */
function compareRows({ name }: SealTable, read: number, { rows }: TenantSlice): void {
  if (read !== rows)
    throw new Error(`${read} rows of ${name} have the key of the tenant, of which there are ${rows}`)
}

/** A literal of any text: what a statement holds ends at a NUL. */
function textLiteral(text: string): string {
  return `decode(unhex('${Buffer.from(text).toString('hex')}'))`
}

function within({ first, rows }: Pick<TenantSlice, 'first' | 'rows'>, { at }: Slices): string {
  return `${identifier(at)} BETWEEN ${first} AND ${first + rows - 1}`
}

/** Reads the rows, and checks them. Returns their number; null when something is wrong with them, or may be. */
async function readSlice(connection: Connection, table: SealTable, rows: string): Promise<number | null> {
  const name = identifier(table.name)
  const { unique } = table
  try {
    const order = table.isOrdered || unique.length === 0 ? '"#"' : unique.map(identifier).join(', ')
    await connection.run(`CREATE TABLE ${name} AS SELECT * EXCLUDE ("#") FROM (${rows}) ORDER BY ${order}`)
    const sound = await countSound(connection, table, name)
    if (sound !== null) return sound
  } catch (cause) {
    if (describeFailure(cause).kind !== 'query') throw cause
  }
  await connection.run(`DROP TABLE IF EXISTS ${name}`)
  return null
}
