import { malformed } from './rows-as-csv.js'

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [123, 125, 91, 93]

/**
 * Converts rows of a page, as JSON objects separated by commas, to arrays of their values, separated in the same way.
 * Works on bytes, so that no digit of a number changes, and no name of a column has a meaning or another place:
 * parsed objects have names that are whole numbers first. Throws for what no engine writes, as stored rows can be
 * damaged.
 */
export function rowsAsArrays(json: Uint8Array): Uint8Array {
  const arrays = Buffer.allocUnsafe(json.length) // without the names, it is shorter
  let length = 0
  for (let at = 0; at < json.length; ) {
    if (length > 0) {
      if (json[at++] !== COMMA) throw malformed()
      arrays[length++] = COMMA
    }
    if (json[at] !== OPEN_OBJECT) throw malformed()
    arrays[length++] = OPEN_LIST
    do {
      if (json[at] === COMMA) arrays[length++] = COMMA
      const from = afterName(json, at + 1)
      at = afterValue(json, from)
      arrays.set(json.subarray(from, at), length)
      length += at - from
    } while (json[at] === COMMA)
    if (json[at++] !== CLOSE_OBJECT) throw malformed()
    arrays[length++] = CLOSE_LIST
  }
  return arrays.subarray(0, length)
}

/** The rows of a page, as JSON objects separated by commas, one by one. */
export function* rowsIn(json: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < json.length; ) {
    const end = afterValue(json, from)
    yield json.subarray(from, end)
    from = end + 1
  }
}

/** The place after a name and its colon. */
function afterName(json: Uint8Array, from: number): number {
  const at = json[from] === QUOTE ? afterString(json, from) : from
  if (json[at] !== COLON) throw malformed()
  return at + 1
}

/** The place of the comma or bracket after a value, or the end. */
function afterValue(json: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; at < json.length; ) {
    const byte = json[at]
    if (depth === 0 && (byte === COMMA || byte === CLOSE_OBJECT)) return at
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1
    at = byte === QUOTE ? afterString(json, at) : at + 1
  }
  if (depth > 0) throw malformed()
  return json.length
}

/** The place after a string. */
function afterString(json: Uint8Array, from: number): number {
  for (let at = from + 1; at < json.length; at++)
    if (json[at] === QUOTE) return at + 1
    else if (json[at] === BACKSLASH) at += 1
  throw malformed()
}
