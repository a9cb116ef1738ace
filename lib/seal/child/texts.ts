import type { Connection } from '../../duckdb/child/duckdb.js'

/** The rows of a SELECT, with their values as text. */
export async function textRows(connection: Connection, select: string): Promise<(string | null)[][]> {
  const asText = `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${select})`
  return (await connection.runAndReadAll(asText)).getRows() as (string | null)[][]
}

/** The number that a SELECT returns. */
export async function numberIn(connection: Connection, select: string): Promise<number> {
  return Number((await connection.runAndReadAll(select)).getRows()[0]?.[0])
}
