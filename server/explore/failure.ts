import type { ErrorClass, ErrorData } from 'foldgate'
import { counted } from './dom.js'
import type { Place } from './sql.js'

/** A call that the API refused, or a service that cannot be reached. */
export class Failure extends Error {
  readonly class: ErrorClass | 'UNREACHABLE'
  readonly data: ErrorData
  /** Seconds after which a retry may help; null if the service gave none. */
  readonly retrySeconds: number | null

  constructor(
    failureClass: Failure['class'],
    message: string,
    data: ErrorData = {},
    retrySeconds: number | null = null,
  ) {
    super(message)
    this.class = failureClass
    this.data = data
    this.retrySeconds = retrySeconds
  }

  /** The place of the error in the statement, if known. */
  get place(): Place | null {
    const { line, column } = this.data
    return typeof line === 'number' && typeof column === 'number' ? { line, column } : null
  }

  /** The message without the place and the hint at its end, which the page shows apart. */
  get complaint(): string {
    const { hint } = this.data
    const place = this.place
    const bare =
      typeof hint === 'string' && this.message.endsWith(hint) ? this.message.slice(0, -hint.length) : this.message
    return place ? bare.replace(` (line ${place.line}, column ${place.column})`, '').trim() : bare.trim()
  }
}

/** The failure that an error response describes. */
export async function failureOf(response: Response): Promise<Failure> {
  const after = Number(response.headers.get('Retry-After') ?? Number.NaN)
  const retrySeconds = Number.isFinite(after) ? after : null
  try {
    const { class: failureClass, message, data } = await response.json()
    if (typeof failureClass === 'string' && typeof message === 'string')
      return new Failure(failureClass as ErrorClass, message, data, retrySeconds)
  } catch (error) {
    if (isStopped(error)) throw error
  }
  // The answer came from a proxy, not from the API.
  const words = `The service did not answer as it should (HTTP ${response.status}).`
  return new Failure('UNAVAILABLE', words, {}, retrySeconds)
}

/** Throws the `Failure` for a request or a response body that broke off; an abort is rethrown as it is. */
export function connectionFailure(error: unknown): never {
  if (isStopped(error)) throw error
  throw new Failure('UNREACHABLE', 'The service cannot be reached: check your connection, then try again.')
}

/** Whether an error is an abort. */
export function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** When to try again, in words; null if the service gave no time or the class of the failure has none. */
export function whenToRetry({ class: failureClass, retrySeconds }: Failure, now: Date): string | null {
  if (retrySeconds === null || !['RATE_LIMITED', 'UNAVAILABLE'].includes(failureClass)) return null
  const at = new Date(now.getTime() + retrySeconds * 1000)
  const clock = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  return `Try again in ${counted(retrySeconds, 'second')}, at ${clock}.`
}
