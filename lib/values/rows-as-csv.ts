import { writeQuoted } from './csv.js'
import { Output } from './output.js'
import type { Slice } from './vector.js'

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const NEWLINE = 10
const SPACE = 32
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [123, 125, 91, 93]
const NULL = 110
/** What each letter after a backslash stands for in a JSON string. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, letter) => letter)
for (const [letter, code] of Object.entries('\b\f\n\r\t'))
  ESCAPED['bfnrt'.charCodeAt(Number(letter))] = code.charCodeAt(0)
const UNICODE = 117
/** The first bits of surrogates: of any, of the first of a pair, and of the second. */
const [SURROGATE, HIGH, LOW] = [0x1b, 0x36, 0x37]

/**
 * Converts rows of a page, as JSON objects separated by commas, to CSV (RFC 4180) with a header and line
 * feeds. A value is written as its JSON is, a string without its quotes; NULL is an empty field, and an empty
 * string is `""`. Works on bytes, so that no digit of a number changes and no name of a column has a meaning.
 * `columns` names those of no rows.
 */
export function rowsAsCsv(json: Uint8Array, columns: readonly string[] = []): Uint8Array {
  const { buffer, byteOffset, byteLength } = json
  if (byteLength > 0) return new CsvWriter(Buffer.from(buffer, byteOffset, byteLength)).write(true)
  const row = `{${columns.map(name => `${JSON.stringify(name)}:0`).join(',')}}`
  return columns.length > 0 ? new CsvWriter(Buffer.from(row)).write(false) : json
}

/** Reads JSON of the engine from `#at` on. */
class CsvWriter {
  readonly #json: Buffer
  #at = 0
  readonly #csv = new Output()
  /** A string without its escapes. */
  readonly #text = new Output()
  readonly #slice: Slice

  constructor(json: Buffer) {
    this.#json = json
    this.#slice = { bytes: json, from: 0, to: 0 }
  }

  write(withRows: boolean): Uint8Array {
    const lengths = this.#header()
    if (withRows) for (this.#at = 0; this.#at < this.#json.length; this.#at += 1) this.#row(lengths)
    return this.#csv.view()
  }

  /** Writes the names of the columns. Returns their lengths in JSON, which are those of every row. */
  #header(): number[] {
    const lengths: number[] = []
    do {
      this.#at += 1
      if (lengths.length > 0) this.#csv.byte(COMMA)
      const start = this.#at
      this.#string()
      lengths.push(this.#at - start)
      const written = this.#csv.length
      this.#at += 1
      this.#value()
      this.#csv.cutTo(written)
    } while (this.#json[this.#at] === COMMA)
    this.#csv.byte(NEWLINE)
    return lengths
  }

  #row(lengths: readonly number[]): void {
    for (let column = 0; column < lengths.length; column++) {
      if (column > 0) this.#csv.byte(COMMA)
      this.#at += 1 + (lengths[column] as number)
      if (this.#json[this.#at] !== COLON) throw malformed()
      this.#at += 1
      this.#value()
    }
    if (this.#json[this.#at++] !== CLOSE_OBJECT) throw malformed()
    this.#csv.byte(NEWLINE)
  }

  /** Writes the value at this place, and goes to the comma or bracket after it. */
  #value(): void {
    this.#skipSpace() // around values of type JSON
    const first = this.#json[this.#at]
    if (first === QUOTE) this.#string()
    else if (first === OPEN_OBJECT || first === OPEN_LIST) this.#nested()
    else if (first === NULL) this.#at += 4
    else this.#scalar()
    this.#skipSpace()
  }

  #skipSpace(): void {
    while ((this.#json[this.#at] as number) <= SPACE) this.#at += 1
  }

  /** The JSON from `from` to `to`. */
  #part(from: number, to: number): Slice {
    this.#slice.from = from
    this.#slice.to = to
    return this.#slice
  }

  /** Writes a number, true or false. */
  #scalar(): void {
    const start = this.#at
    for (; this.#at < this.#json.length; this.#at++) {
      const byte = this.#json[this.#at] as number
      if (byte === COMMA || byte === CLOSE_OBJECT || byte <= SPACE) break
    }
    this.#csv.raw(this.#part(start, this.#at))
  }

  /** Writes an object or list as JSON in quotes. */
  #nested(): void {
    const json = this.#json
    const start = this.#at
    let at = start
    let depth = 0
    let inString = false
    do {
      const byte = json[at++]
      if (byte === QUOTE) inString = !inString
      else if (inString) {
        if (byte === BACKSLASH) at += 1
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1
    } while (depth > 0 && at < json.length)
    this.#at = at
    writeQuoted(this.#part(start, Math.min(at, json.length)), this.#csv)
  }

  /**
   * Writes a string, in quotes if it has a comma, nothing, or what JSON escapes: quotes, line breaks and
   * others.
   */
  #string(): void {
    const json = this.#json
    const start = this.#at
    let at = start + 1
    let needsQuotes = json[at] === QUOTE
    let hasEscape = false
    for (let byte = json[at]; byte !== QUOTE && at < json.length; byte = json[++at]) {
      if (byte === COMMA) needsQuotes = true
      else if (byte === BACKSLASH) {
        hasEscape = true
        at += 1
      }
    }
    this.#at = at + 1
    if (hasEscape) writeQuoted(this.#unescaped(start + 1, at) ?? this.#part(start, this.#at), this.#csv)
    else if (needsQuotes) writeQuoted(this.#part(start + 1, at), this.#csv)
    else this.#csv.raw(this.#part(start + 1, at))
  }

  /**
   * The string from `start` to `end` without its escapes. Null if it has half of a surrogate pair, as values
   * of type JSON may: UTF-8 has none, so the string has to stay JSON.
   */
  #unescaped(start: number, end: number): Slice | null {
    const json = this.#json
    const text = this.#text
    text.cutTo(0)
    for (let at = start; at < end; at++) {
      let code = json[at] as number
      if (code !== BACKSLASH) {
        text.byte(code)
        continue
      }
      const letter = json[++at] as number
      code = ESCAPED[letter] as number
      if (letter === UNICODE) {
        code = unitAt(json, at + 1)
        at += 4
        if (code >> 11 === SURROGATE) {
          const low = json[at + 1] === BACKSLASH && json[at + 2] === UNICODE ? unitAt(json, at + 3) : 0
          if (code >> 10 !== HIGH || low >> 10 !== LOW) return null
          code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff)
          at += 6
        }
      }
      text.text(String.fromCodePoint(code))
    }
    const bytes = text.view()
    return { bytes, from: 0, to: bytes.length }
  }
}

/** Stored rows can be damaged on disk: they must neither be sent nor keep the host busy forever. */
export function malformed(): Error {
  return new Error('the rows of a page are not as the engine writes them')
}

/** The UTF-16 code unit of four hexadecimal digits. */
function unitAt(json: Uint8Array, at: number): number {
  let unit = 0
  for (let digit = at; digit < at + 4; digit++) {
    const byte = json[digit] as number
    unit = unit * 16 + (byte & 15) + (byte > 57 ? 9 : 0)
  }
  return unit
}
