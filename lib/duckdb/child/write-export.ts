import { join } from 'node:path'
import type { ExportFormat } from '../../model.js'
import { CsvRows } from '../../values/csv.js'
import type { EngineSettings, ExportJob, Made } from '../jobs.js'
import { resultColumns } from './bound-statement.js'
import type { Copied, Copying } from './copy.js'
import type { Connection } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'
import { selectGiven } from './select-given.js'
import { jsonLines } from './write-chunk.js'
import { writeParquet } from './write-parquet.js'
import { writeRows } from './write-rows.js'

/** Writes the rows of a job's statement to a file in one format. */
type Writer = (
  connection: Connection,
  copying: Copying,
  job: ExportJob,
  settings: EngineSettings,
) => Promise<Copied>

const WRITERS: Readonly<Record<ExportFormat, Writer>> = {
  parquet: (connection, copying, job) => writeParquet(connection, copying, job),
  csv: (connection, copying, { escapesFormulas }) =>
    writeRows(connection, copying, new CsvRows(copying.columns, escapesFormulas)),
  ndjson: (connection, copying) => writeRows(connection, copying, jsonLines(copying.columns)),
  // Loaded when first needed: its packages are optional, and take a while.
  arrow: async (connection, copying, job, { threads }) =>
    (await import('./write-arrow.js').catch(notInstalled)).writeArrow(connection, copying, job, threads),
  xlsx: async (connection, copying, job, { spillBytes }) =>
    (await import('./write-xlsx.js')).writeXlsx(connection, copying, job, spillBytes),
}

/** Writes every row of a statement to a file of its own; fails when it passes `maxBytes`. */
export async function exportFile(
  connection: Connection,
  job: ExportJob,
  settings: EngineSettings,
  signal: AbortSignal,
): Promise<Made<'export'>> {
  const { maxBytes } = job
  const { given } = job
  const path = join(settings.own, job.file)
  const statement = given
    ? {
        sql: selectGiven({ ...given, path: join(settings.given, given.path) }),
        relations: [],
        volatile: false,
      }
    : job.statement
  const columns = await resultColumns(connection, statement)
  const copying = { statement, columns, path, maxBytes, signal }
  const { rows } = await WRITERS[job.format](connection, copying, job, settings)
  return { rows }
}

function notInstalled(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause
  const text = 'This service writes no files of the format arrow: choose another one.'
  throw new KnownFailure({ kind: 'format', text, cause: cause.message })
}
