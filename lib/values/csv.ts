import { isUtf8 } from 'node:buffer'
import { type PlainForm, plainFormOf, textOf, textOfMember, type WriteText } from './json.js'
import { COMMA, NEWLINE, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-reader.js'
import { NOT_UTF8, Output } from './output.js'
import { textOfJson, writeStrictJson } from './strict-json.js'
import { spellDate } from './temporal.js'
import { type ColumnType, type ResultColumn, TYPES, type TypeOf, UnwritableValue } from './types.js'
import type { Slice, Vector } from './vector.js'

/** What begins a formula: a sign, or another form of it that spreadsheets read in the same way. */
const SIGN = '[=+\\-@＝＋－＠﹦﹢﹣﹫]'
/** Characters that are not seen, and that spreadsheets may drop. */
const UNSEEN =
  '\\p{Cf}\\p{Z}\\u{00}-\\u{08}\\u{0B}\\u{0C}\\u{0E}-\\u{1F}\\u{7F}-\\u{9F}\\u{034F}\\u{115F}\\u{1160}\\u{17B4}\\u{17B5}' +
  '\\u{180B}-\\u{180F}\\u{2065}\\u{3164}\\u{FE00}-\\u{FE0F}\\u{FFA0}\\u{E0100}-\\u{E01EF}'
/**
 * Characters that may end a cell where commas do not; quotes of RFC 4180 are then in the middle of a cell, and protect
 * nothing.
 */
const SEPARATOR = '[;\\t\\r\\n]'
/** The beginning of a formula in a string. After a separator, quotes may begin a cell. */
const FORMULA = new RegExp(`^()([${UNSEEN}]*${SIGN})|(${SEPARATOR})([${UNSEEN}"]*${SIGN})`, 'gu')
const ESCAPED = "$1$3'$2$4"
/**
 * These are escaped at the beginning of a string whatever follows, as OWASP advises: spreadsheets drop them.
 */
const BLANK = /^[\t\r\n]/
/** Flags of bytes for which a field is quoted; many readers take `#` for the start of a comment. */
const QUOTED = 1
/** Flags of bytes without which a string holds no formula and does not begin with a blank. */
const SUSPECT = 2
const FLAGS = new Uint8Array(256).fill(SUSPECT, 0x80)
for (const byte of Buffer.from('=+-@\t\r\n')) FLAGS[byte] = SUSPECT
for (const byte of Buffer.from('\n\r",#')) FLAGS[byte] = QUOTED | (FLAGS[byte] as number)

/** Escapes every formula in a string. */
function withoutFormula(text: string): string {
  return (BLANK.test(text) ? "'" : '') + text.replace(FORMULA, ESCAPED)
}

/**
 * Writes rows as CSV (RFC 4180) with a header and line feeds. An empty string is quoted, a NULL is not. With
 * `escapes`, formulas are escaped.
 */
export class CsvRows {
  readonly #names: readonly string[]
  readonly #cells: readonly WriteText[]
  readonly #forms: readonly PlainForm[]
  /** The field that is written, before it is known whether it needs quotes. */
  readonly #field = new Output()
  readonly #escapes: boolean

  constructor(columns: readonly ResultColumn[], escapes: boolean) {
    this.#escapes = escapes
    this.#names = columns.map(({ name }) => name)
    this.#forms = columns.map(({ type }) => plainFormOf(type))
    this.#cells = columns.map(({ type }) => this.#cellOf(type))
  }

  /** Writes the names of the columns. */
  header(out: Output): void {
    this.#names.forEach((name, index) => {
      if (index > 0) out.byte(COMMA)
      this.#field.text(this.#escapes ? withoutFormula(name) : name)
      writeField(this.#taken(), out)
    })
    out.byte(NEWLINE)
  }

  row(vectors: readonly Vector[], row: number, out: Output): void {
    const [cells, forms] = [this.#cells, this.#forms]
    for (let column = 0; column < cells.length; column++) {
      const [vector, form] = [vectors[column] as Vector, forms[column] as PlainForm]
      if (column > 0) out.byte(COMMA)
      if (vector.isNull(row)) continue
      if (form.isText) this.#shielded(vector.value(row) as Slice, out)
      else if (vector.numbers === null) (cells[column] as WriteText)(vector, row, out)
      else if (form.isDate) out.ascii(spellDate(vector.numbers[row] as number))
      else out.decimal(vector.numbers[row] as number, form.scale)
    }
    out.byte(NEWLINE)
  }

  #cellOf(type: ColumnType): WriteText {
    const { csv, json } = TYPES[type.kind]
    switch (csv) {
      case 'plain':
        return textOf(type)
      case 'union':
        return textOfMember((type as TypeOf<'union'>).members, member => this.#cellOf(member))
      case 'json':
        return (vector, index, out) =>
          !vector.isNull(index) && this.#writeJson(vector.value(index) as Slice, out)
      case 'any-text': {
        // The bytes of a string are at hand; other values are written first.
        if (json === 'string')
          return (vector, index, out) =>
            !vector.isNull(index) && this.#shielded(vector.value(index) as Slice, out)
        const write = textOf(type)
        return (vector, index, out) => write(vector, index, this.#field) && this.#shielded(this.#taken(), out)
      }
      default:
        return csv satisfies never
    }
  }

  /** JSON in a cell: a string without its quotes, null as NULL, anything else as it is. */
  #writeJson(json: Slice, out: Output): boolean {
    const text = textOfJson(json)
    if (text !== null) {
      this.#field.text(text)
      return this.#shielded(this.#taken(), out)
    }
    writeStrictJson(json, this.#field, { inOneLine: false })
    const strict = this.#taken()
    const first = firstToken(strict)
    if (first === OPEN_LIST || first === OPEN_OBJECT) return this.#shielded(strict, out)
    const written = Buffer.from(strict.bytes).toString('latin1')
    if (written.trim() === 'null') return false
    out.ascii(first === QUOTE ? written.replace(/^[ "]+|[ "]+$/g, '') : written) // NaN and infinities became strings
    return true
  }

  /** Writes any string as a field, with its formulas escaped if they must be. */
  #shielded(text: Slice, out: Output): boolean {
    const start = out.length
    const flags = writeField(text, out)
    if (!this.#escapes || (flags & SUSPECT) === 0) return true
    out.cutTo(start)
    const bytes = Buffer.from(text.bytes.buffer, text.bytes.byteOffset + text.from, text.to - text.from)
    if (!isUtf8(bytes)) throw new UnwritableValue(NOT_UTF8)
    const shielded = Buffer.from(withoutFormula(bytes.toString()))
    writeField({ bytes: shielded, from: 0, to: shielded.length }, out)
    return true
  }

  /** The field that was written. */
  #taken(): Slice {
    const bytes = this.#field.view()
    this.#field.cutTo(0)
    return { bytes, from: 0, to: bytes.length }
  }
}

function firstToken({ bytes, from, to }: Slice): number | undefined {
  let at = from
  while (at < to && (bytes[at] as number) <= 0x20) at += 1
  return bytes[at]
}

/** Writes a field, in quotes if it needs them, and returns the flags of its bytes. */
function writeField(text: Slice, out: Output): number {
  const start = out.length
  const flags = out.flagged(text, FLAGS)
  if (text.from === text.to || (flags & QUOTED) !== 0) {
    out.cutTo(start)
    writeQuoted(text, out)
  }
  return flags
}

/** Writes a field in quotes, each of its own twice. */
export function writeQuoted({ bytes, from, to }: Slice, out: Output): void {
  out.byte(QUOTE)
  let start = from
  for (let at = bytes.indexOf(QUOTE, from); at >= 0 && at < to; at = bytes.indexOf(QUOTE, at + 1)) {
    out.raw({ bytes, from: start, to: at + 1 })
    out.byte(QUOTE)
    start = at + 1
  }
  out.raw({ bytes, from: start, to })
  out.byte(QUOTE)
}
