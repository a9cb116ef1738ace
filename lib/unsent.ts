import { AnalyticsError } from './errors.js'
import type { Limits } from './options.js'

/** What a call holds at the least: its answer's head, and what a server keeps of a connection. */
const LEAST_BYTES = 16 * 1024

/**
 * Bytes that wait in memory until callers take them: answers that are not sent yet, and bodies that are being read. A
 * caller who asks and does not read is stopped at a bound of the owner's own, before the service runs out of memory.
 */
export class UnsentBytes {
  readonly #limits: Pick<Limits, 'unsentBytes' | 'ownerUnsentBytes'>
  readonly #owners = new Map<string, number>()
  #total = 0

  constructor(limits: Pick<Limits, 'unsentBytes' | 'ownerUnsentBytes'>) {
    this.#limits = limits
  }

  /** What all callers hold. */
  get total(): number {
    return this.#total
  }

  /** Holds bytes for an owner until what it returns is called; past a bound it throws UNAVAILABLE. */
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

  /** Throws UNAVAILABLE where so many bytes more could not be held. */
  check(ownerId: string, bytes = LEAST_BYTES): void {
    // Something is always held: one answer alone may be larger than the bound.
    const own = this.#owners.get(ownerId) ?? 0
    if (own > 0 && own + bytes > this.#limits.ownerUnsentBytes)
      throw new AnalyticsError('UNAVAILABLE', 'Answers of yours wait to be read. Read them, then try again.')
    if (this.#total > 0 && this.#total + bytes > this.#limits.unsentBytes)
      throw new AnalyticsError('UNAVAILABLE', 'Too many answers wait to be read. Try again later.')
  }

  #change(ownerId: string, bytes: number): void {
    const own = (this.#owners.get(ownerId) ?? 0) + bytes
    if (own > 0) this.#owners.set(ownerId, own)
    else this.#owners.delete(ownerId)
    this.#total += bytes
  }
}
