export const [NEWLINE, SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x20, 0x22, 0x2c, 0x3a, 0x5c]
export const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Where the string ends whose quotation mark is at `from`: the place of the other mark, or a place past the end. In
 * UTF-8, no part of another character equals a mark.
 */
export function endOfString(json: Uint8Array, from: number): number {
  const { length } = json
  for (let at = from + 1; at < length; at++) {
    const byte = json[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at += 1
  }
  return length
}

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
  const colon = endOfString(json, from) + 1
  if (json[from] !== QUOTE || json[colon] !== COLON) throw malformed()
  return colon + 1
}

/** The place of the comma or bracket after a value, or the end. */
export function afterValue(json: Uint8Array, from: number): number {
  const { length } = json
  let depth = 0
  let at = from
  for (; at < length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_OBJECT)) return at
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1
  }
  if (depth > 0 || at > length) throw malformed()
  return length
}

/** Stored rows can be damaged on disk: they must neither be sent nor keep the host busy forever. */
export function malformed(): Error {
  return new Error('the rows of a page are not as the engine writes them')
}
