/** Nobody comes later than this with a snapshot that was looked up before a newer one was seen. */
const LATE_MS = 600_000

/** What is known of a project's snapshots, by their ids. */
interface Known {
  newest: string
  /** When each was replaced as the newest: who had looked it up before may still come with it. */
  replacedAt: Map<string, number>
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

  /** Keeps a snapshot until what it returns is called, once. The first that comes with a new id makes it the newest. */
  hold(projectId: string, snapshotId: string): () => void {
    const known = this.#projects.get(projectId) ?? { newest: '', replacedAt: new Map(), users: new Map() }
    this.#projects.set(projectId, known)
    const stays = (id: string) => id === known.newest || known.users.has(id)
    const isNewest = !stays(snapshotId) && isNew(known, snapshotId)
    known.users.set(snapshotId, (known.users.get(snapshotId) ?? 0) + 1)
    if (isNewest) {
      known.replacedAt.set(known.newest, performance.now())
      known.newest = snapshotId
      this.#drop(projectId, stays)
    }
    return () => {
      const left = (known.users.get(snapshotId) ?? 0) - 1
      if (left > 0) return void known.users.set(snapshotId, left)
      known.users.delete(snapshotId)
      if (!stays(snapshotId)) this.#drop(projectId, stays)
    }
  }
}

/** Whether it was not the newest before, or so long ago that only a host who has gone back to it asks for it. */
function isNew({ replacedAt }: Known, snapshotId: string): boolean {
  const now = performance.now()
  for (const [id, at] of replacedAt) if (now - at > LATE_MS) replacedAt.delete(id)
  return !replacedAt.has(snapshotId)
}
