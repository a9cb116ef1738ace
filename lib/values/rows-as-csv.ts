import { writeQuoted } from './csv.js'
import {
  afterValue,
  BACKSLASH,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  malformed,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from './json-reader.js'
import { Output } from './output.js'
import type { Slice } from './vector.js'

const NEWLINE = 10
/** The first letter of `null`. */
const NULL = 0x6e

/**
 * Converts rows of a page, as JSON objects separated by commas, to CSV (RFC 4180) with a header and line
 * feeds. A value is written as its JSON is, a string without its quotes; NULL is an empty field, and an empty
 * string is `""`. Works on bytes, so that no digit of a number changes and no name of a column has a meaning.
 * `columns` names those of no rows.
 */
export function rowsAsCsv(json: Uint8Array, columns: readonly string[] = []): Uint8Array {
  if (json.byteLength === 0 && columns.length === 0) return json
  const csv = new Output()
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  const names = `{${columns.map(name => `${JSON.stringify(name)}:0`).join(',')}}`
  const first = json.byteLength > 0 ? bytes : Buffer.from(names)
  /** Bytes of the names of the columns, which are those of every row. */
  const lengths: number[] = []
  let at = 0
  do {
    if (lengths.length > 0) csv.byte(COMMA)
    const colon = writeString(first, at + 1, csv)
    lengths.push(colon - at)
    at = afterValue(first, colon + 1)
  } while (first[at] === COMMA)
  csv.byte(NEWLINE)
  for (at = 0; at < bytes.length; at++) {
    for (let column = 0; column < lengths.length; column++) {
      if (column > 0) csv.byte(COMMA)
      const value = at + 1 + (lengths[column] as number)
      if (bytes[value - 1] !== COLON) throw malformed()
      at = writeValue(bytes, value, csv)
    }
    if (bytes[at++] !== CLOSE_OBJECT) throw malformed()
    csv.byte(NEWLINE)
  }
  return csv.view()
}

/** Writes the value at `from`, and returns the place of the comma or bracket after it. */
function writeValue(bytes: Uint8Array, from: number, csv: Output): number {
  const start = afterSpace(bytes, from) // around values of type JSON
  const first = bytes[start]
  if (first === QUOTE) return afterSpace(bytes, writeString(bytes, start, csv))
  const end = afterValue(bytes, start)
  if (first === NULL) return end
  let to = end
  while ((bytes[to - 1] as number) <= SPACE) to -= 1
  const value = { bytes, from: start, to }
  if (first === OPEN_OBJECT || first === OPEN_LIST) writeQuoted(value, csv)
  else csv.raw(value)
  return end
}

function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while ((bytes[at] as number) <= SPACE) at += 1
  return at
}

/**
 * Writes a string, in quotes if it has a comma, nothing, or what JSON escapes: quotes, line breaks and others. Returns
 * the place after it. Looks for its end itself: it has to see each byte in any case.
 */
function writeString(bytes: Uint8Array, from: number, csv: Output): number {
  let at = from + 1
  let needsQuotes = bytes[at] === QUOTE
  let hasEscape = false
  for (let byte = bytes[at]; byte !== QUOTE && at < bytes.length; byte = bytes[++at]) {
    if (byte === COMMA) needsQuotes = true
    else if (byte === BACKSLASH) {
      hasEscape = true
      at += 1
    }
  }
  if (at >= bytes.length) throw malformed()
  const string = { bytes, from: from + 1, to: at }
  if (hasEscape) writeQuoted(unescaped({ bytes, from, to: at + 1 }), csv)
  else if (needsQuotes) writeQuoted(string, csv)
  else csv.raw(string)
  return at + 1
}

/**
 * A string that has escapes. It stays JSON if it has half of a surrogate pair, as values of type JSON may: UTF-8 has
 * none.
 */
function unescaped(json: Slice): Slice {
  const text: string = JSON.parse(Buffer.from(json.bytes.subarray(json.from, json.to)).toString())
  const bytes = Buffer.from(text)
  return /\p{Surrogate}/u.test(text) ? json : { bytes, from: 0, to: bytes.length }
}
