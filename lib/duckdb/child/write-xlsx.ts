import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { Output, OutputFull } from '../../values/output.js'
import { TextTooLong, xlsxRows } from '../../values/xlsx.js'
import * as parts from '../../values/xlsx-parts.js'
import type { ExportJob } from '../jobs.js'
import { run, runAround } from './bound-statement.js'
import { type CopiedRows, fileTooLarge, type StatementCopy } from './copy.js'
import type { Connection } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'
import { streamRows } from './statement-rows.js'
import { readChunk } from './vectors.js'

/** Most rows of a sheet; the first one has the names of the columns. */
const MAX_ROWS = 1_048_576
/** How long rows are counted before any is written: most results of too many rows are refused by then. */
const COUNTING_MS = 1000
/** The last one is XFD. */
const MAX_COLUMNS = 16_384
/**
 * Most bytes of the archive, and of each file in it: some readers do not know the larger numbers of Zip64.
 */
const MAX_FILE_BYTES = 0xffffffff
/** Bytes that are compressed at once. */
const PART_BYTES = 256 * 1024
/** The first day that the format can hold, since a file of the same rows should have the same bytes. */
const ENTRY = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, compressionLevel: 1 }

/** Writes a workbook: a sheet with the rows, and one that says what they are. */
export async function writeXlsx(
  connection: Connection,
  copying: StatementCopy,
  { metadata }: Pick<ExportJob, 'metadata'>,
  spillBytes: number,
): Promise<CopiedRows> {
  const { columns, path, signal } = copying
  if (columns.length > MAX_COLUMNS)
    throw tooLarge(`A sheet has at most ${MAX_COLUMNS} columns. Select fewer, or choose another format.`)
  for (const { name } of columns)
    if (name.length > parts.CELL_UNITS) throw tooLarge(new TextTooLong(name).message)
  if (await hasTooManyRows(connection, copying)) throw tooManyRows()
  signal.throwIfAborted()
  const maxBytes = Math.min(copying.maxBytes, MAX_FILE_BYTES)
  const zip = new ZipFile()
  const add = (name: string, text: string) => zip.addBuffer(Buffer.from(text), name, ENTRY)
  let rows = 0
  let bytes = 0
  async function* sheet(): AsyncGenerator<Buffer> {
    rows = yield* sheetOf(connection, copying, Math.min(spillBytes, MAX_FILE_BYTES))
    // These follow the sheet, whose range is known now.
    add(parts.PATHS.about, parts.aboutXml(aboutOf(metadata)))
    add(parts.PATHS.styles, parts.STYLES_XML)
    add(parts.PATHS.workbook, parts.workbookXml(parts.rangeOf(columns.length, rows + 1)))
    add(parts.PATHS.parts, parts.PARTS)
    zip.end()
  }
  const rowsOfSheet = Readable.from(sheet(), { objectMode: false })
  add(parts.PATHS.types, parts.CONTENT_TYPES)
  add(parts.PATHS.relations, parts.RELATIONS)
  zip.addReadStream(rowsOfSheet, parts.PATHS.rows, ENTRY)
  const archive = zip.outputStream as Readable
  for (const source of [rowsOfSheet, zip]) source.on('error', cause => archive.destroy(cause))
  async function* bounded(archived: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const part of archived) {
      bytes += part.length
      if (bytes > maxBytes) throw fileTooLarge(maxBytes)
      yield part
    }
  }
  try {
    await pipeline(archive, bounded, createWriteStream(path), { signal })
    return { rows, bytes }
  } catch (cause) {
    connection.interrupt() // ends the query that still runs
    rowsOfSheet.destroy()
    await rm(path, { force: true })
    throw signal.aborted ? signal.reason : cause
  }
}

/** Whether a sheet has no place for all rows; false where that takes long to know, or fails. */
async function hasTooManyRows(
  connection: Connection,
  { statement, columns }: StatementCopy,
): Promise<boolean> {
  const timer = setTimeout(() => connection.interrupt(), COUNTING_MS)
  const counting = {
    before: 'SELECT count(*) FROM (SELECT 1 FROM',
    statement,
    columns,
    after: `LIMIT ${MAX_ROWS})`,
  }
  try {
    const counted = await runAround(counting, run(connection, statement))
    const [count] = readChunk(counted.getChunk(0), [{ kind: 'bigint' }])
    return count?.value(0) === MAX_ROWS
  } catch {
    return false // a failure of the statement is told when it is written
  } finally {
    clearTimeout(timer)
  }
}

function tooManyRows(): KnownFailure {
  return tooLarge(
    `A sheet has at most ${MAX_ROWS} rows, one of them for the names of the columns, and the result has more. ` +
      'Select fewer rows, or choose another format.',
  )
}

/** The XML of the rows' sheet; returns their number. */
async function* sheetOf(
  connection: Connection,
  copying: StatementCopy,
  maxBytes: number,
): AsyncGenerator<Buffer, number> {
  const { columns, path, signal } = copying
  const write = xlsxRows(columns)
  const out = new Output()
  out.most = maxBytes
  let rows = 0
  let bytes = 0
  let begun = false
  const taken = () => {
    const part = Buffer.from(out.take()) // a copy: it may be compressed later
    bytes += part.length
    if (bytes > maxBytes) throw sheetTooLarge(maxBytes)
    if (begun) return part
    begun = true
    return Buffer.concat([Buffer.from(parts.sheetStart(columns, part.toString())), part])
  }
  try {
    const streaming = { ...copying, path: `${path}.again` }
    for await (const part of streamRows(connection, streaming, `LIMIT ${MAX_ROWS}`)) {
      for (let row = 0; row < part.rows; row++) {
        rows += 1
        write(part.vectors, row, rows + 1, out)
        if (out.length >= PART_BYTES) yield taken()
      }
      signal.throwIfAborted()
    }
  } catch (cause) {
    if (cause instanceof OutputFull) throw sheetTooLarge(maxBytes)
    throw cause instanceof TextTooLong ? tooLarge(cause.message) : cause
  }
  if (rows === MAX_ROWS) throw tooManyRows()
  yield taken()
  yield Buffer.from(parts.sheetEnd(parts.rangeOf(columns.length, rows + 1)))
  return rows
}

function sheetTooLarge(maxBytes: number): KnownFailure {
  return tooLarge(`The sheet passed ${maxBytes} bytes of XML. Select fewer rows or columns.`)
}

function tooLarge(text: string): KnownFailure {
  return new KnownFailure({ kind: 'file-bytes', text })
}

/** The metadata under names for people: `foldgate.sealed_at` is "Sealed at". */
function aboutOf(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(metadata).map(([key, value]) => {
    const name = key.replace(/^.*\./, '').replaceAll('_', ' ')
    return [name === 'sql' ? 'SQL' : name.replace(/^./, letter => letter.toUpperCase()), value]
  })
  return Object.fromEntries(named)
}
