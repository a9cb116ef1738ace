import { isDate } from 'node:util/types'
import { checkOptions } from '../values/known-options.js'
import { kindOf, speller, Unstorable } from './cells.js'
import { InferredColumn } from './inferred-column.js'
import type { SourceOptions, SourceRequest, TableSource } from './source.js'
import { isSupply, type OpenSupply, readOnce, type Supply } from './supply.js'

/** Rows are handed over when their text is about as long. */
const CHUNK_CHARACTERS = 64 * 1024

/**
 * Rows as objects, from an array, a generator, or a stream of Node or of the web in object mode. They are read no
 * faster than they are stored.
 *
 * The keys of a row are columns of the catalogue; if it declares none, all rows have the keys of the first one. A key
 * that is missing, null and undefined are NULL. Strings, numbers, bigints and booleans are stored as they are, a Date
 * as its instant, a Uint8Array as a BLOB, and in a column of JSON an array or an object as JSON, and a string as the
 * JSON that it holds. In a column of a list an array is one.
 *
 * Without declared columns, a column is VARCHAR, BOOLEAN, TIMESTAMPTZ (of Dates), BLOB, JSON (of arrays and objects),
 * BIGINT (of whole numbers and bigints), DECIMAL(38,0) (when a bigint is larger) or DOUBLE, and VARCHAR when all is
 * NULL.
 *
 * @param rows - Objects whose keys are columns. The rows are read once.
 * @param options - Whether the order of the rows is kept. By default, they are stored in the order of the unique key of
 * the table.
 * @returns A source for `tables` of `seal`. Sealing fails with a `SealerError` of the reason `source`, which names the
 * number of the row and the column, for another key, for a value that the column cannot hold as it is, such as a
 * function, and for values of several kinds in a column that is not declared.
 * @throws TypeError when an option does not exist, and when it is given neither an Iterable nor an AsyncIterable.
 *
 * @example
 * ```ts
 * async function* orders() {
 *   yield { id: 1, total: 12.5, placed: new Date() }
 *   yield { id: 2, total: null }
 * }
 * await sealer.seal({ projectId, tables: { orders: fromRows(orders()) } })
 * ```
 */
export function fromRows(
  rows: Supply<Readonly<Record<string, unknown>>>,
  options: SourceOptions = {},
): TableSource {
  checkOptions('fromRows', options, { isOrdered: true })
  if (!isSupply(rows)) throw new TypeError('fromRows() takes an Iterable or AsyncIterable of objects')
  const begin = readOnce<unknown>(rows)
  return {
    isOrdered: options.isOrdered ?? false,
    async read(request) {
      const reading = begin(request.signal)
      if (request.columns) {
        const declared = Object.entries(request.columns)
        const columns = declared.map(([name, type]) => ({ name, spell: speller(type) }))
        const isLacking = (name: string, keys: readonly string[]) =>
          name === request.optional && keys.length > 0 && !keys.includes(name)
        const columnsOf = (keys: readonly string[]) => columns.filter(({ name }) => !isLacking(name, keys))
        return { format: 'csv-with-empty-text', chunks: csvOf(reading, request, columnsOf) }
      }
      const inferred: InferredColumn[] = []
      return {
        format: 'csv-with-empty-text',
        chunks: csvOf(reading, request, names => {
          inferred.push(...names.map(name => new InferredColumn(name)))
          return inferred
        }),
        types: () => Object.fromEntries(inferred.map(({ name, type }) => [name, type])),
      }
    },
  }
}

interface RowColumn {
  name: string
  /** Spells a value other than NULL as the engine reads it. */
  spell(value: unknown): string
}

/** The columns of a table; `names` are the keys of the first row, and none when there is no row. */
type ColumnsOf = (names: readonly string[]) => readonly RowColumn[]

async function* csvOf(
  rows: OpenSupply<unknown>,
  { table, signal }: SourceRequest,
  columnsOf: ColumnsOf,
): AsyncGenerator<Uint8Array> {
  let columns: readonly RowColumn[] | null = null
  let text = ''
  try {
    for (let number = 1; ; number++) {
      const step = rows.next()
      const { done, value } = 'then' in step ? await step : step
      signal.throwIfAborted()
      const row = done ? {} : rowOf(value, number)
      if (columns === null) {
        columns = columnsOf(Object.keys(row))
        if (columns.length === 0)
          throw new Error(
            `${done ? 'there are no rows' : 'row 1 has no keys'}, and the catalogue declares no columns of ${table}: declare them`,
          )
        text = `${columns.map(({ name }) => quoted(name)).join(',')}\n`
      }
      if (done) break
      text += lineOf(row, columns, number)
      if (text.length < CHUNK_CHARACTERS) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  } finally {
    await rows.close()
  }
}

function rowOf(value: unknown, number: number): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || isSupply(value) || isDate(value) || 'then' in value)
    throw new Error(`row ${number} is ${kindOf(value)}: a row is an object with a key per column`)
  return value as Record<string, unknown>
}

function lineOf(row: Record<string, unknown>, columns: readonly RowColumn[], number: number): string {
  let line = ''
  let known = 0
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at] as RowColumn
    if (at > 0) line += ','
    if (!Object.hasOwn(row, column.name)) continue
    known += 1
    const value = row[column.name]
    if (value !== null && value !== undefined) line += fieldOf(value, column, number)
  }
  if (known < Object.keys(row).length) refuseUnknown(row, columns, number)
  return `${line}\n`
}

function fieldOf(value: unknown, column: RowColumn, number: number): string {
  try {
    const text = column.spell(value)
    return typeof value === 'number' || typeof value === 'bigint' ? text : quoted(text)
  } catch (cause) {
    if (!(cause instanceof Unstorable)) throw cause
    throw new Error(`row ${number}, column ${JSON.stringify(column.name)}: the value ${cause.message}`, {
      cause,
    })
  }
}

/** A field in quotes, since an empty one without them is NULL. */
function quoted(text: string): string {
  return `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`
}

function refuseUnknown(row: object, columns: readonly RowColumn[], number: number): void {
  const name = Object.keys(row).find(key => !columns.some(column => column.name === key))
  if (name !== undefined)
    throw new Error(`row ${number} has the key ${JSON.stringify(name)}, which is no column of the table`)
}
