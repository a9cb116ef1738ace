import type { Column } from '../../../model.js'
import { decodeUtf8 } from '../../../values/utf8.js'
import type { Connection } from '../duckdb.js'

/**
 * The rows of a SELECT, whose values are text. They come as bytes: the engine's API drops the byte order mark with which
 * a text begins, and two keys or names would be one.
 */
export async function textRows(connection: Connection, select: string): Promise<(string | null)[][]> {
  const encoded = `SELECT encode(CAST(COLUMNS(*) AS VARCHAR)) FROM (${select})`
  const rows = (await connection.runAndReadAll(encoded)).getRows() as ({ bytes: Uint8Array } | null)[][]
  return rows.map(row => row.map(value => value && decodeUtf8(value.bytes)))
}

/** Columns of a table or query with their SQL types; `source` is the operand of DESCRIBE. */
export async function describedColumns(connection: Connection, source: string): Promise<Column[]> {
  const rows = await textRows(connection, `SELECT column_name, column_type FROM (DESCRIBE ${source})`)
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }))
}
