import type { BoundStatement, PointOfView, TimedWork } from '../engine/port.js'
import { type BoundResult, EngineFailure } from '../engine/port.js'
import type { Column } from '../model.js'
import { type Builder, refusedBy } from './builder.js'
import type { Gift } from './gifts.js'
import { type BindJob, statementOf } from './jobs.js'
import type { Pool } from './pool.js'
import { reachOf } from './reach.js'

/** Files that are found damaged are made anew without rows: more often than this, something else is wrong. */
const MAX_ATTEMPTS = 3

/** Binds statements without running them, over relations without rows where they are not built. */
export class Binder {
  readonly #builder: Builder
  readonly #pool: Pool
  readonly #waitMs: number

  constructor(builder: Builder, pool: Pool, waitMs: number) {
    this.#builder = builder
    this.#pool = pool
    this.#waitMs = waitMs
  }

  /** The columns of a statement, and which of its relations are built. */
  async bind(point: PointOfView, statement: BoundStatement, work: TimedWork): Promise<BoundResult> {
    for (let attempt = 1; ; attempt++) {
      const { built, wanted } = this.#builder.plan(point, statement.relations)
      const unbuilt = built.missing(wanted)
      const relations = wanted.map(relation => ({ name: relation.name, built: !unbuilt.includes(relation) }))
      const { view, gifts } = built.given(
        unbuilt.length > 0 ? built.present([...wanted, ...unbuilt]) : wanted,
      )
      const lease = unbuilt.length > 0 ? await point.snapshot.open() : null
      try {
        const made = built.steps(unbuilt, lease?.folder ?? '')
        const reads = wanted.map(({ alias }) => alias)
        const job: BindJob = {
          kind: 'bind',
          view,
          unbuilt: made.steps,
          reads,
          statement: statementOf(statement),
        }
        const columns = await this.#run(point, job, [...gifts, ...made.gifts], work)
        return { columns, relations }
      } catch (cause) {
        if (!(cause instanceof EngineFailure)) throw cause
        if (cause.kind === 'relation') throw refusedBy(unbuilt, cause)?.refused ?? cause
        if (cause.kind !== 'view' || attempt === MAX_ATTEMPTS) throw cause
        await this.#builder.discard(view, cause.message)
      } finally {
        await lease?.release()
      }
    }
  }

  #run(point: PointOfView, job: BindJob, gifts: readonly Gift[], work: TimedWork): Promise<Column[]> {
    const { projectId } = point.snapshot
    const options = { reach: reachOf(point), projectId, gifts, waitMs: this.#waitMs, ...work }
    return this.#pool.run<Column[], Column[]>(job, options, columns => columns)
  }
}
