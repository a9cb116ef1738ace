import { AnalyticsError } from '../errors.js'

/** What a body parser of the host leaves of a body that it has read. */
export interface ParsedBody {
  /** What it made of the body, or the body itself when it left it as it was. */
  body?: unknown
  /** The body as it was sent, where the parser keeps it. */
  rawBody?: unknown
}

/**
 * The bytes of a body that a parser has read before us: as they were sent where it kept them, else written anew from the
 * JSON that it made of them. A parser that left nothing is a fault of the host.
 */
export function unparse({ body, rawBody }: ParsedBody, contentType: string | null): Uint8Array {
  for (const left of [rawBody, body]) if (left instanceof Uint8Array) return left
  if (typeof rawBody === 'string') return Buffer.from(rawBody)
  if (body === undefined)
    throw new Error(
      'The body of a request was read before Foldgate got to it, and nothing is left of it: mount Foldgate before what ' +
        'reads bodies, or keep the body as rawBody of the request',
    )
  if (/[/+]json\b/i.test(contentType ?? '')) return Buffer.from(JSON.stringify(body))
  if (typeof body === 'string') return Buffer.from(body)
  throw new AnalyticsError('INVALID_REQUEST', 'The body is not read as JSON: send "Content-Type: application/json".')
}
