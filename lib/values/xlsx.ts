import { isUtf8 } from 'node:buffer'
import { memberOf, spellingOf, textOf, type Write, type WriteText } from './json.js'
import { isExact, spellJsonDouble } from './numbers.js'
import { NOT_UTF8, Output } from './output.js'
import { textOfJson, writeStrictJson } from './strict-json.js'
import { type ColumnType, type ResultColumn, TYPES, type TypeOf, UnwritableValue } from './types.js'
import type { DecimalType, Integer, Slice, Value, Vector } from './vector.js'
import { CELL_UNITS, columnName, STYLES, spelledOut } from './xlsx-parts.js'

/** A string that is longer than a cell; the message is for the caller. */
export class TextTooLong extends Error {
  constructor(column: string) {
    const shown = JSON.stringify(column.length > 100 ? `${column.slice(0, 100)}…` : column)
    super(
      `A string in column ${shown} is longer than the ${CELL_UNITS} characters of a cell. ` +
        'Shorten it with left(), leave it out, or choose another format.',
    )
  }
}

const EMPTY = '/>'
const [TEXT_START, TEXT_END] = [' t="inlineStr"><is><t>', '</t></is></c>']
/** Numbers that Excel reads as they are; smaller ones it reads as 0. */
const SMALLEST = 2.2250738585072014e-308
/** Longer integers Excel shows with an exponent, unless the format says otherwise. */
const SHOWN_DIGITS = 11
/**
 * Days from Excel's day 0 to 1970-01-01, right for days after 1900-02-28: Excel believes in a February 29th
 * of 1900.
 */
const EPOCH_DAYS = 25_569
const DAY_MS = 86_400_000
const DAY_SECONDS = 86_400
const FIRST_DAY = Date.parse('1900-03-01') / DAY_MS
const LAST_DAY = Date.parse('9999-12-31') / DAY_MS

/** Characters that cannot stand in XML as they are, and spaces that are lost without `xml:space`. */
const SPECIAL = /[&<>\x00-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_|^ | $/
/** Characters that XML lacks. */
const UNWRITABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g
/** More than needed, because `_x0041_x0042_` holds two overlapping escapes. */
const LIKE_ESCAPE = /_(?=x[0-9A-Fa-f]{4})/g
/** Bytes that no special text is without: U+FFFE begins with EF. */
const SUSPECT = new Uint8Array(256).fill(1, 0, 0x21)
for (const byte of [...Buffer.from('&<>_'), 0xef]) SUSPECT[byte] = 1

/**
 * Writes rows as the XML of a sheet, a line each; the first row of the sheet has the names of the columns.
 */
export function xlsxRows(
  columns: readonly ResultColumn[],
): (vectors: readonly Vector[], row: number, number: number, out: Output) => void {
  const cells = columns.map(({ name, type }) => cellOf(type, name))
  const starts = columns.map((_, index) => `<c r="${columnName(index + 1)}`)
  return (vectors, row, number, out) => {
    const end = `${number}"`
    out.ascii(`<row r="${end}>`)
    for (let column = 0; column < cells.length; column++) {
      out.ascii(starts[column] as string)
      out.ascii(end)
      ;(cells[column] as Write)(vectors[column] as Vector, row, out)
    }
    out.ascii('</row>\n')
  }
}

/** Writes a cell after its reference. */
function cellOf(type: ColumnType, name: string): Write {
  const write = presentCellOf(type, name)
  return (vector, index, out) => (vector.isNull(index) ? out.ascii(EMPTY) : write(vector, index, out))
}

function presentCellOf(type: ColumnType, name: string): Write {
  const { xlsx: form, spell } = TYPES[type.kind]
  const text = spell ? spellingOf(type) : String
  const plain = (value: Value, out: Output) => out.ascii(`${TEXT_START}${text(value)}${TEXT_END}`)
  switch (form) {
    case 'boolean':
      return (vector, index, out) => out.ascii(` t="b"><v>${vector.value(index) ? 1 : 0}</v></c>`)
    case 'number':
      return (vector, index, out) => out.ascii(`><v>${text(vector.value(index))}</v></c>`)
    case 'float':
      return (vector, index, out) => {
        const value = vector.value(index) as number
        if (Number.isFinite(value) && (value === 0 || Math.abs(value) >= SMALLEST))
          out.ascii(`><v>${text(value)}</v></c>`)
        else plain(value, out)
      }
    case 'digits':
    case 'decimal': {
      const isInteger = form === 'digits' || (type as DecimalType).scale === 0
      return (vector, index, out) => {
        const value = vector.value(index) as Integer
        if (!isExact(type.kind, value)) return plain(value, out)
        const digits = text(value)
        const style = isInteger && digits.length > SHOWN_DIGITS ? ` s="${STYLES.digits}"` : ''
        out.ascii(`${style}><v>${digits}</v></c>`)
      }
    }
    case 'date':
      return (vector, index, out) => {
        const days = vector.value(index) as number
        if (days < FIRST_DAY || days > LAST_DAY) plain(days, out)
        else out.ascii(` s="${STYLES.date}"><v>${days + EPOCH_DAYS}</v></c>`)
      }
    case 'timestamp':
    case 'time': {
      const serial = serialOf(type)
      return (vector, index, out) => {
        const value = vector.value(index)
        out.ascii(serial(value as Integer) ?? `${TEXT_START}${text(value)}${TEXT_END}`)
      }
    }
    case 'plain':
      return (vector, index, out) => plain(vector.value(index), out)
    case 'text':
    case 'json': {
      const write = form === 'json' ? jsonText : textOf(type)
      const scratch = new Output()
      return (vector, index, out) => {
        if (type.kind === 'varchar' || type.kind === 'enum')
          return writeText(vector.value(index) as Slice, name, out)
        const isThere = write(vector, index, scratch)
        const bytes = scratch.view()
        scratch.cutTo(0)
        if (isThere) writeText({ bytes, from: 0, to: bytes.length }, name, out)
        else out.ascii(EMPTY)
      }
    }
    case 'union':
      return memberOf((type as TypeOf<'union'>).members, member => cellOf(member, name))
    default:
      return form satisfies never
  }
}

/** JSON in a cell: a string without its quotes, null as NULL, anything else as it is. */
const jsonText: WriteText = (vector, index, out) => {
  const json = vector.value(index) as Slice
  const text = textOfJson(json)
  if (text !== null) {
    out.text(text)
    return true
  }
  writeStrictJson(json, out, { inOneLine: false })
  const strict = out.view().toString('latin1').trim()
  if (strict === 'null') out.cutTo(0)
  if (!strict.startsWith('"')) return strict !== 'null'
  out.cutTo(0) // NaN and infinities became strings
  out.ascii(strict.slice(1, -1))
  return true
}

/** Units of a second in which values are; Excel rounds times to milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  timestamp_s: 1,
  timestamp_ms: 1e3,
  timestamp_ns: 1e9,
  time_ns: 1e9,
}

/** The cell of a date with its time, as days; null for what Excel cannot show. */
function serialOf(type: ColumnType): (value: Integer) => string | null {
  const units = UNITS[type.kind] ?? 1e6
  const isTime = TYPES[type.kind].xlsx === 'time'
  const [first, last, days] = isTime
    ? [0, DAY_SECONDS, 0]
    : [FIRST_DAY * DAY_SECONDS, (LAST_DAY + 1) * DAY_SECONDS, EPOCH_DAYS]
  const [whole, fraction] = isTime
    ? [STYLES.time, STYLES.timeMs]
    : type.kind === 'timestamp_tz'
      ? [STYLES.instant, STYLES.instantMs]
      : [STYLES.timestamp, STYLES.timestampMs]
  return value => {
    const ms = millisecondsOf(value, units)
    if (ms === null || ms < first * 1000 || ms >= last * 1000) return null
    return ` s="${ms % 1000 === 0 ? whole : fraction}"><v>${spellJsonDouble((ms + days * DAY_MS) / DAY_MS)}</v></c>`
  }
}

/** Null unless the value is of whole milliseconds. */
function millisecondsOf(value: Integer, units: number): number | null {
  if (units <= 1000) return Number(value) * (1000 / units)
  const perMs = units / 1000
  if (typeof value === 'bigint') return value % BigInt(perMs) === 0n ? Number(value / BigInt(perMs)) : null
  return value % perMs === 0 ? value / perMs : null
}

/** Writes the cell of any string, typed as text, so that it is never a formula. */
function writeText(text: Slice, name: string, out: Output): void {
  const isSpecial = isSuspect(text) && writeSpecial(text, name, out)
  if (isSpecial) return
  out.ascii(TEXT_START)
  out.raw(text)
  out.ascii(TEXT_END)
}

function isSuspect({ bytes, from, to }: Slice): boolean {
  if (to - from > CELL_UNITS) return true
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    if (SUSPECT[byte] === 1 && (byte !== 0x20 || at === from || at === to - 1)) return true
  }
  return false
}

/** Writes the cell of a string that cannot stand in XML as it is; false if it can. */
function writeSpecial({ bytes, from, to }: Slice, name: string, out: Output): boolean {
  const value = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from)
  if (!isUtf8(value)) throw new UnwritableValue(NOT_UTF8)
  const text = value.toString()
  if (text.length > CELL_UNITS) throw new TextTooLong(name)
  if (!SPECIAL.test(text) && value.length <= CELL_UNITS) return false
  const escaped = text
    .replace(LIKE_ESCAPE, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\n', '&#10;') // a row of the sheet is a line
    .replaceAll('\r', spelledOut(13)) // XML readers turn it into a line feed
    .replace(UNWRITABLE, character => spelledOut(character.charCodeAt(0)))
  out.ascii(' t="inlineStr"><is><t xml:space="preserve">')
  out.text(escaped)
  out.ascii(TEXT_END)
  return true
}
