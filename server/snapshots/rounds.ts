import type { SnapshotStore } from 'foldgate/sealing'
import type { Store } from '../database/store.js'
import { newestSnapshots } from '../store/newest-snapshots.js'

/** Projects that a look visits. */
const PROJECTS_PER_LOOK = 1_000

/** A project, with the newest snapshot that the store knows (null for none) and the ids of those that are there. */
export interface Visited {
  projectId: string
  known: string | null
  /** Newest first. */
  ids: readonly string[]
}

/** Visits all projects in turns, some per look: a look costs the same however many there are. */
export class Rounds {
  readonly #store: Store
  readonly #snapshots: SnapshotStore
  readonly #most: number
  #after = ''

  constructor(store: Store, snapshots: SnapshotStore, most = PROJECTS_PER_LOOK) {
    this.#store = store
    this.#snapshots = snapshots
    this.#most = most
  }

  /** Visits the next projects; again those of a look that was not finished. */
  async *look(signal: AbortSignal): AsyncGenerator<Visited, void> {
    const projects = await newestSnapshots(this.#store, { after: this.#after, limit: this.#most })
    const last = projects.length < this.#most ? null : (projects.at(-1)?.projectId ?? null)
    const all = await this.#snapshots.listBetween(this.#after, last, signal)
    for (const { projectId, snapshotId: known } of projects) {
      signal.throwIfAborted()
      yield { projectId, known, ids: all.get(projectId) ?? [] }
    }
    this.#after = last ?? ''
  }
}
