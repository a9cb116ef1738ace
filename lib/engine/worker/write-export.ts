import { join } from 'node:path'
import type { EngineSettings, ExportedFile, ExportJob } from '../jobs.js'
import { literal } from '../quote.js'
import { writeBounded } from './bounded.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { columnsForParquet } from './parquet.js'
import { project, resultColumns, runAround } from './statement-rows.js'

const HUGE_CAST = /Could not cast value .*to DECIMAL\(38,0\)/

/** Writes every row of a statement to a Parquet file in the scratch folder; fails when it passes `maxBytes`. */
export async function exportFile(
  connection: Connection,
  job: ExportJob,
  settings: EngineSettings,
): Promise<ExportedFile> {
  const columns = await resultColumns(connection, job.statement)
  const select = project(() => columnsForParquet(columns))
  const path = join(settings.scratch, job.file)
  const metadata = Object.entries(job.metadata).map(([key, value]) => `${literal(key)}: ${literal(value)}`)
  const after = `) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${metadata}})`
  const sql = { before: `COPY (SELECT ${select} FROM`, statement: job.statement, columns, after }
  const written = await writeBounded(connection, { path, maxBytes: job.maxBytes }, () =>
    runAround(sql, text => connection.run(text)),
  ).catch(cause => {
    throw mapped(cause)
  })
  if (written) return { path, rows: written.value.rowsChanged, bytes: written.bytes }
  const text = `The file passed ${job.maxBytes} bytes. Select fewer rows or columns.`
  throw new KnownFailure({ kind: 'file-bytes', text })
}

function mapped(cause: unknown): unknown {
  if (!HUGE_CAST.test(describeFailure(cause).cause ?? '')) return cause
  const text = 'A HUGEINT value has more than the 38 digits that the file can hold. Cast it to VARCHAR or DOUBLE.'
  return new KnownFailure({ kind: 'query', text })
}
