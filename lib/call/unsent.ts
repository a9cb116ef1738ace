import { AnalyticsError } from '../errors.js'
import type { Limits } from './limits.js'

/** Least bytes per call: the head of its answer, and what a server keeps per connection. */
const LEAST_BYTES = 16 * 1024

/**
 * Counts unsent bytes: answers in memory that callers have not taken yet, and request bodies that are being
 * read. The bound per owner stops callers who send calls but do not read the answers, before the service runs
 * out of memory.
 */
export class UnsentBytes {
  readonly #limits: Pick<Limits, 'unsentBytes' | 'ownerUnsentBytes'>
  readonly #owners = new Map<string, number>()
  #total = 0

  constructor(limits: Pick<Limits, 'unsentBytes' | 'ownerUnsentBytes'>) {
    this.#limits = limits
  }

  /** Unsent bytes of all owners. */
  get total(): number {
    return this.#total
  }

  /**
   * Counts bytes for an owner until the returned function is called; throws UNAVAILABLE when they pass a
   * bound.
   */
  add(ownerId: string, bytes: number): () => void {
    const size = Math.max(LEAST_BYTES, bytes)
    this.check(ownerId, size)
    this.#change(ownerId, size)
    let isUnsent = true
    return () => {
      if (isUnsent) this.#change(ownerId, -size)
      isUnsent = false
    }
  }

  /** Throws UNAVAILABLE when this many more bytes would pass a bound. */
  check(ownerId: string, bytes = LEAST_BYTES): void {
    // When nothing is counted yet, any size is accepted: a single answer may be larger than the bound.
    const own = this.#owners.get(ownerId) ?? 0
    if (own > 0 && own + bytes > this.#limits.ownerUnsentBytes)
      throw new AnalyticsError(
        'UNAVAILABLE',
        'Too many bytes of your answers are unread. Read them, then try again.',
      )
    if (this.#total > 0 && this.#total + bytes > this.#limits.unsentBytes)
      throw new AnalyticsError('UNAVAILABLE', 'Too many bytes of answers are unread. Try again later.')
  }

  #change(ownerId: string, bytes: number): void {
    const own = (this.#owners.get(ownerId) ?? 0) + bytes
    if (own > 0) this.#owners.set(ownerId, own)
    else this.#owners.delete(ownerId)
    this.#total += bytes
  }
}
