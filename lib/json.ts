/** A JSON value that is already text, spliced into an answer as it is. */
export class JsonBytes {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** For whoever wants the value itself. */
  parse(): unknown {
    return JSON.parse(Buffer.from(this.bytes).toString())
  }
}

/** The UTF-8 text of a value whose plain objects may hold {@link JsonBytes}. */
export function encodeJson(value: unknown): Buffer {
  const parts: Uint8Array[] = []
  let text = ''
  const flush = () => {
    if (text) parts.push(Buffer.from(text))
    text = ''
  }
  const write = (part: unknown) => {
    if (part instanceof JsonBytes) {
      flush()
      parts.push(part.bytes)
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
  return Buffer.concat(parts)
}

/** The same value with every {@link JsonBytes} read. */
export function decodeJson(value: unknown): unknown {
  if (value instanceof JsonBytes) return value.parse()
  if (!isPlainObject(value) || !isSpliced(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, decodeJson(member)]))
}

function isSpliced(value: unknown): boolean {
  return value instanceof JsonBytes || (isPlainObject(value) && Object.values(value).some(isSpliced))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
}
