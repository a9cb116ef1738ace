import { CsvError as ParseError, parse } from 'csv-parse/sync'
import { quoted } from '../store/names.js'

/** A mistake in a CSV file, with its row; row 0 is the header. */
export class CsvError extends Error {
  readonly row: number

  constructor(row: number, message: string) {
    super(message)
    this.row = row
  }
}

/** RFC 4180: commas, double quotes, LF or CRLF. Every record has as many fields as the first. */
const RFC_4180 = { bom: true, record_delimiter: ['\n', '\r\n'] }

/** Parses CSV into records, or into the first `most` if given. Throws a {@link CsvError} if it is malformed. */
export function csvRecords(text: string, most?: number): string[][] {
  try {
    return parse(text, { ...RFC_4180, ...(most === undefined ? {} : { to: most }) })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const { records = 0, column = 0, record = [] } = error as ParseError & Place
    if (error.code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH') {
      const [header = []] = csvRecords(text, 1)
      throw new CsvError(records, `it has ${record.length} fields where the header has ${header.length}`)
    }
    throw new CsvError(
      records,
      `field ${Number(column) + 1} is malformed: put it in double quotes, and double each double quote in it`,
    )
  }
}

/** Where the parser stopped: the number of complete records before, the index of the field, and the record itself. */
interface Place {
  records?: number
  column?: number | string
  record?: string[]
}

/** A record by column name, with null for an empty field. */
export interface CsvRow {
  /** 1 for the first row after the header. */
  row: number
  values: ReadonlyMap<string, string | null>
}

/** Parses CSV with a header. Throws a {@link CsvError} if it is malformed or a column name is missing or repeated. */
export function parseCsv(text: string): { columns: string[]; rows: CsvRow[] } {
  const [columns, ...records] = csvRecords(text)
  if (!columns) throw new CsvError(0, 'the header is missing')
  const doubtful = columns.find((name, index) => name === '' || columns.indexOf(name) !== index)
  if (doubtful !== undefined)
    throw new CsvError(0, doubtful === '' ? 'a column has no name' : `the column ${quoted(doubtful)} is there twice`)
  const rows = records.map((fields, index) => ({
    row: index + 1,
    values: new Map(columns.map((name, at) => [name, fields[at] || null])),
  }))
  return { columns, rows }
}
