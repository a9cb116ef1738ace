import type { DuckDBDecimalType, DuckDBType, DuckDBUnionType } from '@duckdb/node-api'
import { literal } from '../../values/quote.js'
import { asText, jsonText } from './csv.js'
import { DuckDBTypeId as Id } from './duckdb.js'
import { asJson, checkedText, type ResultColumn, UnsupportedType, unionMembers } from './projection.js'
import { columnName, spelledOut } from './xlsx-spelling.js'

/** Most UTF-16 units of a text in a cell. */
export const CELL_UNITS = 32_767

/** How cells look: places in the list of formats that `xlsx-parts.ts` writes. */
export const STYLES = {
  general: 0,
  heading: 1,
  date: 2,
  timestamp: 3,
  timestampMs: 4,
  instant: 5,
  instantMs: 6,
  time: 7,
  timeMs: 8,
  digits: 9,
  wrapped: 10,
} as const

/** SQL for a cell after its reference: `write` repeats its value, which is therefore computed once before. A text is written by others. */
interface Cell {
  value: string
  write: ((value: string) => string) | null
}

/** How failures begin that {@link isTooLong} knows. */
const TOO_LONG = 'A text in column '
const TOO_LONG_FOR = ` is longer than the ${CELL_UNITS} characters of a cell. Shorten it with left(), leave it out, or choose another format.`
const EMPTY = `'/>'`
/** Numbers that Excel reads as they are; smaller ones it reads as 0. */
const SMALLEST = '2.2250738585072014e-308'
/** Longer integers Excel shows with an exponent, unless the format says otherwise. */
const SHOWN_DIGITS = 11
/** Days from Excel's day 0 to 1970-01-01, right for days after 1900-02-28: Excel believes in a February 29th of 1900. */
const EPOCH_DAYS = 25_569
const DAY_MS = 86_400_000
const DAY_US = DAY_MS * 1000
const FIRST_DAY = '1900-03-01'
const LAST_DAY = '9999-12-31'
const FIRST_US = Date.parse(FIRST_DAY) * 1000
const LAST_US = Date.parse(LAST_DAY) * 1000 + DAY_US - 1000

/** Characters that XML lacks. */
const UNWRITABLE = [...Array(32).keys(), 0xfffe, 0xffff].filter(code => ![9, 10, 13].includes(code))
const ANY_UNWRITABLE = literal('[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x{FFFE}\\x{FFFF}]')
/** What cannot stand in XML as it is, or is lost without `xml:space`. */
const SPECIAL = literal('[&<>\\x00-\\x1F\\x{FFFE}\\x{FFFF}]|_x[0-9A-Fa-f]{4}_|^ | $')
/** More than needed, because `_x0041_x0042_` holds two overlapping escapes. */
const LIKE_ESCAPE = literal('_(x[0-9A-Fa-f]{4})')

/**
 * SQL that selects the XML of each row as text, from `before`, a statement whose columns are named c0, c1 …, and `after`.
 * The engine takes a millisecond to plan what escapes a text, so it stands there once for all columns.
 */
export function rowsAsXml(columns: readonly ResultColumn[]): { before: string; after: string } {
  const cells = columns.map(({ name, type }, index) => cellOf(`c${index}`, type, name))
  const texts = cells.flatMap(({ write }, index) => (write ? [] : [index]))
  const written = cells.map(({ write }, index) => {
    const cell = write ? write(`c${index}`) : textCell(`c${index}`, `escaped[${texts.indexOf(index) + 1}]`)
    return `'<c r="${columnName(index + 1)}', r, ${cell}`
  })
  const names = `[${texts.map(index => literal(shown(columns[index]?.name as string)))}][i]`
  const escapes = `list_transform([${texts.map(index => `c${index}`)}], lambda t, i: ${ifSpecial('t', names)})`
  const escaped = `CASE WHEN ${texts.map(index => isSpecial(`c${index}`)).join(' OR ')} THEN ${escapes} END`
  // r is the number of the row, which ends the reference of each cell; the header is row 1.
  const values = [
    `concat(row_number() OVER () + 1, '"') AS r`,
    ...cells.map(({ value }, index) => `${value} AS c${index}`),
  ].join(', ')
  const source =
    texts.length > 0 ? `(SELECT *, ${escaped} AS escaped FROM (SELECT ${values} FROM` : `((SELECT ${values} FROM`
  return { before: `SELECT concat('<row r="', r, '>', ${written.join(', ')}, '</row>') FROM ${source}`, after: '))' }
}

/** Whether a failure is of a text that is too long for a cell. */
export function isTooLong(text: string): boolean {
  return text.startsWith(TOO_LONG)
}

/** The failure of a text in a column. */
export function tooLong(name: string): string {
  return `${TOO_LONG}${shown(name)}${TOO_LONG_FOR}`
}

function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
}

function cellOf(value: string, type: DuckDBType, name: string): Cell {
  const text = (from: string): Cell => ({ value: from, write: null })
  if (type.alias === 'JSON') return text(jsonText(value))
  switch (type.typeId) {
    case Id.BIGINT:
    case Id.UBIGINT:
    case Id.HUGEINT:
    case Id.UHUGEINT:
      return { value: jsonNumber(value, type), write: json => jsonCell(json, true) }
    case Id.DECIMAL: {
      const isInteger = (type as DuckDBDecimalType).scale === 0
      return { value: jsonNumber(value, type), write: json => jsonCell(json, isInteger) }
    }
    case Id.VARCHAR: // the bytes of the whole row are checked to be UTF-8
      return text(value)
    case Id.BLOB:
    case Id.BIT:
    case Id.ENUM:
    case Id.LIST:
    case Id.ARRAY:
    case Id.STRUCT:
    case Id.MAP:
      return text(asText(value, type))
    case Id.UNION:
      return { value: unionCell(value, type as DuckDBUnionType, name), write: cell => `coalesce(${cell}, ${EMPTY})` }
    default:
      return { value, write: each => scalarCell(each, type) }
  }
}

/** SQL for the cell of the member that a union holds. */
function unionCell(value: string, union: DuckDBUnionType, name: string): string {
  return unionMembers(value, union, (member, type) => {
    const cell = cellOf(member, type, name)
    const write = cell.write ?? (text => textCell(text, ifSpecial(text, literal(shown(name)))))
    return `list_transform([${cell.value}], lambda u: ${write('u')})[1]`
  })
}

function scalarCell(value: string, type: DuckDBType): string {
  const text = `concat(' t="inlineStr"><is><t>', ${asText(value, type)}, '</t></is></c>')`
  const others = `WHEN ${value} IS NULL THEN ${EMPTY} ELSE ${text} END`
  switch (type.typeId) {
    case Id.BOOLEAN:
      return `CASE WHEN ${value} THEN ' t="b"><v>1</v></c>' WHEN NOT ${value} THEN ' t="b"><v>0</v></c>' ELSE ${EMPTY} END`
    case Id.TINYINT:
    case Id.SMALLINT:
    case Id.INTEGER:
    case Id.UTINYINT:
    case Id.USMALLINT:
    case Id.UINTEGER:
      return `CASE WHEN ${value} IS NULL THEN ${EMPTY} ELSE concat('><v>', ${value}, '</v></c>') END`
    case Id.FLOAT:
    case Id.DOUBLE: {
      const fits = `isfinite(${value}) AND (${value} = 0 OR abs(CAST(${value} AS DOUBLE)) >= ${SMALLEST})`
      return `CASE WHEN ${fits} THEN concat('><v>', ${asText(value, type)}, '</v></c>') ${others}`
    }
    case Id.DATE: {
      const days = `${value} - DATE '1970-01-01' + ${EPOCH_DAYS}`
      const fits = `${value} BETWEEN DATE '${FIRST_DAY}' AND DATE '${LAST_DAY}'`
      return `CASE WHEN ${fits} THEN concat(' s="${STYLES.date}"><v>', ${days}, '</v></c>') ${others}`
    }
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
    case Id.TIMESTAMP_NS:
    case Id.TIMESTAMP_TZ:
      return timestampCell(value, type, others)
    case Id.TIME:
    case Id.TIME_NS: {
      const us = `epoch_us(${value})`
      const fits = `${isWholeMs(value, type)} AND ${us} < ${DAY_US}`
      return `CASE WHEN ${fits} THEN ${serialCell(us, 0, [STYLES.time, STYLES.timeMs])} ${others}`
    }
    case Id.UUID:
    case Id.TIME_TZ:
    case Id.INTERVAL:
    case Id.SQLNULL:
      return `CASE ${others}`
    default:
      throw new UnsupportedType(`values of type ${String(type)}`)
  }
}

function timestampCell(value: string, type: DuckDBType, others: string): string {
  const us = `epoch_us(${value})`
  // Infinite nanoseconds are numbers like others, but of no whole millisecond.
  const fits = `${us} BETWEEN ${FIRST_US} AND ${LAST_US} AND ${isWholeMs(value, type)}`
  const { timestamp, timestampMs, instant, instantMs } = STYLES
  const written = serialCell(
    us,
    EPOCH_DAYS,
    type.typeId === Id.TIMESTAMP_TZ ? [instant, instantMs] : [timestamp, timestampMs],
  )
  return `CASE WHEN ${fits} THEN ${written} ${others}`
}

/** Excel rounds times to milliseconds. */
function isWholeMs(value: string, type: DuckDBType): string {
  const isNs = type.typeId === Id.TIMESTAMP_NS || type.typeId === Id.TIME_NS
  return isNs ? `epoch_ns(${value}) % 1000000 = 0` : `epoch_us(${value}) % 1000 = 0`
}

/** SQL for a date with its time as days, from microseconds since midnight of the day whose number is `days`. */
function serialCell(us: string, days: number, [seconds, milliseconds]: readonly [number, number]): string {
  const style = `CASE WHEN ${us} % 1000000 = 0 THEN ' s="${seconds}"><v>' ELSE ' s="${milliseconds}"><v>' END`
  return `concat(${style}, to_json((${us} // 1000 + ${days * DAY_MS}) / ${DAY_MS}), '</v></c>')`
}

function jsonNumber(value: string, type: DuckDBType): string {
  return asJson(value, type, { depth: 0, mostBytes: Number.MAX_SAFE_INTEGER })
}

/** SQL for a number as JSON has it: in quotes when a double cannot hold it. */
function jsonCell(json: string, isInteger: boolean): string {
  const text = `concat(' t="inlineStr"><is><t>', replace(${json}, '"', ''), '</t></is></c>')`
  const long = isInteger
    ? ` WHEN strlen(${json}) > ${SHOWN_DIGITS} THEN concat(' s="${STYLES.digits}"><v>', ${json}, '</v></c>')`
    : ''
  // A quote sorts before digits and the minus sign.
  return `CASE WHEN ${json} < '#' THEN ${text}${long} WHEN ${json} IS NULL THEN ${EMPTY} ELSE concat('><v>', ${json}, '</v></c>') END`
}

/** SQL for the cell of any text, typed as text, so that it is never a formula; `escaped` is NULL if it may stand as it is. */
function textCell(text: string, escaped: string): string {
  const end = '</t></is></c>'
  const preserved = `' t="inlineStr"><is><t xml:space="preserve">' || ${escaped} || '${end}'`
  return `coalesce(${preserved}, ' t="inlineStr"><is><t>' || ${text} || '${end}', ${EMPTY})`
}

const isSpecial = (text: string) => `regexp_matches(${text}, ${SPECIAL}) OR strlen(${text}) > ${CELL_UNITS}`

/** SQL for a text as XML, NULL if that is the text; fails when it is too long for a cell. `name` is of its column. */
function ifSpecial(text: string, name: string): string {
  const safe = checkedText(text) // some of the functions below would bring the engine down
  const marked = `regexp_replace(${safe}, ${LIKE_ESCAPE}, '_x005F_\\1', 'g')`
  const marks = [
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['\n', '&#10;'], // it would end the row in the file that the engine writes
    ['\r', spelledOut(13)], // XML readers turn it into a line feed
  ] as const
  const escaped = marks.reduce((sql, [mark, written]) => `replace(${sql}, ${literal(mark)}, '${written}')`, marked)
  const spelled = UNWRITABLE.reduce((sql, code) => `replace(${sql}, chr(${code}), '${spelledOut(code)}')`, escaped)
  const units = `length(${safe}) + length(regexp_replace(${safe}, '[^\\x{10000}-\\x{10FFFF}]+', '', 'g'))`
  const isTooLong = `CASE WHEN strlen(${text}) > ${CELL_UNITS} THEN ${units} > ${CELL_UNITS} ELSE false END`
  return (
    `CASE WHEN ${isSpecial(text)} THEN ` +
    `CASE WHEN ${isTooLong} THEN error(concat(${literal(TOO_LONG)}, ${name}, ${literal(TOO_LONG_FOR)})) ` +
    `WHEN regexp_matches(${text}, ${ANY_UNWRITABLE}) THEN ${spelled} ELSE ${escaped} END END`
  )
}
