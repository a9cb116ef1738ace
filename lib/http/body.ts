import { AnalyticsError } from '../errors.js'

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
  return new AnalyticsError('INVALID_REQUEST', 'The body did not arrive whole.', { cause })
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON body; an empty body is undefined. Throws INVALID_REQUEST for a compressed body, and PARSE_ERROR. The
 * encoding alone does not tell: a body parser of the host may have decompressed the body.
 */
export function parseBody(body: Uint8Array, encoding: string | null = null): unknown {
  if (body.byteLength === 0) return undefined
  try {
    return JSON.parse(UTF8.decode(body)) as unknown
  } catch {
    if (!isCompressed(body, encoding)) throw new AnalyticsError('PARSE_ERROR', 'The body is not JSON in UTF-8.')
    throw new AnalyticsError('INVALID_REQUEST', 'The body is compressed. Send it as it is, without Content-Encoding.')
  }
}

/** Parses a message of a connection; null stands for one that is not text. Throws as {@link parseBody} does. */
export function parseMessage(message: string | null): unknown {
  if (message !== null) return parseBody(Buffer.from(message))
  throw new AnalyticsError('INVALID_REQUEST', 'Send calls as text: binary messages are not accepted.')
}

/** The first bytes of gzip and zstd; no JSON begins with them. */
const COMPRESSED = ['1f8b', '28b52ffd']

function isCompressed(body: Uint8Array, encoding: string | null): boolean {
  const start = Buffer.from(body.subarray(0, 4)).toString('hex')
  return !/^(identity)?$/i.test(encoding ?? '') || COMPRESSED.some(magic => start.startsWith(magic))
}
