import type { DuckDBDecimalType, DuckDBType, DuckDBUnionType } from '@duckdb/node-api'
import { identifier, literal } from '../../values/quote.js'
import { DuckDBTypeId as Id } from './duckdb.js'
import { decimalText, floatAsText } from './numbers.js'
import { asJson, checkedText, plainText, type ResultColumn, unionMembers } from './projection.js'
import { strictJson } from './strict-json.js'

const PLACE = { depth: 0, mostBytes: Number.MAX_SAFE_INTEGER }
/** Options of COPY for RFC 4180 with a header. An empty text is quoted, a NULL is not. */
export const CSV = `FORMAT csv, HEADER true, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR ''`

/** What begins a formula: a sign, or another form of it that spreadsheets read in the same way. */
const SIGN = '[=+\\-@＝＋－＠﹦﹢﹣﹫]'
/** Characters that are not seen, and that spreadsheets may drop. */
const UNSEEN =
  '\\p{Cf}\\p{Z}\\x{00}-\\x{08}\\x{0B}\\x{0C}\\x{0E}-\\x{1F}\\x{7F}-\\x{9F}\\x{034F}\\x{115F}\\x{1160}\\x{17B4}\\x{17B5}' +
  '\\x{180B}-\\x{180F}\\x{2065}\\x{3164}\\x{FE00}-\\x{FE0F}\\x{FFA0}\\x{E0100}-\\x{E01EF}'
/** What may end a cell where commas do not; quotes of RFC 4180 are then in the middle of a cell, and protect nothing. */
const SEPARATOR = '[;\\t\\r\\n]'
/** The beginning of a formula in a text. After a separator, quotes may begin a cell. */
const FORMULA = `^()([${UNSEEN}]*${SIGN})|(${SEPARATOR})([${UNSEEN}"]*${SIGN})`
const ESCAPED = `\\1\\3'\\2\\4`
/** These are escaped at the beginning of a text whatever follows, as OWASP advises: spreadsheets drop them. */
const BLANK = '^[\\t\\r\\n]'

/** SQL for a text in which no cell is left to be a formula. */
function withoutFormula(text: string): string {
  const start = `CASE WHEN regexp_matches(${text}, ${literal(BLANK)}) THEN '''' ELSE '' END`
  return `(${start} || regexp_replace(${text}, ${literal(FORMULA)}, ${literal(ESCAPED)}, 'g'))`
}

/** The same for the name of a column. */
function nameWithoutFormula(name: string): string {
  const formula = new RegExp(FORMULA.replaceAll('\\x{', '\\u{'), 'gu')
  const escaped = name.replace(formula, (_, _start, whole = '', separator = '', part = '') => {
    return `${separator}'${whole}${part}`
  })
  return new RegExp(BLANK).test(name) ? `'${escaped}` : escaped
}

/** SQL for the columns of a CSV file, over columns named c0, c1 … With `escapes`, no text is left to be a formula. */
export function csvColumns(columns: readonly ResultColumn[], escapes: boolean): string {
  return columns
    .map(({ name, type }, index) => {
      const shielded = (text: string) => (escapes ? withoutFormula(text) : text)
      const cell = cellOf(`c${index}`, type, shielded)
      return `${cell} AS ${identifier(escapes ? nameWithoutFormula(name) : name)}`
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

/** Types whose values may be, or hold, any text. What begins with a sign in another type is a number. */
const OF_ANY_TEXT: ReadonlySet<DuckDBType['typeId']> = new Set([
  Id.VARCHAR,
  Id.ENUM,
  Id.BLOB,
  Id.LIST,
  Id.ARRAY,
  Id.STRUCT,
  Id.MAP,
])

/** SQL for a cell; what can be any text is passed through `shielded`. */
function cellOf(value: string, type: DuckDBType, shielded: (text: string) => string): string {
  if (type.alias === 'JSON') return jsonText(value, shielded)
  if (type.typeId === Id.UNION)
    return unionMembers(value, type as DuckDBUnionType, (member, its) => cellOf(member, its, shielded))
  const text = asText(value, type)
  return OF_ANY_TEXT.has(type.typeId) ? shielded(text) : text
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
    `WHEN ${startsWith(json, '[\\[{]')} THEN ${shielded(json)} WHEN NOT ${startsWith(json, 'null')} THEN ${json} END`
  )
}
