import type { Context } from 'koa'

/** Far more than a form needs that people fill in by hand. */
export const MAX_FORM_BYTES = 64 * 1024

/** Refuses a request: an error page shows the message. */
export class PageError extends Error {
  readonly status: number

  /** `message` is shown to the user as it is. */
  constructor(status: number, message: string) {
    super(message)
    this.name = 'PageError'
    this.status = status
  }
}

/**
 * Reads the fields of a posted form. Throws a {@link PageError} if it is not urlencoded, has more than `maxBytes`
 * (default: 64 KiB) or is not UTF-8.
 */
export async function readForm(context: Context, maxBytes = MAX_FORM_BYTES): Promise<URLSearchParams> {
  if (!context.is('application/x-www-form-urlencoded'))
    throw new PageError(415, 'This page accepts only forms: send application/x-www-form-urlencoded.')
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop must not destroy the request: that would close the connection before the error page is sent.
  for await (const chunk of context.req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      // The rest of the body stays unread, so the connection cannot be reused.
      context.set('Connection', 'close')
      throw new PageError(413, 'The form is too large: shorten what you typed.')
    }
    chunks.push(chunk)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    return new URLSearchParams(text)
  } catch {
    throw new PageError(400, 'The form is not valid UTF-8: send it again.')
  }
}
