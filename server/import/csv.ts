import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { scanCsv } from 'foldgate'

/** A record by column name, with null for an empty field. */
export interface CsvRow {
  /** The line in which it begins, as editors count. */
  line: number
  values: ReadonlyMap<string, string | null>
}

/** Reads a CSV file with a header. Throws a MalformedCsv, which names the line, when it is not CSV as RFC 4180 has it. */
export async function readCsv(path: string): Promise<{ columns: string[]; rows: CsvRow[] }> {
  const { header } = await scanCsv(path)
  const records = parse(await readFile(path), {
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
