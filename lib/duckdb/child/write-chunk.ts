import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { WrittenChunk } from '../../engine/port.js'
import { literal } from '../../values/quote.js'
import type { ChunkJob, EngineSettings } from '../jobs.js'
import { writeBounded } from './bounded.js'
import type { Connection } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'
import { NOT_UTF8, rowAsJson } from './projection.js'
import { project, resultColumns, runAround } from './statement-rows.js'

/** One row's JSON per line, unquoted: the delimiter is a control character, which JSON cannot contain. */
export const LINES = `FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x1f'`
const NEWLINE = 10

/** Writes rows as lines of JSON. DuckDB writes the file, so that no row becomes a JavaScript value. */
export async function writeChunk(
  connection: Connection,
  job: ChunkJob,
  settings: EngineSettings,
): Promise<WrittenChunk> {
  const columns = await resultColumns(connection, job.statement)
  const row = project(() => rowAsJson(columns, job.rowBytes))
  const path = join(settings.scratch, job.file)
  const after = `LIMIT ${job.rows + 1} OFFSET ${job.offset}) TO ${literal(path)} (${LINES})`
  const sql = { before: `COPY (SELECT ${row} FROM`, statement: job.statement, columns, after }
  const written = await writeBounded(connection, { path, maxBytes: job.maxBytes }, () =>
    runAround(sql, text => connection.run(text)),
  )
  if (!written) throw notStored('rows are too large')
  const { rowsChanged } = written.value
  const more = rowsChanged > job.rows
  const rows = more ? job.rows : rowsChanged
  try {
    const bytes = await checkLines(path, rows)
    if (more) await truncate(path, bytes)
    return { path, rows, bytes, more, ...(rows > 0 ? {} : { columns: columns.map(({ name }) => name) }) }
  } catch (cause) {
    await rm(path, { force: true })
    throw cause
  }
}

/** Checks that lines are UTF-8, and returns the bytes of the first `rows`. */
async function checkLines(path: string, rows: number): Promise<number> {
  const text = new Utf8Check()
  let [line, position, end] = [0, 0, 0]
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes = chunk as Buffer
    text.add(bytes)
    for (let at = bytes.indexOf(NEWLINE); at >= 0 && line < rows; at = bytes.indexOf(NEWLINE, at + 1)) {
      line += 1
      end = position + at + 1
    }
    position += bytes.length
  }
  if (!text.holds) throw new KnownFailure({ kind: 'query', text: NOT_UTF8 })
  return end
}

function notStored(text: string): KnownFailure {
  return new KnownFailure({ kind: 'file-bytes', text })
}

/** Checks whether bytes that arrive in parts are UTF-8; a character may span two parts. */
export class Utf8Check {
  #cut: Uint8Array = new Uint8Array()
  #holds = true

  add(part: Uint8Array): void {
    const bytes = this.#cut.length > 0 ? Buffer.concat([this.#cut, part]) : part
    let end = bytes.length
    while (end > 0 && end > bytes.length - 3 && isInside(bytes[end - 1])) end -= 1
    if (end > 0 && isStart(bytes[end - 1])) end -= 1
    this.#holds &&= isUtf8(bytes.subarray(0, end))
    this.#cut = bytes.slice(end)
  }

  /** Whether all parts together are valid UTF-8. */
  get holds(): boolean {
    return this.#holds && isUtf8(this.#cut)
  }
}

function isInside(byte = 0): boolean {
  return (byte & 0xc0) === 0x80
}

function isStart(byte = 0): boolean {
  return byte >= 0xc0
}
