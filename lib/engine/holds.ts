/** What is known of a project's snapshots, by their ids. */
interface Known {
  newest: string
  /** When the newest was last looked up. */
  seenAt: number
  users: Map<string, number>
}

/**
 * Who uses which snapshot. The newest of a project stays, and one that it has replaced until its last user has gone.
 * `drop` is told whenever others may be there; it asks of each at the time whether it stays.
 */
export class SnapshotHolds {
  readonly #projects = new Map<string, Known>()
  readonly #drop: (projectId: string, stays: (snapshotId: string) => boolean) => void

  constructor(drop: (projectId: string, stays: (snapshotId: string) => boolean) => void) {
    this.#drop = drop
  }

  /**
   * Keeps a snapshot until what it returns is called, once. The newest is the one that was looked up last, whoever comes
   * first: a call may come late with one that has been replaced since it looked.
   */
  hold(projectId: string, snapshotId: string, seenAt: number): () => void {
    const known = this.#projects.get(projectId) ?? { newest: '', seenAt: -Infinity, users: new Map() }
    this.#projects.set(projectId, known)
    const stays = (id: string) => id === known.newest || known.users.has(id)
    known.users.set(snapshotId, (known.users.get(snapshotId) ?? 0) + 1)
    if (seenAt > known.seenAt) {
      const isOther = known.newest !== snapshotId
      known.newest = snapshotId
      known.seenAt = seenAt
      if (isOther) this.#drop(projectId, stays)
    }
    return () => {
      const left = (known.users.get(snapshotId) ?? 0) - 1
      if (left > 0) return void known.users.set(snapshotId, left)
      known.users.delete(snapshotId)
      if (!stays(snapshotId)) this.#drop(projectId, stays)
    }
  }
}
