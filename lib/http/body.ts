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

/** Parses a JSON body; an empty body is undefined. Throws PARSE_ERROR. */
export function parseBody(body: Uint8Array): unknown {
  if (body.byteLength === 0) return undefined
  try {
    return JSON.parse(UTF8.decode(body)) as unknown
  } catch {
    throw new AnalyticsError('PARSE_ERROR', 'The body is not JSON in UTF-8.')
  }
}
