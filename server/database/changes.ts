import { RecentMap } from 'foldgate/internal'
import type { StoreVersions } from './versions.js'

/** Values that are kept of a kind. */
const MOST_KEPT = 10_000

/**
 * Tells whether what was read from a store may have changed since, by any process. The embedded store tells that it
 * has changed, PostgreSQL which ids have.
 */
export interface StoreChanges {
  /**
   * A moment no later than now, to which {@link hasChanged} compares; null while changes cannot be told, so that
   * nothing may be kept. Changes by other processes may be told up to 100 ms later, those by this one are told at once.
   */
  moment(): Promise<number | null> | number | null
  /** Whether the rows of any of these ids may have changed since a moment. */
  hasChanged(ids: readonly string[], since: number): boolean
  /** Resolves once the changes that this process has made are known. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** The changes of a store of which only a version is known, which is another after every change. */
export function changesOf(versions: StoreVersions): StoreChanges {
  let version = ''
  let moment = 0
  return {
    moment() {
      const now = versions.current()
      if (now !== version) moment += 1
      version = now
      return moment
    },
    hasChanged: (_, since) => since !== moment,
    settle: async () => {},
    close: async () => {},
  }
}

/** The way in which reads are kept. */
interface Keeping<Value> {
  /** The ids of the rows that a value is made of; null for a value that is not kept. */
  idsOf(value: Value, name: string): readonly string[] | null
  /** Values that are kept. Default: 10 000. */
  most?: number
}

/** Keeps the rows that were read until the store changes, so that a revocation applies to the calls that follow. */
export function whileUnchanged<Value>(
  { changes }: { readonly changes: StoreChanges },
  read: (name: string) => Promise<Value>,
  { idsOf, most = MOST_KEPT }: Keeping<Value>,
): (name: string) => Promise<Value> {
  const kept = new RecentMap<string, { value: Value; ids: readonly string[]; moment: number }>(most)
  return async name => {
    // Before the rows are read: a row that changes meanwhile has changed since.
    const moment = await changes.moment()
    if (moment === null) return read(name)
    const found = kept.get(name)
    if (found && !changes.hasChanged(found.ids, found.moment)) return found.value
    const value = await read(name)
    const ids = idsOf(value, name)
    if (ids) kept.set(name, { value, ids, moment })
    return value
  }
}
