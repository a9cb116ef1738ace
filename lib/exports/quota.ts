import type { Limits } from '../call/limits.js'
import { AnalyticsError } from '../errors.js'
import type { Clock } from '../ports.js'

/**
 * An export that counts: with the bound per file while it runs, then with its size until its file is gone.
 */
export interface CountedExport {
  /** Its file of this size is stored, and is removed at `until`, epoch milliseconds. */
  stored(bytes: number, until: number): void
  /** It has ended. Without a stored file, it no longer counts. */
  end(): void
}

/**
 * Ends of retention are counted together within a hundredth of it, so that many small files take few entries.
 */
const STEPS = 100
const LEAST_STEP_MS = 1000

/** What counts for an owner or an organization. */
class CountedBytes {
  /** Bytes that running exports may write. */
  running = 0
  /** Bytes of stored files. */
  stored = 0
  /** Bytes of stored files, by the time at which they are gone, epoch milliseconds. */
  readonly #until = new Map<number, number>()

  add(bytes: number, until: number): void {
    this.stored += bytes
    this.#until.set(until, (this.#until.get(until) ?? 0) + bytes)
  }

  /** Forgets files that are gone by now. */
  forget(now: number): void {
    for (const [until, bytes] of this.#until) {
      if (until > now) continue
      this.stored -= bytes
      this.#until.delete(until)
    }
  }

  /** When stored files will take at most this much, epoch milliseconds; null when they already do. */
  fallsTo(bytes: number): number | null {
    let left = this.stored
    let at: number | null = null
    for (const [until, freed] of [...this.#until].sort(([one], [other]) => one - other)) {
      if (left <= bytes) return at
      left -= freed
      at = until
    }
    return at
  }
}

/**
 * Counts the files of exports that are kept, per owner and per organization, in the memory of this process:
 * other servers count their own, and a restart forgets them. An export may begin while another file of
 * `limits.exportBytes` has room, so that exports that run at once cannot pass a bound together.
 */
export class ExportQuota {
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #stepMs: number
  readonly #owners = new Map<string, CountedBytes>()
  readonly #organizations = new Map<string, CountedBytes>()
  #forgetAt = 0

  /** `keptMs` is how long files are kept. */
  constructor(limits: Limits, clock: Clock, keptMs: number) {
    this.#limits = limits
    this.#clock = clock
    this.#stepMs = Math.max(LEAST_STEP_MS, Math.ceil(keptMs / STEPS))
  }

  /** Counts an export that begins. Throws UNAVAILABLE when kept files leave no room for it. */
  begin(ownerId: string, organization: string): CountedExport {
    const { exportBytes, exportBytesPerOwner, exportBytesPerOrganization } = this.#limits
    this.#forget()
    const counted = [countedOf(this.#owners, ownerId), countedOf(this.#organizations, organization)] as const
    this.#check(counted[0], exportBytesPerOwner, 'of the owner of the key')
    this.#check(counted[1], exportBytesPerOrganization, `of the organization "${organization}"`)
    for (const each of counted) each.running += exportBytes
    let isRunning = true
    return {
      stored: (bytes, until) => {
        const step = Math.ceil(until / this.#stepMs) * this.#stepMs
        for (const each of counted) each.add(bytes, step)
      },
      end: () => {
        if (isRunning) for (const each of counted) each.running -= exportBytes
        isRunning = false
      },
    }
  }

  #check(counted: CountedBytes, limit: number, whose: string): void {
    const { exportBytes } = this.#limits
    if (counted.stored + counted.running + exportBytes <= limit) return
    const taken = `Exports ${whose} may take ${sizeOf(limit)} on the server, and no file of ${sizeOf(exportBytes)} fits`
    const then = 'export fewer rows from then on, or ask the operator of the service for more.'
    const freeAt = counted.fallsTo(limit - exportBytes)
    if (freeAt === null)
      throw new AnalyticsError('UNAVAILABLE', `${taken} until one that is running ends. Wait for it, ${then}`)
    const retryAfterSeconds = Math.max(1, Math.ceil((freeAt - this.#clock.now()) / 1000))
    throw new AnalyticsError(
      'UNAVAILABLE',
      `${taken} until earlier ones are removed, at ${new Date(freeAt).toISOString()}. Wait until then, ${then}`,
      { data: { retryAfterSeconds } },
    )
  }

  /**
   * Forgets files that are gone, and owners and organizations of whom nothing counts; at most once per step.
   */
  #forget(): void {
    const now = this.#clock.now()
    if (now < this.#forgetAt) return
    for (const all of [this.#owners, this.#organizations])
      for (const [id, counted] of all) {
        counted.forget(now)
        if (counted.stored + counted.running === 0) all.delete(id)
      }
    this.#forgetAt = (Math.floor(now / this.#stepMs) + 1) * this.#stepMs
  }
}

function countedOf(all: Map<string, CountedBytes>, id: string): CountedBytes {
  const counted = all.get(id) ?? new CountedBytes()
  all.set(id, counted)
  return counted
}

function sizeOf(bytes: number): string {
  const [size, unit] = bytes < 1024 ** 3 ? [bytes / 1024 ** 2, 'MiB'] : [bytes / 1024 ** 3, 'GiB']
  return `${Number(size.toFixed(1))} ${unit}`
}
