/** A JSON array whose members are already serialized, separated by commas. It goes into answers unparsed. */
export class JsonList {
  readonly members: Uint8Array

  constructor(members: Uint8Array) {
    this.members = members
  }

  /** Parses the members, for callers that need values instead of JSON. */
  parse(): unknown {
    return JSON.parse(`[${Buffer.from(this.members).toString()}]`)
  }
}

/**
 * Serializes a value to parts of UTF-8. Lists ({@link JsonList}) in its plain objects become parts without a
 * copy.
 */
export function jsonParts(value: unknown): Uint8Array[] {
  const parts: Uint8Array[] = []
  let text = ''
  const flush = () => {
    if (text) parts.push(Buffer.from(text))
    text = ''
  }
  const write = (part: unknown) => {
    if (part instanceof JsonList) {
      text += '['
      flush()
      parts.push(part.members)
      text = ']'
    } else if (isPlainObject(part) && Object.values(part).some(isSpliced)) {
      const members = Object.entries(part).filter(([, member]) => member !== undefined)
      members.forEach(([name, member], index) => {
        text += `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
        write(member)
      })
      text += '}'
    } else text += JSON.stringify(part)
  }
  write(value)
  flush()
  return parts
}

/**
 * Returns the value with every {@link JsonList} parsed; `Value` is what it was before lists were written as
 * JSON.
 */
export function decodeJson<Value>(value: object): Value {
  return decode(value) as Value
}

function decode(value: unknown): unknown {
  if (value instanceof JsonList) return value.parse()
  if (!isPlainObject(value) || !isSpliced(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, decode(member)]))
}

function isSpliced(value: unknown): boolean {
  return value instanceof JsonList || (isPlainObject(value) && Object.values(value).some(isSpliced))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
}

/**
 * Removes the members of a parsed value once they have been read. The frames of a call keep the value itself
 * while the call waits and runs, and its members may take 50 times their size as JSON.
 */
export function forget(value: unknown): void {
  if (Object.isFrozen(value)) return // it has no members, or others use it
  if (Array.isArray(value)) value.length = 0
  else if (value !== null && typeof value === 'object')
    for (const name of Object.keys(value)) delete (value as Record<string, unknown>)[name]
}
