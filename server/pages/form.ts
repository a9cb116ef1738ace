import type { Context } from 'koa'

/** Far more than the forms of these pages fill. */
const MAX_BYTES = 64 * 1024

/** A request that gets no page but a reason. */
export class PageError extends Error {
  readonly status: number

  /** The message is shown as it is. */
  constructor(status: number, message: string) {
    super(message)
    this.name = 'PageError'
    this.status = status
  }
}

/** The fields of a posted form; a body of another kind, over 64 KiB or not in UTF-8 is a {@link PageError}. */
export async function readForm(context: Context): Promise<URLSearchParams> {
  if (!context.is('application/x-www-form-urlencoded'))
    throw new PageError(415, 'This page takes forms alone: send them as application/x-www-form-urlencoded.')
  const chunks: Buffer[] = []
  let bytes = 0
  // Left alone when it is too long: ended with the reading, the connection would take the answer with it.
  for await (const chunk of context.req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) {
      // What still comes is not read, so the connection cannot be used again.
      context.set('Connection', 'close')
      throw new PageError(413, 'That was too much for this form: shorten what you typed.')
    }
    chunks.push(chunk)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    return new URLSearchParams(text)
  } catch {
    throw new PageError(400, 'The form did not arrive in UTF-8: send it again.')
  }
}
