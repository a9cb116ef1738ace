import { fileLiteral, literal } from '../values/quote.js'

/** A connection, as far as it is needed here. */
interface Runs {
  runAndReadAll(sql: string): Promise<{ getRows(): readonly (readonly unknown[])[] }>
}

/**
 * Codecs whose decoders in the engine were reviewed. The decoder of Brotli (1.1.0) writes out of bounds when a page is
 * malformed, so no page of a file with another codec is read.
 */
const REVIEWED = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD', 'LZ4', 'LZ4_RAW']

/** A column of a Parquet file that no page is read of. */
export interface RefusedColumn {
  column: string
  /** Why, and what to do: what follows the name of the file in a sentence. */
  problem: string
}

/**
 * Finds the first column of a Parquet file with a codec that was not reviewed. Reads the footer, and no page.
 */
export async function refusedColumn(connection: Runs, path: string): Promise<RefusedColumn | null> {
  const refused = `SELECT path_in_schema, compression, count(*) OVER () FROM parquet_metadata(${fileLiteral(path)})
    WHERE coalesce(compression, '') NOT IN (${REVIEWED.map(literal).join(', ')})
    GROUP BY path_in_schema, compression ORDER BY min(column_id) LIMIT 1`
  const [row] = (await connection.runAndReadAll(refused)).getRows()
  if (!row) return null
  const [column, codec, count] = row
  const others =
    Number(count) > 1
      ? ` (and so ${Number(count) > 2 ? `are ${Number(count) - 1} others` : 'is another'})`
      : ''
  const name = /^\w{1,20}$/.test(String(codec)) ? String(codec) : 'an unknown codec'
  const problem = `is compressed with ${name}, which is not read${others}: write the file with zstd or snappy`
  return { column: String(column), problem }
}
