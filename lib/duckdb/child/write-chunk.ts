import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { WrittenChunk } from '../../engine/port.js'
import { jsonRows } from '../../values/json.js'
import type { ResultColumn } from '../../values/types.js'
import type { ChunkJob, EngineSettings } from '../jobs.js'
import { resultColumns } from './bound-statement.js'
import type { Connection } from './duckdb.js'
import { type RowFormat, writeRows } from './write-rows.js'

const NEWLINE = 10

/** Lines of JSON, an object for each row. */
export function jsonLines(columns: readonly ResultColumn[]): RowFormat {
  const write = jsonRows(columns)
  return {
    row(vectors, row, out) {
      write(vectors, row, out)
      out.byte(NEWLINE)
    },
  }
}

/** Writes rows as lines of JSON. */
export async function writeChunk(
  connection: Connection,
  job: ChunkJob,
  settings: EngineSettings,
  signal: AbortSignal,
): Promise<Omit<WrittenChunk, 'path'>> {
  const { statement, offset, maxBytes } = job
  const columns = await resultColumns(connection, statement)
  const path = join(settings.own, job.file)
  /** Bytes of the rows that are wanted. */
  let bytes = 0
  let ended = 0
  const range = { offset, limit: job.rows + 1 }
  const copying = { statement, columns, path, maxBytes, signal }
  const onRow = (end: number) => {
    ended += 1
    if (ended <= job.rows) bytes = end
  }
  const written = await writeRows(connection, copying, jsonLines(columns), { range, onRow })
  const more = written.rows > job.rows
  const rows = more ? job.rows : written.rows
  try {
    if (more) await truncate(path, bytes)
  } catch (cause) {
    await rm(path, { force: true })
    throw cause
  }
  return { rows, bytes, more, ...(rows > 0 ? {} : { columns: columns.map(({ name }) => name) }) }
}
