import type { ErrorClass, ErrorData } from 'foldgate'
import { counted } from './dom.js'
import type { Place } from './place.js'

/** What the API refused, or a service that cannot be reached. */
export class Failure extends Error {
  readonly class: ErrorClass | 'UNREACHABLE'
  readonly data: ErrorData
  /** When a retry may help, in seconds. */
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

  /** The place in the statement that it is about. */
  get place(): Place | null {
    const { line, column } = this.data
    return typeof line === 'number' && typeof column === 'number' ? { line, column } : null
  }

  /** What is wrong, without the place and the hint, which the message of the API has at its end. */
  get complaint(): string {
    const { hint } = this.data
    const place = this.place
    const bare =
      typeof hint === 'string' && this.message.endsWith(hint) ? this.message.slice(0, -hint.length) : this.message
    return place ? bare.replace(` (line ${place.line}, column ${place.column})`, '').trim() : bare.trim()
  }
}

/** What a response that is no success says. */
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
  // A proxy in front has answered, not the API.
  const words = `The service did not answer as it should (HTTP ${response.status}).`
  return new Failure('UNAVAILABLE', words, {}, retrySeconds)
}

/** Throws what a request or the reading of its answer failed with. */
export function connectionFailure(error: unknown): never {
  if (isStopped(error)) throw error
  throw new Failure('UNREACHABLE', 'The service cannot be reached: see whether you are online, then try again.')
}

/** Whether something ended because somebody stopped it. */
export function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** When to try again, in words; null when the service told no time. */
export function whenToRetry({ class: failureClass, retrySeconds }: Failure, now: Date): string | null {
  if (retrySeconds === null || !['RATE_LIMITED', 'UNAVAILABLE'].includes(failureClass)) return null
  const at = new Date(now.getTime() + retrySeconds * 1000)
  const clock = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  return `Try again in ${counted(retrySeconds, 'second')}, at ${clock}.`
}
