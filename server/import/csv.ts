import { parse } from 'csv-parse/sync'
import { readRegular, scanCsv } from 'foldgate/internal'

/** A record by column name, with null for an empty field. */
export interface CsvRow {
  /** The line in which it begins, as editors count. */
  line: number
  values: ReadonlyMap<string, string | null>
}

/** The parser blocks the process for about two seconds while it reads as much. */
const MOST_BYTES = 64 * 1024 ** 2

/** Reads a CSV file with a header, of 64 MiB at most. Throws a MalformedCsv, which names the line, when it is not CSV as RFC 4180 has it. */
export async function readCsv(path: string): Promise<{ columns: string[]; rows: CsvRow[] }> {
  const bytes = await readRegular(path, MOST_BYTES)
  const { header } = await scanCsv(path)
  const records = parse(bytes, {
    bom: true,
    record_delimiter: ['\n', '\r\n'],
    skip_empty_lines: header.length > 1,
    info: true,
  }) as unknown as { record: string[]; info: { lines: number } }[]
  const rows = records.map(({ record, info }) => {
    // The parser counts the lines up to the end of the record, and its line ends are LF or CRLF.
    const within = record.join('').split('\n').length - 1
    return { line: info.lines - within, values: new Map(header.map((name, at) => [name, record[at] || null])) }
  })
  return { columns: header, rows: rows.slice(1) }
}
