import { join } from 'node:path'
import type { ExportFormat } from '../../model.js'
import { CsvRows } from '../../values/csv.js'
import { identifier, literal } from '../../values/quote.js'
import type { GivenRows, GivenType } from '../given-rows.js'
import type { EngineSettings, ExportJob, JobResult } from '../jobs.js'
import { resultColumns } from './bound-statement.js'
import type { CopiedRows, StatementCopy } from './copy.js'
import type { Connection } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'
import { writeParquet } from './write-parquet.js'
import { jsonLines, writeRows } from './write-rows.js'

/** Writes the rows of a job's statement to a file in one format. */
type Writer = (
  connection: Connection,
  copying: StatementCopy,
  job: ExportJob,
  settings: EngineSettings,
) => Promise<CopiedRows>

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
): Promise<JobResult<'export'>> {
  const { maxBytes, statement: from } = job
  const path = join(settings.own, job.file)
  const statement =
    'path' in from ? { sql: selectGiven({ ...from, path: join(settings.given, from.path) }) } : from
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

const LINE_BYTES = 16 * 1024 ** 2

/** SQL that selects given rows with their names, order and types. */
function selectGiven({ path, columns, lineBytes = 0 }: GivenRows): string {
  const read = columns.map(({ type }, index) => `c${index}: ${literal(typeRead(type))}`)
  const select = columns.map(
    ({ name, type }, index) => `${valueFrom(type, `c${index}`, 0)} AS ${identifier(name)}`,
  )
  const bytes = Math.max(LINE_BYTES, Math.ceil(lineBytes))
  const options = `format = 'newline_delimited', maximum_object_size = ${bytes}, columns = {${read.join(', ')}}`
  return `SELECT ${select.join(', ')} FROM read_json(${literal(path)}, ${options})`
}

/** DuckDB's type of the JSON of a value. */
function typeRead(type: GivenType): string {
  if (typeof type === 'string') {
    return type === 'BLOB' || type === 'JSON' ? 'VARCHAR' : type
  }
  if ('decimal' in type) return `DECIMAL(${type.decimal.map(Number).join(', ')})`
  if ('list' in type) return `${typeRead(type.list)}[]`
  if ('map' in type) return `MAP(VARCHAR, ${typeRead(type.map)})`
  return `STRUCT(${type.struct.map(field => `${identifier(field.name)} ${typeRead(field.type)}`).join(', ')})`
}

/** SQL for a value from what was read; `depth` names the variables of lambdas. */
function valueFrom(type: GivenType, read: string, depth: number): string {
  if (!isConverted(type)) return read
  if (type === 'BLOB') return `from_base64(${read})`
  if (type === 'JSON') return `CAST(${read} AS JSON)`
  const item = `x${depth}`
  if ('list' in type)
    return `list_transform(${read}, lambda ${item}: ${valueFrom(type.list, item, depth + 1)})`
  if ('map' in type) {
    const value = valueFrom(type.map, `${item}."value"`, depth + 1)
    const entries = `list_transform(map_entries(${read}), lambda ${item}: struct_pack("key" := ${item}."key", "value" := ${value}))`
    return `CASE WHEN ${read} IS NOT NULL THEN map_from_entries(${entries}) END`
  }
  const fields = type.struct.map(field => {
    const name = identifier(field.name)
    return `${name} := ${valueFrom(field.type, `${read}.${name}`, depth)}`
  })
  return `CASE WHEN ${read} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`
}

/** Whether values of this type are other than what is read. */
function isConverted(
  type: GivenType,
): type is Exclude<GivenType, string | { decimal: unknown }> | 'BLOB' | 'JSON' {
  if (typeof type === 'string') return type === 'BLOB' || type === 'JSON'
  if ('decimal' in type) return false
  if ('struct' in type) return type.struct.some(field => isConverted(field.type))
  return isConverted('list' in type ? type.list : type.map)
}
