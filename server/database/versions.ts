import { Turn } from 'foldgate/internal'

/** Tells whether a store has changed, by a version that is another after every change by any process. */
export interface StoreVersions {
  /** Reads the version after this call, once for all callers of a turn of the event loop. */
  next(): Promise<string>
  /**
   * The version that {@link next} has read in this turn of the event loop; null when it has not, and once this
   * process has used the store since. A call that has waited for {@link next} finds nothing here that is older.
   */
  latest(): string | null
  /** Forgets the latest version: this process uses the store. */
  forget(): void
}

/** Shares the versions that `now` reads. */
export function shareVersions(now: () => string): StoreVersions {
  let latest: string | null = null
  let reading: Promise<string> | null = null
  const turn = new Turn()
  const forget = () => {
    latest = null
  }
  const read = () => {
    reading = null
    latest = now()
    setImmediate(forget)
    return latest
  }
  return {
    next() {
      reading ??= turn.end().then(read)
      return reading
    },
    latest: () => latest,
    forget,
  }
}
