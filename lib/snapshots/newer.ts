import type { AnalyticsEvent } from '../events.js'
import { RecentMap } from '../flow/recent.js'
import type { ProjectRecord } from '../ports.js'
import type { Snapshot } from './manifest.js'

/** Projects whose last snapshot is remembered. */
const REMEMBERED = 10_000

/** Reports when calls begin to read a newer snapshot of a project. The first snapshot that is read is not reported. */
export class NewerSnapshots {
  readonly #onEvent: (event: AnalyticsEvent) => void
  readonly #last = new RecentMap<string, string>(REMEMBERED)

  constructor(onEvent: (event: AnalyticsEvent) => void) {
    this.#onEvent = onEvent
  }

  /** Takes the snapshot that a call is about to read. */
  see({ projectId, organization }: ProjectRecord, { snapshotId, manifest }: Snapshot): void {
    const last = this.#last.get(projectId)
    // A port that reads from replicas can return to an older snapshot for a while; ids sort by age.
    if (last !== undefined && snapshotId <= last) return
    this.#last.set(projectId, snapshotId)
    if (last === undefined) return
    this.#onEvent({ type: 'snapshot', projectId, organization, snapshotId, sealedAt: manifest.sealedAt })
  }
}
