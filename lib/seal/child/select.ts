import type { Connection, DataChunk } from '../../duckdb/child/duckdb.js'

/** The rows of a SELECT, with their values as text. */
export async function textRows(connection: Connection, select: string): Promise<(string | null)[][]> {
  const asText = `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${select})`
  return (await connection.runAndReadAll(asText)).getRows() as (string | null)[][]
}

/** The number that a statement returns. */
export async function numberIn(connection: Connection, statement: string): Promise<number> {
  return Number((await connection.runAndReadAll(statement)).getRows()[0]?.[0])
}

/** Streams a result a few thousand rows at a time, for results that do not fit into memory as objects. */
export async function* streamed(connection: Connection, sql: string): AsyncGenerator<DataChunk> {
  const result = await connection.stream(sql)
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
    yield chunk
}
