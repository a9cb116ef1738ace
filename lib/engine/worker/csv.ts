import type { DuckDBDecimalType, DuckDBType, DuckDBUnionType } from '@duckdb/node-api'
import { identifier, literal } from '../quote.js'
import { DuckDBTypeId as Id } from './duckdb.js'
import { decimalText, floatAsText } from './numbers.js'
import { asJson, checkedText, plainText, type ResultColumn, unionMembers } from './projection.js'
import { strictJson } from './strict-json.js'

const PLACE = { depth: 0, mostBytes: Number.MAX_SAFE_INTEGER }
/** Options of COPY for RFC 4180 with a header. An empty text is quoted, a NULL is not. */
export const CSV = `FORMAT csv, HEADER true, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR ''`

/** How spreadsheets recognize a formula, also after they have dropped a line break or a full-width form. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const FORMULA_SQL = literal('^[=+\\-@\\t\\r\\n＝＋－＠]')

/** SQL for the columns of a CSV file, over columns named c0, c1 … With `escapes`, no text is left to be a formula. */
export function csvColumns(columns: readonly ResultColumn[], escapes: boolean): string {
  return columns
    .map(({ name, type }, index) => {
      const shielded = (text: string) => (escapes ? withoutFormula(text) : text)
      const cell = cellOf(`c${index}`, type, shielded)
      return `${cell} AS ${identifier(escapes && FORMULA.test(name) ? `'${name}` : name)}`
    })
    .join(', ')
}

/** SQL for a value as text: a string as it is, anything else as the JSON of pages has it, scalars without quotes. */
export function asText(value: string, type: DuckDBType): string {
  if (type.alias === 'JSON') return strictJson(value)
  switch (type.typeId) {
    case Id.BOOLEAN:
    case Id.TINYINT:
    case Id.SMALLINT:
    case Id.INTEGER:
    case Id.BIGINT:
    case Id.HUGEINT:
    case Id.UTINYINT:
    case Id.USMALLINT:
    case Id.UINTEGER:
    case Id.UBIGINT:
    case Id.UHUGEINT:
    case Id.UUID:
    case Id.SQLNULL:
      return `CAST(${value} AS VARCHAR)`
    case Id.VARCHAR:
      return checkedText(value)
    case Id.ENUM:
      return checkedText(`CAST(${value} AS VARCHAR)`)
    case Id.FLOAT:
    case Id.DOUBLE:
      return floatAsText(value, type, '')
    case Id.DECIMAL:
      return decimalText(value, type as DuckDBDecimalType)
    case Id.UNION:
      return unionMembers(value, type as DuckDBUnionType, asText)
    case Id.LIST:
    case Id.ARRAY:
    case Id.STRUCT:
    case Id.MAP:
      return asJson(value, type, PLACE)
    default:
      return plainText(value, type)
  }
}

/** SQL for a cell; what can be any text is passed through `shielded`. */
function cellOf(value: string, type: DuckDBType, shielded: (text: string) => string): string {
  if (type.alias === 'JSON') return jsonText(value, shielded)
  if (type.typeId === Id.UNION)
    return unionMembers(value, type as DuckDBUnionType, (member, its) => cellOf(member, its, shielded))
  const text = asText(value, type)
  return type.typeId === Id.VARCHAR || type.typeId === Id.ENUM ? shielded(text) : text
}

/** SQL for JSON in a cell: a string without its quotes, null as NULL, anything else as it is. */
export function jsonText(value: string, shielded = (text: string) => text): string {
  const raw = `CAST(${value} AS VARCHAR)`
  const json = strictJson(value)
  const startsWith = (text: string, what: string) => `regexp_matches(${text}, '^\\s*${what}')`
  // Half of a surrogate pair, which UTF-8 does not have, stays JSON. NaN and infinities have become strings.
  const string = `coalesce(TRY(json_extract_string(${raw}, '$')), ${json})`
  return (
    `CASE WHEN ${startsWith(raw, '"')} THEN ${shielded(string)} WHEN ${startsWith(json, '"')} THEN trim(${json}, ' "') ` +
    `WHEN NOT ${startsWith(json, 'null')} THEN ${json} END`
  )
}

function withoutFormula(text: string): string {
  return `CASE WHEN regexp_matches(${text}, ${FORMULA_SQL}) THEN concat('''', ${text}) ELSE ${text} END`
}
