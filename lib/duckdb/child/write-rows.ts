import { open, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type RowsBefore, RowsLeftOut } from '../../engine/rows-before.js'
import { jsonRows } from '../../values/json.js'
import { NEWLINE } from '../../values/json-reader.js'
import { Output, OutputFull } from '../../values/output.js'
import type { ResultColumn } from '../../values/types.js'
import type { Vector } from '../../values/vector.js'
import type { ChunkJob, EngineSettings, JobResult } from '../jobs.js'
import { resultColumns } from './bound-statement.js'
import { type CopiedRows, fileTooLarge, type StatementCopy } from './copy.js'
import type { Connection } from './duckdb.js'
import { streamRows } from './statement-rows.js'

/** Bytes that are written to the file at once. */
const PART_BYTES = 256 * 1024

/** A text format: how a row is written, and what precedes the rows. */
interface RowFormat {
  header?(out: Output): void
  row(vectors: readonly Vector[], row: number, out: Output): void
}

/** Which rows are written. */
interface RowChoice {
  /** SQL after the statement. */
  range?: string
  /** Whether a row, as it is written, stays. */
  isWanted?(row: Uint8Array): boolean
  /** Takes the place at which a row ends; false ends the file with it. */
  onRow?(end: number): boolean
}

/**
 * Writes rows of a statement to a file. Fails when it passes `maxBytes`. The file is removed after a failure.
 */
export async function writeRows(
  connection: Connection,
  copying: StatementCopy,
  format: RowFormat,
  { range, isWanted, onRow }: RowChoice = {},
): Promise<CopiedRows> {
  const { path, maxBytes, signal } = copying
  const file = await open(path, 'w')
  const out = new Output()
  out.most = maxBytes
  let written = 0
  const flush = async () => {
    signal.throwIfAborted()
    if (written + out.length > maxBytes) throw fileTooLarge(maxBytes)
    const part = out.take()
    written += part.length
    await file.writeFile(part)
  }
  try {
    format.header?.(out)
    let rows = 0
    reading: for await (const part of streamRows(connection, { ...copying, path: `${path}.again` }, range)) {
      for (let row = 0; row < part.rows; row++) {
        const start = out.length
        format.row(part.vectors, row, out)
        if (isWanted?.(out.view(start)) === false) {
          out.cutTo(start)
          continue
        }
        rows += 1
        if (onRow?.(written + out.length) === false) break reading
        if (out.length >= PART_BYTES) await flush()
      }
      signal.throwIfAborted()
    }
    await flush()
    await file.close()
    return { rows, bytes: written }
  } catch (cause) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    if (signal.aborted) throw signal.reason
    throw cause instanceof OutputFull ? fileTooLarge(maxBytes) : cause
  }
}

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

/** Writes rows as lines of JSON. A file that passes `maxBytes` ends with that row. */
export async function writeChunk(
  connection: Connection,
  job: ChunkJob,
  settings: EngineSettings,
  signal: AbortSignal,
): Promise<JobResult<'chunk'>> {
  const { statement, maxBytes, isStable } = job
  const columns = await resultColumns(connection, statement)
  const path = join(settings.own, job.file)
  const rest = new Rest(
    await RowsLeftOut.read(job.before.map(each => ({ ...each, from: given(each.from) }))),
    job,
  )
  /** The rows that are wanted, and their bytes. */
  let [rows, bytes, isFull] = [0, 0, false]
  const copying = { statement, columns, path, maxBytes: 2 * maxBytes, signal } // a single row can be that large
  const written = await writeRows(connection, copying, jsonLines(columns), {
    range: rest.range,
    isWanted: line => rest.has(line.subarray(0, -1)),
    onRow(end) {
      if (isFull) return false
      rows += 1
      bytes = end
      isFull = rows === job.rows || bytes > maxBytes
      return true
    },
  })
  const more = written.rows > rows
  try {
    if (more) await truncate(path, bytes)
  } catch (cause) {
    await rm(path, { force: true })
    throw cause
  }
  // With several threads, rows that are equal by the order come in another order each time.
  const settled = isStable && settings.threads === 1 && rest.settledAt ? { settledAt: rest.settledAt } : {}
  return { rows, more, ...settled, ...(rows > 0 ? {} : { columns: columns.map(({ name }) => name) }) }

  function given(from: RowsBefore['from']) {
    return typeof from === 'string' ? join(settings.given, from) : from
  }
}

/** Which rows of a statement follow those of earlier pages. */
class Rest {
  readonly #leftOut: RowsLeftOut
  /** SQL after the statement. Without a LIMIT, the engine sorts the whole result, in the same order each time. */
  readonly range: string
  /** After how many rows of the statement all that are left out had come; 0 until then. */
  settledAt = 0
  #seen = 0
  #skipped: number

  constructor(leftOut: RowsLeftOut, { offset, rows, isStable }: ChunkJob) {
    const isCounted = leftOut.count > 0 // the rows that are left out, and those to skip, are told apart here
    this.#leftOut = leftOut
    this.#skipped = isCounted ? offset : 0
    const limit = isStable ? [] : [`LIMIT ${rows + 1 + (isCounted ? leftOut.count + offset : 0)}`]
    this.range = [...limit, ...(isCounted ? [] : [`OFFSET ${offset}`])].join(' ')
  }

  /** Whether the next row of the statement is one of them. */
  has(row: Uint8Array): boolean {
    this.#seen += 1
    if (this.#leftOut.meets(row)) {
      if (this.#leftOut.count === 0) this.settledAt = this.#seen
      return false
    }
    this.#skipped -= 1
    return this.#skipped < 0
  }
}
