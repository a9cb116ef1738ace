import type { Column } from '../../model.js'
import type { Connection } from './duckdb.js'

/** Columns of a table or query with their SQL types; `source` is the operand of DESCRIBE. */
export async function columnsOf(connection: Connection, source: string): Promise<Column[]> {
  const described = await connection.runAndReadAll(`DESCRIBE ${source}`)
  return described.getRows().map(row => ({ name: String(row[0]), type: String(row[1]) }))
}
