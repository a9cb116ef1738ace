import { quoted } from '../store/names.js'

/** What is wrong with a CSV text, and the row where; row 0 is the header. */
export class CsvError extends Error {
  readonly row: number

  constructor(row: number, message: string) {
    super(message)
    this.row = row
  }
}

/** A field, quoted or bare, and what ends it. */
const FIELD = /"([^"]*(?:""[^"]*)*)"|([^",\r\n]*)/y
const END = /,|\r?\n|$/y

/**
 * The records of a CSV text as RFC 4180 has it: comma, double quotes, LF or CRLF, every record as many fields as the
 * first. Anything else throws a {@link CsvError}.
 */
export function* csvRecords(text: string): Generator<string[], void> {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let width: number | undefined
  for (let row = 0; at < text.length; row++) {
    const fields: string[] = []
    for (let more = true; more; ) {
      FIELD.lastIndex = at
      const field = FIELD.exec(text)
      END.lastIndex = FIELD.lastIndex
      const end = END.exec(text)
      if (!field || !end) {
        throw new CsvError(
          row,
          `field ${fields.length + 1} is malformed: put it in double quotes, and double each double quote in it`,
        )
      }
      fields.push(field[1]?.replaceAll('""', '"') ?? field[2] ?? '')
      at = END.lastIndex
      more = end[0] === ','
    }
    width ??= fields.length
    if (fields.length !== width) throw new CsvError(row, `it has ${fields.length} fields where the header has ${width}`)
    yield fields
  }
}

/** A record by the names of its columns, an empty field as null. */
export interface CsvRow {
  /** Row 1 is the first after the header. */
  row: number
  values: ReadonlyMap<string, string | null>
}

/** The header and the rows of a CSV text; a column without a name, or named twice, throws a {@link CsvError}. */
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
