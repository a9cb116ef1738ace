import { decodeUtf8 } from 'foldgate/internal'
import type { Context } from 'koa'

/** Far more than a form that people fill in by hand needs. */
export const MAX_FORM_BYTES = 64 * 1024

/** Refuses a request: an error page shows the message. */
export class PageError extends Error {
  readonly status: number
  /** Seconds after which a retry may help; null when waiting does not. */
  readonly retryAfterSeconds: number | null

  /** `message` is shown to the user as it is. */
  constructor(status: number, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.name = 'PageError'
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const NUL = /%00|\0/

/**
 * Throws a {@link PageError} when the path or the query of a request has a NUL character. Nothing that people
 * type has one, and PostgreSQL fails on it wherever it is compared or stored.
 */
export function refuseNul({ url }: Context): void {
  if (NUL.test(url)) throw new PageError(400, 'The address has a NUL character (%00) in it: leave it out.')
}

/**
 * Reads the fields of a posted form. Throws a {@link PageError} if it is not urlencoded, has more than
 * `maxBytes` (default: 64 KiB), is not UTF-8 or has a NUL character, see {@link refuseNul}.
 */
export async function readForm(context: Context, maxBytes = MAX_FORM_BYTES): Promise<URLSearchParams> {
  if (!context.is('application/x-www-form-urlencoded'))
    throw new PageError(415, 'This page accepts only forms: send application/x-www-form-urlencoded.')
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop must not destroy the request: that would close the connection
  // before the error page is sent.
  for await (const chunk of context.req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      // The rest of the body stays unread, so the connection cannot be reused.
      context.set('Connection', 'close')
      throw new PageError(413, 'The form is too large: shorten what you typed.')
    }
    chunks.push(chunk)
  }
  const text = decoded(Buffer.concat(chunks))
  if (NUL.test(text))
    throw new PageError(400, 'The form has a NUL character in it, and nothing was done: leave it out.')
  return new URLSearchParams(text)
}

function decoded(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw new PageError(400, 'The form is not valid UTF-8: send it again.')
  }
}
