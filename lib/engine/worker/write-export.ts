import { join } from 'node:path'
import type { EngineSettings, ExportedFile, ExportJob } from '../jobs.js'
import { literal } from '../quote.js'
import { writeBounded } from './bounded.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { columnsForParquet, TOO_HUGE, TOO_PRECISE } from './parquet.js'
import type { ResultColumn } from './projection.js'
import { project, resultColumns, runAround } from './statement-rows.js'

/** Writes every row of a statement to a Parquet file in the scratch folder; fails when it passes `maxBytes`. */
export async function exportFile(
  connection: Connection,
  job: ExportJob,
  settings: EngineSettings,
): Promise<ExportedFile> {
  const columns = await resultColumns(connection, job.statement)
  const write = (nanoseconds: boolean) => writeFile(connection, job, settings, { columns, nanoseconds })
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

async function writeFile(
  connection: Connection,
  job: ExportJob,
  settings: EngineSettings,
  { columns, nanoseconds }: { columns: readonly ResultColumn[]; nanoseconds: boolean },
): Promise<ExportedFile> {
  const select = project(() => columnsForParquet(columns, nanoseconds))
  const path = join(settings.scratch, job.file)
  const metadata = Object.entries(job.metadata).map(([key, value]) => `${literal(key)}: ${literal(value)}`)
  const after = `) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${metadata}})`
  const sql = { before: `COPY (SELECT ${select} FROM`, statement: job.statement, columns, after }
  const written = await writeBounded(connection, { path, maxBytes: job.maxBytes }, () =>
    runAround(sql, text => connection.run(text)),
  )
  if (written) return { path, rows: written.value.rowsChanged, bytes: written.bytes }
  const text = `The file passed ${job.maxBytes} bytes. Select fewer rows or columns.`
  throw new KnownFailure({ kind: 'file-bytes', text })
}
