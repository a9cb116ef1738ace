import type { Column } from '../../model.js'
import type { Connection, MaterializedResult } from './duckdb.js'

/** Columns of a table or query with their SQL types; `source` is the operand of DESCRIBE. */
export async function columnsOf(connection: Connection, source: string): Promise<Column[]> {
  return columnsTold(await connection.run(`DESCRIBE ${source}`))
}

/** Columns with their SQL types, as a DESCRIBE has told them. */
export async function columnsTold(described: MaterializedResult): Promise<Column[]> {
  const rows = await described.getRows()
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }))
}
