import { open, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { literal } from '../../values/quote.js'
import type { ExportJob } from '../jobs.js'
import { writeBounded } from './bounded.js'
import type { Copied, Copying } from './copy.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { NOT_UTF8 } from './projection.js'
import { project, runAround } from './statement-rows.js'
import { LINES, Utf8Check } from './write-chunk.js'
import { CELL_UNITS, isTooLong, rowsAsXml, tooLong } from './xlsx-cells.js'
import * as parts from './xlsx-parts.js'
import { MAX_FILE_BYTES, ZipWriter } from './zip.js'

/** Most rows of a sheet; the first one has the names of the columns. */
const MAX_ROWS = 1_048_576
/** The last one is XFD. */
const MAX_COLUMNS = 16_384
/** What is read and compressed at once. */
const PART_BYTES = 256 * 1024
const LOOK_EVERY_MS = 10

/**
 * Writes a workbook: a sheet with the rows, and one that says what they are. The engine writes the rows as XML to a file
 * in the scratch folder, which is compressed as it grows.
 */
export async function writeXlsx(
  connection: Connection,
  copying: Copying,
  { metadata }: Pick<ExportJob, 'metadata'>,
  spillBytes: number,
): Promise<Copied> {
  const { columns, path, signal } = copying
  if (columns.length > MAX_COLUMNS)
    throw tooLarge(`A sheet has at most ${MAX_COLUMNS} columns. Select fewer, or choose another format.`)
  for (const { name } of columns) if (name.length > CELL_UNITS) throw tooLarge(tooLong(name))
  const sheet = `${path}.xml`
  const running = writeRows(connection, { ...copying, path: sheet, maxBytes: Math.min(spillBytes, MAX_FILE_BYTES) })
  running.catch(() => {}) // awaited below
  let zip: ZipWriter | null = null
  try {
    zip = await ZipWriter.create(copying)
    await zip.add(parts.PATHS.types, parts.CONTENT_TYPES)
    await zip.add(parts.PATHS.relations, parts.RELATIONS)
    await zip.begin(parts.PATHS.rows)
    const text = new Utf8Check()
    let begun = false
    for await (const part of readAsWritten(sheet, running)) {
      if (!begun) await zip.write(Buffer.from(parts.sheetStart(columns, part.toString())))
      begun = true
      text.add(part)
      await zip.write(part)
    }
    if (!text.holds) throw new KnownFailure({ kind: 'query', text: NOT_UTF8 })
    if (!begun) await zip.write(Buffer.from(parts.sheetStart(columns, '')))
    const rows = await running
    const range = parts.rangeOf(columns.length, rows + 1)
    await zip.write(Buffer.from(parts.sheetEnd(range)))
    await zip.finish()
    await zip.add(parts.PATHS.about, parts.aboutXml(aboutOf(metadata)))
    await zip.add(parts.PATHS.styles, parts.STYLES_XML)
    await zip.add(parts.PATHS.workbook, parts.workbookXml(range))
    await zip.add(parts.PATHS.parts, parts.PARTS)
    return { rows, bytes: await zip.end() }
  } catch (cause) {
    connection.interrupt()
    await running.catch(() => {}) // the connection is closed after this
    await zip?.close()
    await rm(path, { force: true })
    throw signal.aborted ? signal.reason : cause
  } finally {
    await rm(sheet, { force: true })
  }
}

/** Writes a line of XML for each row; returns their number. */
async function writeRows(connection: Connection, { statement, columns, path, maxBytes }: Copying): Promise<number> {
  const xml = project(() => rowsAsXml(columns))
  const after = `${xml.after} LIMIT ${MAX_ROWS}) TO ${literal(path)} (${LINES})`
  try {
    const write = () =>
      runAround({ before: `COPY (${xml.before}`, statement, columns, after }, sql => connection.run(sql))
    const written = await writeBounded(connection, { path, maxBytes }, write)
    if (!written) throw tooLarge(`The sheet passed ${maxBytes} bytes of XML. Select fewer rows or columns.`)
    if (written.value.rowsChanged < MAX_ROWS) return written.value.rowsChanged
  } catch (cause) {
    const { kind, text } = describeFailure(cause)
    throw kind === 'query' && isTooLong(text) ? tooLarge(text) : cause
  }
  throw tooLarge(
    `A sheet has at most ${MAX_ROWS} rows, one of them for the names of the columns, and the result has more. ` +
      'Select fewer rows, or choose another format.',
  )
}

/** Reads a file while it is written, until `writing` is over. */
async function* readAsWritten(path: string, writing: Promise<unknown>): AsyncGenerator<Buffer> {
  let isOver = false
  const over = writing.then(() => {
    isOver = true
  })
  over.catch(() => {}) // awaited once everything is read
  let file: Awaited<ReturnType<typeof open>> | null = null
  try {
    for (;;) {
      const isLast = isOver
      file ??= await open(path).catch(() => null)
      const part = Buffer.allocUnsafe(PART_BYTES)
      const { bytesRead } = (await file?.read(part, 0, PART_BYTES)) ?? { bytesRead: 0 }
      if (bytesRead > 0) yield part.subarray(0, bytesRead)
      else if (isLast) return
      else await Promise.race([over, sleep(LOOK_EVERY_MS)])
    }
  } finally {
    await file?.close()
  }
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
