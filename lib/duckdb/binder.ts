import type { PointOfView, Statement } from '../engine/port.js'
import type { ReadRelation } from '../model.js'
import { type Builder, leaseFor } from './builder.js'
import type { GivenView } from './built.js'
import type { BindJob } from './jobs.js'
import type { PlannedRelation } from './plan.js'

/** A job that binds a statement, and what it needs. */
export interface Binding extends GivenView {
  job: BindJob
  /** The relations that the statement reads. */
  relations: ReadRelation[]
  /** Relations that the job makes without rows, since they are not built. */
  unbuilt: readonly PlannedRelation[]
  /** Ends the lease on the snapshot, whose files the job may read. */
  release(): Promise<void>
}

/** Plans a job that binds a statement without running it: relations that are not built are made without rows. */
export async function planBinding(
  builder: Builder,
  point: PointOfView,
  statement: Statement,
): Promise<Binding> {
  const { built, wanted } = builder.plan(point, statement.relations)
  const unbuilt = built.missing(wanted)
  const isBuilt = unbuilt.length === 0
  const { view, gifts } = built.given(isBuilt ? wanted : built.present([...wanted, ...unbuilt]))
  const lease = await leaseFor(point, unbuilt)
  const made = built.steps(unbuilt, lease?.folder ?? '')
  const reads = wanted.map(({ alias }) => alias)
  return {
    view,
    gifts: [...gifts, ...made.gifts],
    job: { kind: 'bind', view, unbuilt: made.steps, reads, statement },
    relations: wanted.map(relation => ({ name: relation.name, built: !unbuilt.includes(relation) })),
    unbuilt,
    release: async () => lease?.release(),
  }
}
