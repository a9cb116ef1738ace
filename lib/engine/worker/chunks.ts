import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'

/** The rows of a result a few thousand at a time, for results that do not fit into memory as objects. */
export async function* chunksOf(connection: DuckDBConnection, sql: string): AsyncGenerator<DuckDBDataChunk> {
  const result = await connection.stream(sql)
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
    yield chunk
}
