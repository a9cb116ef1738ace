import { isUtf8 } from 'node:buffer'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from './json-reader.js'
import { NOT_UTF8, type Output } from './output.js'
import { UnwritableValue } from './types.js'
import type { Slice } from './vector.js'

/** Message for a value of type JSON that is not JSON. */
const NOT_JSON = 'A value of type JSON is not JSON. Cast it to VARCHAR, or leave it out.'

/** Characters that end a number or a literal. */
const TOKEN_END = new Set([
  SPACE,
  9,
  10,
  13,
  COMMA,
  COLON,
  QUOTE,
  OPEN_LIST,
  CLOSE_LIST,
  OPEN_OBJECT,
  CLOSE_OBJECT,
])
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
/** Numbers that JSON lacks, as DuckDB reads them. */
const LACKING = /^(?:(-?nan)|(-)?inf(?:inity)?)$/i
/** Characters that may follow a backslash, and the escape of a UTF-16 unit. */
const ESCAPE = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/
/** What follows the first half of a surrogate pair. */
const LOW_HALF = /^\\u[dD][c-fC-F][0-9a-fA-F]{2}/

/** How values of type JSON are written into an answer: each as one value of strict JSON, or not at all. */
interface JsonOptions {
  /**
   * Writes line breaks between tokens as spaces: they would end a row. Many readers of NDJSON also end a line
   * at CR.
   */
  inOneLine: boolean
}

/**
 * Writes a value of type JSON as strict JSON. DuckDB accepts more: NaN, infinities, which become strings as
 * elsewhere in rows, and a comma before a closing bracket. Some of its functions also turn any string into
 * JSON unchecked (the default of lag, for example): each value is checked on its own, since within a row, a
 * forged value could close the object around it, and the row would still parse.
 */
export function writeStrictJson({ bytes, from, to }: Slice, out: Output, { inOneLine }: JsonOptions): void {
  /** Brackets that are open. */
  const open: number[] = []
  /** The kind of token that may come next. */
  let next: 'value' | 'key' | 'colon' | 'end' = 'value'
  let isFirst = false
  let at = from
  while (at < to) {
    const byte = bytes[at] as number
    if (byte === SPACE || byte === 9 || byte === 10 || byte === 13) {
      out.byte(inOneLine && (byte === 10 || byte === 13) ? SPACE : byte)
      at += 1
      continue
    }
    const inside = open.at(-1)
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      // Two bytes after an opening bracket of ASCII comes its closing one.
      if (inside === undefined || byte !== inside + 2 || !(next === 'end' || (isFirst && next !== 'colon')))
        fail()
      open.pop()
      next = 'end'
      isFirst = false
    } else if (byte === COMMA) {
      if (next !== 'end' || inside === undefined) fail()
      next = inside === OPEN_OBJECT ? 'key' : 'value'
      const after = afterSpace(bytes, at + 1, to)
      if (after === CLOSE_LIST || after === CLOSE_OBJECT) {
        next = 'end' // the comma is left out
        at += 1
        continue
      }
    } else if (byte === COLON) {
      if (next !== 'colon') fail()
      next = 'value'
    } else if (byte === QUOTE) {
      if (next !== 'value' && next !== 'key') fail()
      const end = endOfString(bytes, at, to)
      out.raw({ bytes, from: at, to: end })
      at = end
      next = next === 'key' ? 'colon' : 'end'
      isFirst = false
      continue
    } else if (next !== 'value') fail()
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      open.push(byte)
      next = byte === OPEN_OBJECT ? 'key' : 'value'
      isFirst = true
    } else {
      at = writeToken(bytes, at, to, out)
      next = 'end'
      isFirst = false
      continue
    }
    out.byte(byte)
    at += 1
  }
  if (next !== 'end' || open.length > 0) fail()
}

function afterSpace(bytes: Uint8Array, from: number, to: number): number | undefined {
  let at = from
  while (at < to && [SPACE, 9, 10, 13].includes(bytes[at] as number)) at += 1
  return at < to ? bytes[at] : undefined
}

/** Writes a number, `true`, `false` or `null`. */
function writeToken(bytes: Uint8Array, from: number, to: number, out: Output): number {
  let end = from
  while (end < to && !TOKEN_END.has(bytes[end] as number)) end += 1
  const token = latin1(bytes, from, end)
  const lacking = LITERAL.test(token) ? null : (LACKING.exec(token) ?? fail())
  if (!lacking) out.raw({ bytes, from, to: end })
  else out.ascii(lacking[1] ? '"NaN"' : lacking[2] ? '"-Infinity"' : '"Infinity"')
  return end
}

/** Where a string ends that begins here. */
function endOfString(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from + 1; at < to; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) return at + 1
    if (byte < SPACE) fail()
    if (byte !== BACKSLASH) continue
    const escaped = ESCAPE.exec(latin1(bytes, at + 1, Math.min(to, at + 6)))?.[0] ?? fail()
    at += escaped.length
    if (!/^u[dD][89a-fA-F]/.test(escaped)) continue
    // Half of a surrogate pair, which UTF-8 does not have.
    if (!/^u[dD][89abAB]/.test(escaped) || !LOW_HALF.test(latin1(bytes, at + 1, Math.min(to, at + 7)))) fail()
    at += 6
  }
  return fail()
}

/** The text of a JSON string, or null if the value is no string. */
export function textOfJson({ bytes, from, to }: Slice): string | null {
  if (afterSpace(bytes, from, to) !== QUOTE) return null
  const json = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from)
  if (!isUtf8(json)) throw new UnwritableValue(NOT_UTF8)
  const text = json.toString().trim()
  if (endOfString(json, json.indexOf(QUOTE), json.length) !== json.indexOf(QUOTE) + Buffer.byteLength(text))
    fail()
  return JSON.parse(text)
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at] as number)
  return text
}

function fail(): never {
  throw new UnwritableValue(NOT_JSON)
}
