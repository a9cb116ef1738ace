/** Tells whether a store has changed, by a version that is another after every change by any process. */
export interface StoreVersions {
  /** The version of now, or of up to {@link KEPT_MS} before, if this process has not used the store since. */
  current(): string
  /** Forgets the version: this process uses the store. */
  forget(): void
}

/** How long a version is taken for that of now, in milliseconds: a change by another process is seen as much later. */
export const KEPT_MS = 20

/** Shares the versions that `read` reads; `now` is a monotonic clock in milliseconds. */
export function shareVersions(read: () => string, now = () => performance.now()): StoreVersions {
  let known: { version: string; readAt: number } | null = null
  return {
    current() {
      const readAt = now()
      if (known === null || readAt - known.readAt >= KEPT_MS) known = { version: read(), readAt }
      return known.version
    },
    forget() {
      known = null
    },
  }
}
