import { textOf } from '../../values/json.js'
import { Output } from '../../values/output.js'
import { columnsForParquet, TOO_HUGE, TOO_PRECISE } from '../../values/parquet.js'
import { literal } from '../../values/quote.js'
import { TEXT_FUNCTION } from '../../values/types.js'
import type { Vector } from '../../values/vector.js'
import type { ExportJob } from '../jobs.js'
import { type CopiedRows, copyRows, type StatementCopy } from './copy.js'
import { ANY, type Connection, DuckDBScalarFunction, VARCHAR } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { readChunk, typeOfChunk } from './vectors.js'

/** Writes a Parquet file with the job's metadata. */
export function writeParquet(
  connection: Connection,
  copying: StatementCopy,
  job: Pick<ExportJob, 'metadata'>,
): Promise<CopiedRows> {
  return atPrecision(nanoseconds =>
    copyParquet(connection, copying, job, { nanoseconds, options: 'COMPRESSION zstd' }),
  )
}

/** Copies rows to Parquet; a TIMESTAMP_NS that is no TIMESTAMP fails unless `nanoseconds` are kept. */
export function copyParquet(
  connection: Connection,
  copying: StatementCopy,
  { metadata }: Pick<ExportJob, 'metadata'>,
  { nanoseconds, options }: { nanoseconds: boolean; options: string },
): Promise<CopiedRows> {
  const pairs = Object.entries(metadata).map(([key, value]) => `${literal(key)}: ${literal(value)}`)
  const select = columnsForParquet(copying.columns, nanoseconds)
  if (select.includes(TEXT_FUNCTION)) connection.registerScalarFunction(textFunction())
  return copyRows(connection, copying, select, `FORMAT parquet, ${options}, KV_METADATA {${pairs}}`)
}

/** Runs `write` without nanoseconds, which common readers take, and with them only if a value needs them. */
export async function atPrecision<Written>(
  write: (nanoseconds: boolean) => Promise<Written>,
): Promise<Written> {
  try {
    return await write(false).catch(cause => {
      if (isError(cause, TOO_PRECISE)) return write(true)
      throw cause
    })
  } catch (cause) {
    if (!isError(cause, TOO_HUGE)) throw cause
    const text = 'A HUGEINT value does not fit into the BIGINT of the file. Cast it to VARCHAR or DOUBLE.'
    throw new KnownFailure({ kind: 'query', text })
  }
}

function isError(cause: unknown, text: string): boolean {
  return describeFailure(cause).cause?.includes(text) ?? false
}

/**
 * The function that spells values which Parquet, or common readers of it, lack. The guard refuses it to
 * callers, and it only formats the value that it is given.
 */
function textFunction() {
  return DuckDBScalarFunction.create({
    name: TEXT_FUNCTION,
    returnType: VARCHAR,
    parameterTypes: [ANY],
    mainFunction(_, chunk, texts) {
      const type = typeOfChunk(chunk)
      const [vector] = readChunk(chunk, [type]) as [Vector]
      const write = textOf(type)
      const out = new Output()
      for (let row = 0; row < chunk.rowCount; row++)
        texts.setItem(row, write(vector, row, out) ? out.take().toString() : null)
      texts.flush()
    },
  })
}
