import type { Connection, DataChunk } from '../../duckdb/child/duckdb.js'

/** Streams a result a few thousand rows at a time, for results that do not fit into memory as objects. */
export async function* streamed(connection: Connection, sql: string): AsyncGenerator<DataChunk> {
  const result = await connection.stream(sql)
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
    yield chunk
}
