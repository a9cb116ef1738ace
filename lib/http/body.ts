import { AnalyticsError } from '../errors.js'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  endOfString,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../values/json-reader.js'
import { decodeUtf8 } from '../values/utf8.js'

/** Collects the bytes of a body, up to a limit. */
export class BodyBytes {
  readonly #maxBytes: number
  readonly #chunks: Uint8Array[] = []
  #size = 0

  /** `declared` is the Content-Length: a body that would exceed the limit is refused before it is read. */
  constructor(maxBytes: number, declared: string | null) {
    this.#maxBytes = maxBytes
    if (Number(declared ?? 0) > maxBytes) throw this.#tooLarge()
  }

  add(chunk: Uint8Array): void {
    this.#size += chunk.byteLength
    if (this.#size > this.#maxBytes) throw this.#tooLarge()
    this.#chunks.push(chunk)
  }

  end(): Uint8Array {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Uint8Array) : Buffer.concat(this.#chunks)
  }

  #tooLarge(): AnalyticsError {
    return new AnalyticsError('INVALID_REQUEST', `The body is larger than ${this.#maxBytes} bytes.`)
  }
}

/** The error for a body that ends early. */
export function cutShort(cause: unknown): AnalyticsError {
  return new AnalyticsError('INVALID_REQUEST', 'The body is incomplete.', { cause })
}

/** Some programs of Windows put it before what they send. */
const BYTE_ORDER_MARK = /^\uFEFF/

/** Most messages per request: each may be a call, and all answers are sent together. */
export const MOST_MESSAGES = 16
/**
 * Most values per body. The longest statement is one; a body of 1 MiB can have 350,000, which take 50 times
 * its size.
 */
const MOST_VALUES = 100_000

/**
 * Stands for a list of more than {@link MOST_MESSAGES}, which is counted but not parsed. No entry point
 * accepts a list as long as that.
 */
export const LONG_LIST: readonly never[] = Object.freeze([])

/**
 * Parses a JSON body; an empty body is undefined. This is the only parser of what callers send: entry points
 * hand on what it returns, never the text, which another parser might read in another way. Before it parses,
 * it counts the values. Throws INVALID_REQUEST for a compressed body and for more than `mostValues`, and
 * PARSE_ERROR. `encoding` is the Content-Encoding; it alone does not tell, since a body parser of the host
 * may have decompressed the body.
 */
export function parseBody(
  body: Uint8Array,
  encoding: string | null = null,
  mostValues = MOST_VALUES,
): unknown {
  if (body.byteLength === 0) return undefined
  const compressed = () =>
    new AnalyticsError(
      'INVALID_REQUEST',
      'The body is compressed. Send it as it is, without Content-Encoding.',
    )
  const start = Buffer.from(body.subarray(0, 4)).toString('hex')
  if (COMPRESSED.some(magic => start.startsWith(magic))) throw compressed()
  const isEncoded = !/^(identity)?$/i.test(encoding ?? '')
  const counted = countValues(body, mostValues)
  if (counted !== 'few' && isEncoded) throw compressed()
  if (counted === 'long list') return LONG_LIST
  if (counted === 'many values')
    throw new AnalyticsError('INVALID_REQUEST', `The body has more than ${mostValues} values. Send fewer.`)
  try {
    return JSON.parse(decodeUtf8(body).replace(BYTE_ORDER_MARK, '')) as unknown
  } catch {
    throw isEncoded ? compressed() : new AnalyticsError('PARSE_ERROR', 'The body is not JSON in UTF-8.')
  }
}

/** The first bytes of gzip and zstd; no JSON begins with them. */
const COMPRESSED = ['1f8b', '28b52ffd']

/**
 * Counts the values of JSON, and the members if it is a list, until either are too many. It counts
 * all values but one, by commas, which separate them, and brackets, which begin them.
 */
function countValues(body: Uint8Array, mostValues: number): 'long list' | 'many values' | 'few' {
  let [values, members, depth, isList] = [0, 1, 0, false]
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === QUOTE) at = endOfString(body, at)
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (values === 0) isList = byte === OPEN_LIST
      depth += 1
      values += 1
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1
    else if (byte === COMMA) {
      values += 1
      if (depth === 1) members += 1
    } else continue
    if (isList && members > MOST_MESSAGES) return 'long list'
    if (values > mostValues) return 'many values'
  }
  return 'few'
}

/**
 * Parses a message of a connection; null stands for one that is not text. Throws as {@link parseBody} does.
 */
export function parseMessage(message: string | null): unknown {
  if (message !== null) return parseBody(Buffer.from(message))
  throw new AnalyticsError('INVALID_REQUEST', 'Send calls as text: binary messages are not accepted.')
}
