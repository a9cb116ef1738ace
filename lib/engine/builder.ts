import type { Catalogue } from '../catalogue/catalogue.js'
import { AnalyticsError } from '../errors.js'
import type { Column } from '../model.js'
import type { AnalyticsEvent, Limits } from '../options.js'
import { type Work, workOfNobody } from '../work.js'
import type { CachedRelation, RelationCache } from './cache.js'
import { EngineFailure } from './failure.js'
import { SnapshotHolds } from './holds.js'
import type { BuildJob, BuiltRelation, RelationFile, View } from './jobs.js'
import { closure, type PlannedRelation, Planner, type PointOfView } from './plan.js'
import type { Pool } from './pool.js'

/** A build may take ten minutes; those who wait for it give up earlier. */
const BUILD_ENDS_MS = 600_000
/** A cached file can vanish or turn out damaged between its plan and its use. */
const MAX_ATTEMPTS = 4

/** Sees to it that the relations of a query are built, each once for all who wait for it. */
export class Builder {
  readonly #catalogue: Catalogue
  readonly #pool: Pool
  readonly #cache: RelationCache
  readonly #limits: Limits
  readonly #onEvent: (event: AnalyticsEvent) => void
  /** Builds under way, by the path of each relation that they make. */
  readonly #building = new Map<string, Promise<void>>()
  readonly #holds: SnapshotHolds

  constructor(
    catalogue: Catalogue,
    pool: Pool,
    cache: RelationCache,
    limits: Limits,
    onEvent: (event: AnalyticsEvent) => void,
  ) {
    this.#catalogue = catalogue
    this.#pool = pool
    this.#cache = cache
    this.#limits = limits
    this.#onEvent = onEvent
    this.#holds = new SnapshotHolds((projectId, stays) => {
      cache.dropOthers(projectId, stays).catch(cause => onEvent({ type: 'dependency', port: 'cache', cause }))
    })
  }

  /** Keeps what is built of a snapshot until what it returns is called, once, also when there is a newer one. */
  hold({ snapshot: { projectId, snapshotId }, seenAt }: PointOfView): () => void {
    return this.#holds.hold(projectId, snapshotId, seenAt)
  }

  /** The files of these relations for a point of view, built when they are not there; who reads them holds the snapshot. */
  async view(point: PointOfView, names: readonly string[], { signal, phases }: Work): Promise<View> {
    const { projectId, snapshotId } = point.snapshot
    const folder = await this.#cache.folderOf(projectId, snapshotId)
    const planner = new Planner(this.#catalogue, point)
    const wanted = names.map(name => planner.plan(name))
    const release = this.hold(point) // a build goes on behind a caller who has gone
    const building = this.#ensure(point, folder, wanted).finally(release)
    await phases.of('build', this.#withinTime(building, signal))
    return { folder, files: wanted.map(relation => this.#file(folder, relation)) }
  }

  /** Columns of a relation, built when it is not there. */
  async columns(point: PointOfView, name: string, work: Work): Promise<Column[]> {
    const release = this.hold(point)
    try {
      const view = await this.view(point, [name], work)
      return this.#cache.find((view.files[0] as RelationFile).path)?.columns ?? []
    } finally {
      release()
    }
  }

  /** Forget a relation whose file could not be opened, so that it is built again. */
  async discard(view: View, alias: string): Promise<void> {
    const file = view.files.find(candidate => candidate.alias === alias)
    await this.#cache.remove(file?.path ?? this.#cache.pathOf(view.folder, alias))
  }

  async #ensure(point: PointOfView, folder: string, wanted: readonly PlannedRelation[]): Promise<void> {
    for (let started = 0; ; ) {
      const missing = wanted.filter(relation => !this.#find(folder, relation))
      if (missing.length === 0) return
      const steps = [...closure(missing).values()].filter(relation => !this.#find(folder, relation))
      const others = steps.map(step => this.#building.get(this.#file(folder, step).path)).filter(build => !!build)
      if (others.length > 0) {
        await Promise.all(others)
        continue
      }
      if (++started > MAX_ATTEMPTS) throw new Error('the cache of built relations loses them as fast as they are built')
      await this.#start(point, folder, steps)
    }
  }

  #start(point: PointOfView, folder: string, steps: readonly PlannedRelation[]): Promise<void> {
    const paths = steps.map(step => this.#file(folder, step).path)
    const build = this.#build(point, folder, steps).finally(() => {
      for (const path of paths) this.#building.delete(path)
    })
    for (const path of paths) this.#building.set(path, build)
    return build
  }

  async #build(point: PointOfView, folder: string, steps: readonly PlannedRelation[]): Promise<void> {
    const { snapshotId } = point.snapshot
    const startedAt = Date.now()
    const lease = await point.snapshot.open()
    const relation = steps.at(-1)?.name ?? ''
    const report = (cause?: unknown) =>
      this.#onEvent({
        type: 'build',
        relation,
        snapshotId,
        durationMs: Date.now() - startedAt,
        ...(cause ? { cause } : {}),
      })
    try {
      await this.#make(point, folder, lease.folder, steps).catch(async cause => {
        if (!(cause instanceof EngineFailure) || cause.kind !== 'memory') throw cause
        // What a step leaves in the heap is missing to the next one. That process has gone; now each is a job of its own.
        for (const step of steps) if (!(await this.#make(point, folder, lease.folder, [step]))) return
      })
      report()
    } catch (cause) {
      report(cause)
      throw cause
    } finally {
      await lease.release()
    }
  }

  /** Makes relations in one job; false when one that they read turned out damaged and is to be made again. */
  async #make(point: PointOfView, folder: string, source: string, steps: readonly PlannedRelation[]): Promise<boolean> {
    const made = new Set(steps.map(step => step.alias))
    const ready = [...closure(steps).values()].filter(
      relation => !made.has(relation.alias) && this.#find(folder, relation),
    )
    const view: View = { folder, files: ready.map(relation => this.#file(folder, relation)) }
    const job: BuildJob = {
      kind: 'build',
      view,
      steps: steps.map(step => {
        const table = step.source(source)
        return { file: this.#file(folder, step), sql: step.sql(source), ...(table ? { source: table } : {}) }
      }),
    }
    const options = {
      organization: point.organization,
      projectId: point.snapshot.projectId,
      purpose: 'build' as const,
      waitMs: this.#limits.connectionWaitMs,
      timeoutMs: BUILD_ENDS_MS,
      ...workOfNobody(), // a build goes on when its first caller leaves
    }
    try {
      const built = await this.#pool.run<BuiltRelation[], BuiltRelation[]>(job, options, outcome => outcome)
      for (const { alias, bytes, columns } of built)
        await this.#cache.add(this.#cache.pathOf(folder, alias), bytes, columns)
      return true
    } catch (cause) {
      if (!(cause instanceof EngineFailure) || cause.kind !== 'view') throw cause
      await this.discard(view, cause.message) // #ensure tries again
      return false
    }
  }

  #withinTime(building: Promise<void>, signal: AbortSignal): Promise<void> {
    building.catch(() => {}) // it goes on, and may fail, behind a caller who has gone
    return new Promise((resolve, reject) => {
      const leave = () => reject(new EngineFailure('cancelled', 'The caller has left.'))
      const timer = setTimeout(() => {
        reject(new AnalyticsError('UNAVAILABLE', 'The relations are still being built. Try again in a moment.'))
      }, this.#limits.buildTimeoutMs)
      signal.addEventListener('abort', leave, { once: true })
      building
        .then(resolve, cause => reject(unavailable(cause)))
        .finally(() => {
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
        })
    })
  }

  #file(folder: string, relation: PlannedRelation): RelationFile {
    return { relation: relation.name, alias: relation.alias, path: this.#cache.pathOf(folder, relation.alias) }
  }

  #find(folder: string, relation: PlannedRelation): CachedRelation | undefined {
    return this.#cache.find(this.#file(folder, relation).path)
  }
}

/** Whatever keeps a relation from being built is no fault of the caller's. */
function unavailable(cause: unknown): AnalyticsError {
  const busy = cause instanceof EngineFailure && cause.kind === 'no-connection'
  const message = busy
    ? 'No connection was free in time. Try again later.'
    : 'The relations of the query cannot be built now. Try again later.'
  return new AnalyticsError('UNAVAILABLE', message, { cause })
}
