import { isUint8Array } from 'node:util/types'
import { decodeUtf8 } from 'foldgate/internal'
import { must, shown } from './contract.js'
import type { ReadBytes } from './source-reader.js'

/** What a source delivered. A value that has no obvious text, such as a date in Parquet, is undefined. */
export interface Delivered {
  columns: string[]
  rows: (string | null | undefined)[][]
}

/** A field with the separator after it. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y

/** Reads the bytes of a source as the format that it names. Fails when the bytes have another format. */
export async function delivered({ format, chunks }: ReadBytes): Promise<Delivered> {
  for (const chunk of chunks) must(isUint8Array(chunk), `a chunk was ${shown(chunk)}`, 'be a Uint8Array')
  const bytes = Buffer.concat(chunks)
  if (format === 'parquet') return fromParquetBytes(bytes)
  const hasEmptyText = format === 'csv-with-empty-text'
  must(
    hasEmptyText || format === 'csv',
    `its format was ${shown(format)}`,
    'be csv, csv-with-empty-text or parquet',
  )
  const [header = [], ...rows] = csvRows(utf8(bytes), hasEmptyText)
  const columns = header.map(name => name ?? '')
  must(columns.length > 0, 'the CSV was empty', 'begin with the names of the columns')
  const wide = rows.find(row => row.length !== columns.length)
  must(!wide, `a row had ${wide?.length} fields, and the header ${columns.length}`, 'have as many')
  return { columns, rows }
}

function utf8(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    must(false, 'the CSV was not UTF-8', 'be UTF-8')
  }
}

function csvRows(text: string, hasEmptyText: boolean): (string | null)[][] {
  const rows: (string | null)[][] = []
  let row: (string | null)[] = []
  FIELD.lastIndex = 0
  for (let at = 0; at < text.length || row.length > 0; at = FIELD.lastIndex) {
    const [found, quoted, plain = '', end] = FIELD.exec(text) ?? []
    must(
      found !== undefined,
      `a field of the CSV was ${shown(text.slice(at, at + 40))}`,
      'have its quotes doubled',
    )
    const value = quoted?.replaceAll('""', '"') ?? plain
    row.push(value === '' && !(hasEmptyText && quoted !== undefined) ? null : value)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

async function fromParquetBytes(bytes: Uint8Array): Promise<Delivered> {
  const [{ readParquet }, { tableFromIPC }] = await Promise.all([
    import('parquet-wasm'),
    import('apache-arrow'),
  ])
  let table: ReturnType<typeof tableFromIPC>
  try {
    table = tableFromIPC(readParquet(bytes).intoIPCStream())
  } catch (cause) {
    must(false, `its bytes could not be read as Parquet: ${cause}`, 'be a Parquet file')
  }
  const columns = table.schema.fields.map(({ name }) => name)
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    columns.map((_, column) => textOf(table.getChildAt(column)?.get(row))),
  )
  return { columns, rows }
}

function textOf(value: unknown): string | null | undefined {
  if (value === null) return null
  return ['string', 'bigint', 'boolean', 'number'].includes(typeof value) ? `${value}` : undefined
}
