import { CsvError as ParseError, parse } from 'csv-parse/sync'
import { quoted } from '../store/names.js'

/** What is wrong with a CSV file, and in which row; row 0 is the header. */
export class CsvError extends Error {
  readonly row: number

  constructor(row: number, message: string) {
    super(message)
    this.row = row
  }
}

/** RFC 4180: commas, double quotes, LF or CRLF. Every record has as many fields as the first. */
const RFC_4180 = { bom: true, record_delimiter: ['\n', '\r\n'] }

/** The records of a CSV text; the first `most` of them, if given. Throws a {@link CsvError} for anything else than CSV. */
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

/** Where the parser stopped: complete records before, the index of the field, and the record itself. */
interface Place {
  records?: number
  column?: number | string
  record?: string[]
}

/** A record by the names of its columns, with null for an empty field. */
export interface CsvRow {
  /** Row 1 is the first after the header. */
  row: number
  values: ReadonlyMap<string, string | null>
}

/** The header and the rows of a CSV text. A column without a name, or with the name of another, throws a {@link CsvError}. */
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
