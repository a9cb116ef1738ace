/**
 * Thrown when a snapshot is to be published after another one, which is no longer the newest of its project: what it
 * was made from is outdated, and nothing is published.
 */
export class OutdatedBase extends Error {
  constructor(after: string | null) {
    const changed = after === null ? 'it had no snapshot' : `its newest snapshot was ${after}`
    super(
      `The project was sealed meanwhile, or is being sealed: when this sealing began, ${changed}. Seal again, and all ` +
        'rows of its tables if that is refused too.',
    )
    this.name = 'OutdatedBase'
  }
}

/** Throws an {@link OutdatedBase} unless a project's newest snapshot is the one that is expected, if one is. */
export function checkNewest(newest: string | undefined, after: string | null | undefined): void {
  if (after !== undefined && after !== (newest ?? null)) throw new OutdatedBase(after)
}
