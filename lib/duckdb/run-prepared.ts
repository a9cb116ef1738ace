import { EngineFailure, type PointOfView, type TimedWork, type Work } from '../engine/port.js'
import type { Builder } from './builder.js'
import type { GivenView } from './built.js'
import type { Gift } from './gifts.js'
import type { Job, JobOf, Made, View } from './jobs.js'
import type { Finish } from './pool.js'
import { reachOf } from './reach.js'
import type { Rooms } from './rooms.js'

const MAX_ATTEMPTS = 3

/** A job, and what it needs. */
export interface PreparedJob<Kind extends Job['kind']> extends GivenView {
  job: JobOf<Kind>
  /** Ends what holds files for it. */
  release?(): Promise<void>
}

/** Prepares a job, again for each attempt. */
export type Prepare<Kind extends Job['kind']> = (builder: Builder) => Promise<PreparedJob<Kind>>

/** What a job is for, and whom its faults are told. */
export interface RunContext {
  point: PointOfView
  work: TimedWork
  /** How long it may wait for a connection. */
  waitMs: number
  /** Takes causes that callers do not see. */
  onFault(cause: unknown): void
}

/** Runs a job over relations, and prepares it anew when a file of theirs is gone or damaged. */
export async function runPrepared<Kind extends Job['kind'], Value>(
  { builder, pool }: Pick<Rooms, 'builder' | 'pool'>,
  { point, work, waitMs, onFault }: RunContext,
  prepare: Prepare<Kind>,
  finish: Finish<Made<Kind>, Value>,
): Promise<Value> {
  const { timeoutMs, signal, phases } = work
  const { projectId } = point.snapshot
  const options = { reach: reachOf(point), projectId, waitMs, timeoutMs, signal, phases }
  for (let attempt = 1; ; attempt++) {
    const { view, gifts, job, release } = await prepare(builder)
    try {
      return await pool.run(job, { ...options, gifts }, finish)
    } catch (cause) {
      if (!(cause instanceof EngineFailure)) throw cause
      const { kind } = cause
      if (kind === 'disk' || kind === 'view' || kind === 'assertion') onFault(cause.cause ?? cause)
      if (kind !== 'view' || attempt === MAX_ATTEMPTS) throw cause
      await builder.discard(view, cause.message)
    } finally {
      await release?.()
    }
  }
}

/** Prepares a job over the relations of a statement, which are built when missing. */
export function overBuilt<Kind extends Job['kind']>(
  point: PointOfView,
  relations: readonly string[],
  work: Work,
  job: (view: View) => JobOf<Kind>,
  more: readonly Gift[] = [],
): Prepare<Kind> {
  return async builder => {
    const { view, gifts } = await builder.view(point, relations, work)
    return { view, gifts: [...gifts, ...more], job: job(view) }
  }
}
