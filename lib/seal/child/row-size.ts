import type { Connection } from '../../duckdb/child/duckdb.js'
import { MOST_ROW_BYTES } from '../../files/csv-scanner.js'
import { identifier } from '../../values/quote.js'
import type { SealTable } from '../job.js'
import type { Finding } from './checks.js'
import type { TableFile } from './given-file.js'
import { textRows } from './select.js'

type TypedFile = Pick<TableFile, 'present' | 'types' | 'own'>

/** Types whose values are of a few bytes each, which do not count. */
const SHORT =
  /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|DOUBLE|FLOAT|REAL|(?:DECIMAL|NUMERIC)(?:\(.*)?|BOOLEAN|DATE|TIME.*|INTERVAL|UUID)$/i

/**
 * SQL of the size of a row of typed columns: the bytes of its texts in UTF-8, of its BLOBs, and of its lists and the like as
 * text. Null for columns that are all short.
 */
function sizeOf({ present, types, own }: TypedFile): string | null {
  const sizes = (types ? Object.keys(types) : present).flatMap(name => {
    const type = types?.[name] ?? own?.get(name) ?? 'VARCHAR'
    if (SHORT.test(type) && !type.endsWith(']')) return []
    const value = identifier(name)
    if (/^BLOB$/i.test(type)) return `coalesce(octet_length(${value}), 0)`
    return `coalesce(strlen(${/^(?:VARCHAR|JSON)$/i.test(type) ? value : `CAST(${value} AS VARCHAR)`}), 0)`
  })
  return sizes.length > 0 ? sizes.join(' + ') : null
}

/** SQL after a selection of typed columns, which fails at a row that is too long. */
export function refusingLong(given: TypedFile): string {
  const size = sizeOf(given)
  return size === null
    ? ''
    : ` WHERE CASE WHEN ${size} > ${MOST_ROW_BYTES} THEN error('a row is too long') ELSE true END`
}

/** Reports the first of the rows that are too long, and counts the others; `typed` is SQL of their columns. */
export async function checkSizes(
  connection: Connection,
  { name: table }: SealTable,
  typed: readonly string[],
  given: TableFile,
): Promise<Finding[]> {
  const size = sizeOf(given)
  if (size === null) return []
  // Numbered after they are measured, so that the engine holds numbers alone.
  const sized = given.isNumbered
    ? `SELECT "#", ${size} AS size FROM (SELECT "#", ${typed.join(', ')} FROM ${given.from})`
    : `SELECT row_number() OVER () AS "#", size
       FROM (SELECT ${size} AS size FROM (SELECT ${typed.join(', ')} FROM ${given.from}))`
  const long = `SELECT "#", size, count(*) OVER () FROM (${sized}) WHERE size > ${MOST_ROW_BYTES} ORDER BY "#" LIMIT 1`
  const [row, bytes, count] = (await textRows(connection, long))[0] ?? []
  if (row === undefined) return []
  const others = Number(count) - 1
  const more = others > 0 ? ` (and ${others} more ${others > 1 ? 'rows' : 'row'})` : ''
  const message = `the row is longer than 2 MB, with ${bytes} bytes: shorten it${more}`
  return [{ table, row: Number(row), rows: Number(count), message }]
}
