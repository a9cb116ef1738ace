import { MalformedCsv, SAVE_AS, Scanner } from './csv-scanner.js'
import { readInChunks, UnusableFile } from './regular.js'

/** A CSV file: the names in its header, and the number of its rows. */
export interface CsvShape {
  /** The names of its columns, in order. */
  header: string[]
  /** Rows after the header. */
  rows: number
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** Formats that are mistaken for CSV, by their first bytes. */
const OTHER_FORMATS: readonly [start: number[], message: string][] = [
  [[0xff, 0xfe], `the file is in UTF-16: ${SAVE_AS}`],
  [[0xfe, 0xff], `the file is in UTF-16: ${SAVE_AS}`],
  [[0x50, 0x4b, 0x03, 0x04], `the file is an Excel workbook (.xlsx) or another ZIP archive: ${SAVE_AS}`],
  [[0xd0, 0xcf, 0x11, 0xe0], `the file is an Excel workbook (.xls): ${SAVE_AS}`],
  [[0x50, 0x41, 0x52, 0x31], 'the file is Parquet: let its name end with .parquet'],
  [[0x1f, 0x8b], 'the file is compressed with gzip: unpack it'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'the file is compressed with Zstandard: unpack it'],
]
/**
 * Reads a whole file and checks that it is CSV: UTF-8 with or without a byte order mark, commas, double
 * quotes, LF or CRLF, as many fields in each row as in the header. Blank lines are skipped, unless there is
 * only one column. Throws a {@link MalformedCsv} that names one mistake. The engine guesses at what it cannot
 * parse; what passes here leaves it nothing to guess.
 *
 * @example
 * ```ts
 * const { header, rows } = await scanCsv('package/sites.csv')
 * ```
 */
export async function scanCsv(path: string): Promise<CsvShape> {
  return shapeOf(readInChunks(path)).catch(cause => {
    throw cause instanceof UnusableFile ? new MalformedCsv(null, cause.message) : cause
  })
}

/** Checks the chunks of a file as {@link scanCsv} does. */
export async function shapeOf(chunks: AsyncIterable<Buffer>): Promise<CsvShape> {
  const scanner = new Scanner()
  await scan(chunks, scanner)
  return { header: scanner.header, rows: scanner.rows }
}

/** Reads the names in the header of a CSV file. Throws a {@link MalformedCsv} when it has none. */
export async function headerOf(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const scanner = new Scanner(undefined, true)
  await scan(chunks, scanner, () => scanner.header.length > 0)
  return scanner.header
}

/**
 * Returns the lines in which rows begin, by the number of the row. Rows count from 1, and lines as an editor
 * does.
 */
export async function linesOf(
  chunks: AsyncIterable<Buffer>,
  rows: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const lines = new Map<number, number>()
  const note = (row: number, line: number) => void (rows.has(row) && lines.set(row, line))
  await scan(chunks, new Scanner(note))
  return lines
}

async function scan(
  chunks: AsyncIterable<Buffer>,
  scanner: Scanner,
  isEnough: () => boolean = () => false,
): Promise<void> {
  let isStart = true
  for await (const bytes of chunks) {
    if (isStart) refuseOtherFormats(bytes)
    scanner.push(isStart && bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes)
    isStart = false
    if (isEnough()) return
  }
  scanner.end()
}

function refuseOtherFormats(bytes: Buffer): void {
  for (const [start, message] of OTHER_FORMATS)
    if (start.every((byte, at) => bytes[at] === byte)) throw new MalformedCsv(null, message)
  if (bytes.subarray(0, 4).includes(0)) throw new MalformedCsv(null, `the file is in UTF-16: ${SAVE_AS}`)
}
