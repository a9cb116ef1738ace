import { AnalyticsError } from '../errors.js'

/** What a body parser of the host leaves on the request. */
export interface ParsedBody {
  /** The parsed body, or the body as bytes or string if the parser only read it. */
  body?: unknown
  /** The body as sent, bytes or string, if the parser keeps it. */
  rawBody?: unknown
}

/**
 * The bytes of a body that a parser has already read: as sent if the parser kept them, otherwise serialized from the
 * parsed JSON. A parser that kept nothing is a fault of the host; a body parsed as anything else is INVALID_REQUEST.
 */
export function unparse({ body, rawBody }: ParsedBody, contentType: string | null): Uint8Array {
  for (const left of [rawBody, body]) if (left instanceof Uint8Array) return left
  if (typeof rawBody === 'string') return Buffer.from(rawBody)
  if (body === undefined)
    throw new Error(
      'The body of a request was read before Foldgate got to it, and nothing is left of it: mount Foldgate before what ' +
        'reads bodies, or keep the body as rawBody of the request',
    )
  if (/[/+]json\b/i.test(contentType ?? '')) return Buffer.from(asJson(body))
  if (typeof body === 'string') return Buffer.from(body)
  throw new AnalyticsError('INVALID_REQUEST', 'The body is not read as JSON: send "Content-Type: application/json".')
}

function asJson(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    // Parsers of JSON take any depth, but its serializer needs a part of the stack for each level.
    throw new AnalyticsError('INVALID_REQUEST', 'The body is nested too deeply to be read.', { cause })
  }
}
