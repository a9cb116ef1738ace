import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Limits } from '../call/limits.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { cancelled, EngineFailure, type PointOfView, type RelationStatistics } from '../engine/port.js'
import { LastingFailure } from '../errors.js'
import type { AnalyticsEvent } from '../events.js'
import { namingSpace } from '../files/no-space.js'
import { digestOfFile } from '../files/regular.js'
import { RecentMap } from '../flow/recent.js'
import { SingleFlight } from '../flow/single-flight.js'
import { TimeIsOver, waitForWork } from '../flow/waiting.js'
import { type Work, workOfNobody } from '../flow/work.js'
import type { Column } from '../model.js'
import type { SnapshotLease } from '../ports.js'
import { Built, type GivenView, type RelationCache } from './cache.js'
import { moveFile } from './home.js'
import type { BuildJob, BuildStep, Gift, View } from './jobs.js'
import { missingTables, type PlannedRelation, Planner } from './plan.js'
import type { Pool } from './pool.js'
import type { Isolation } from './settings.js'

/** Time limit of a build, 10 minutes. Callers wait for `buildTimeoutMs`, by default 60 s. */
const BUILD_ENDS_MS = 600_000
/** How many times as long statements run over the Parquet files of a table whose build has failed before the next. */
const LATER_AFTER_FAILURE = 4
/** The reach of processes that build relations for callers with row limits, and run no statement of a caller. */
const BUILDS_OF_REACHES = 'builds'
/** Builds tried per request: a cached file may be removed or damaged between planning and use. */
const MAX_ATTEMPTS = 4
/** Points of view of a snapshot, and row limits, whose plans are kept. */
const MOST_PLANNED = 512
/** Values of row limits that take as much memory as a plan without any. */
const VALUES_PER_PLAN = 50
/** Refused relations that are remembered, so that each is built once per snapshot and point of view. */
const MOST_REFUSED = 1_000

/** Builds the relations that statements read; concurrent callers share each build. */
export class Builder {
  readonly #catalogue: Catalogue
  readonly #pool: Pool
  readonly #cache: RelationCache
  readonly #limits: Limits
  readonly #isolation: Isolation
  readonly #onEvent: (event: AnalyticsEvent) => void
  /** Plans by point of view, since digests take a while, as long as the snapshot is in memory. */
  readonly #planners = new WeakMap<PointOfView['snapshot'], RecentMap<string, Planner>>()
  /** Running builds, by the path of each relation that they produce. */
  readonly #building = new SingleFlight<void>()
  /** The snapshot that each of them reads. */
  readonly #snapshots = new WeakMap<Promise<void>, string>()
  /** Relations whose SQL the engine refuses, by the path that each would have, which tells its content. */
  readonly #refused = new RecentMap<string, EngineFailure>(MOST_REFUSED)

  constructor(
    catalogue: Catalogue,
    pool: Pool,
    cache: RelationCache,
    limits: Limits,
    isolation: Isolation,
    onEvent: (event: AnalyticsEvent) => void,
  ) {
    this.#catalogue = catalogue
    this.#pool = pool
    this.#cache = cache
    this.#limits = limits
    this.#isolation = isolation
    this.#onEvent = onEvent
  }

  /**
   * The relations of these names for a point of view, and the relations of their snapshot that are built. Throws when
   * the snapshot lacks a table.
   */
  plan(point: PointOfView, names: readonly string[]): { built: Built; wanted: PlannedRelation[] } {
    const { projectId, snapshotId } = point.snapshot
    const planner = this.#plannerOf(point)
    const wanted = names.map(name => planner.plan(name))
    const missing = missingTables(point, wanted)
    if (missing !== null) {
      this.#onEvent({ type: 'dependency', port: 'snapshots', cause: missing })
      throw new EngineFailure('snapshot', 'The snapshot lacks a table.', { cause: missing })
    }
    return { built: new Built(this.#cache, projectId, snapshotId), wanted }
  }

  #plannerOf(point: PointOfView): Planner {
    const planners = this.#planners.get(point.snapshot) ?? new RecentMap(MOST_PLANNED, { weigh: weightOf })
    this.#planners.set(point.snapshot, planners)
    const key = JSON.stringify([point.entityId, point.ownershipView, point.rows?.digest])
    const known = planners.get(key)
    if (known) return known
    const planner = new Planner(this.#catalogue, point, this.#isOfReach(point) ? [BUILDS_OF_REACHES] : [])
    planners.set(key, planner)
    return planner
  }

  /**
   * Tells the jobs that run statements for a point of view from those of the organization that see other rows: none but
   * jobs of the same reach run in its processes. It is empty for callers who see all rows.
   */
  reachOf(point: PointOfView): string {
    return (this.#isOfReach(point) && point.rows?.digest) || ''
  }

  #isOfReach({ rows }: PointOfView): boolean {
    return rows !== undefined && this.#isolation === 'reach'
  }

  /** The relations of these names for a point of view, and their files; builds those that are missing. */
  async view(point: PointOfView, names: readonly string[], { signal, phases }: Work): Promise<GivenView> {
    const { built, wanted } = this.plan(point, names)
    const building = this.#ensure(point, built, wanted) // continues, and may fail, after the caller has left
    const patience = { signal, ms: this.#limits.buildTimeoutMs }
    await phases.of('build', waitForWork(patience, building)).catch(cause => {
      throw notBuilt(cause, signal)
    })
    return built.given(wanted)
  }

  /** Columns of each of these relations, which are built when missing. */
  async columns(point: PointOfView, names: readonly string[], work: Work): Promise<Column[][]> {
    await this.view(point, names, work)
    const { built, wanted } = this.plan(point, names)
    return wanted.map(relation => built.find(relation)?.columns ?? [])
  }

  /** What the values of these relations are, as far as they are built: a table that is not limited needs no build. */
  statistics(point: PointOfView, names: readonly string[]): (RelationStatistics | null)[] {
    const { built, wanted } = this.plan(point, names)
    const { tables } = point.snapshot.manifest
    return wanted.map(relation => {
      const stored = 'source' in relation.from ? tables.find(({ name }) => name === relation.name) : undefined
      const { columns = [], statistics } = stored?.statistics ? stored : (built.find(relation) ?? {})
      if (!statistics) return null
      const withOwn = (column: Column, at: number) => {
        const own = statistics.columns[at]
        return own ? { ...column, statistics: own } : column
      }
      return { rows: statistics.rows, columns: columns.map(withOwn) }
    })
  }

  /**
   * Removes a relation whose file could not be read, so that it is rebuilt; all of the view when `alias` is
   * empty.
   */
  async discard(view: View, alias: string): Promise<void> {
    const read = alias ? view.files.filter(file => file.alias === alias) : view.files
    for (const file of read)
      await this.#cache.discard(this.#cache.pathOf(view.folder, file.alias), file.files)
  }

  /**
   * Whether a failure of a job over relations may be one of their files, which it does not name or blame: then these are
   * removed, and the job can be tried again. The engine has many words for damaged rows of Parquet.
   */
  async isDamage(point: PointOfView, view: View, { kind, message }: EngineFailure): Promise<boolean> {
    if (kind === 'view') await this.discard(view, message)
    if (kind === 'view' || !PERHAPS_DAMAGE.has(kind)) return kind === 'view'
    const sealed = view.files.filter(({ form }) => form === 'sealed')
    const { built, wanted } = this.plan(
      point,
      sealed.map(({ relation }) => relation),
    )
    let isFound = false
    for (const [at, { from }] of wanted.entries())
      for (const [index, name] of (sealed[at]?.files ?? []).entries()) {
        const digest = await digestOfFile(this.#cache.fileIn(built.folder, name)).catch(() => null)
        if ('source' in from && digest === from.source[index]?.sha256) continue
        isFound = true
        await this.discard(view, sealed[at]?.alias ?? '')
      }
    return isFound
  }

  /**
   * Counts the time that a job has run over Parquet files of stored tables. Tables that are worth it are built when a
   * connection is free, and statements after that read the built ones.
   */
  count(point: PointOfView, { files }: View, tookMs: number): void {
    const names = files.flatMap(file => (file.form === 'built' ? [] : [file.relation]))
    if (names.length === 0) return
    const { built, wanted } = this.plan(point, names)
    const read = wanted.flatMap(relation => {
      const entry = built.find(relation)
      return entry?.form === 'sealed' ? [{ relation, entry }] : []
    })
    const bytes = read.reduce((sum, { entry }) => sum + entry.bytes, 0)
    for (const { relation, entry } of read) {
      entry.spentMs += (tookMs * entry.bytes) / bytes
      if (entry.spentMs < entry.builtAtMs) continue
      entry.builtAtMs = Infinity
      this.#buildBehind(point, built, relation).catch(() => {
        entry.builtAtMs = LATER_AFTER_FAILURE * entry.spentMs // an event has told the failure
      })
    }
  }

  async #ensure(point: PointOfView, built: Built, wanted: readonly PlannedRelation[]): Promise<void> {
    for (let started = 0; ; ) {
      const steps = built.missing(wanted)
      if (steps.length === 0) return
      for (const step of steps) {
        const refused = this.#refused.get(built.path(step))
        if (refused) throw refused
      }
      const others = steps.flatMap(step => this.#building.underWay(built.path(step)) ?? [])
      if (others.length > 0) {
        await Promise.all(others.map(build => build.catch(cause => this.#pass(point, build, cause))))
        continue
      }
      if (++started > MAX_ATTEMPTS)
        throw new Error('the cache of built relations loses them as fast as they are built')
      await this.#start(point, built, steps)
    }
  }

  /** Starts one build of several relations, each of which other callers may wait for. */
  async #start(point: PointOfView, built: Built, steps: readonly PlannedRelation[]): Promise<void> {
    const build = this.#build(point, built, steps)
    const joined = steps.map(step => this.#building.join(built.path(step), {}, () => build))
    for (const step of steps) {
      const underWay = this.#building.underWay(built.path(step))
      if (underWay) this.#snapshots.set(underWay, point.snapshot.snapshotId)
    }
    await Promise.all(joined)
  }

  /**
   * Throws the failure of a build of other callers, unless this one may do better: that build may be refused for a
   * relation that this one does not need, or its snapshot may be damaged where another one is not.
   */
  #pass({ snapshot }: PointOfView, build: Promise<void>, cause: unknown): void {
    const isOfOther = this.#snapshots.get(build) !== snapshot.snapshotId
    if (!isOfOther && !isRefused(cause)) throw cause
  }

  async #build(point: PointOfView, built: Built, steps: readonly PlannedRelation[]): Promise<void> {
    const lease = await leaseFor(point, steps)
    const folder = lease?.folder ?? ''
    const make = (some: readonly PlannedRelation[]) =>
      this.#make(point, built, { ...built.steps(some, folder), relations: some, folder })
    try {
      await this.#reporting(point, built, steps, async () => {
        const isMade = await make(steps).catch(async cause => {
          if (!(cause instanceof EngineFailure) || cause.kind !== 'memory') throw cause
          // Memory that a step leaves in the heap is lost to the next. That worker has ended; run each step
          // as a job.
          for (const step of steps) if (!(await make([step]))) return false
          return true
        })
        return isMade && steps.some(({ isReadable }) => !isReadable)
      })
    } finally {
      await lease?.release()
    }
  }

  /** Builds a relation that statements have read as it was sealed, while they go on to do so. */
  async #buildBehind(point: PointOfView, built: Built, relation: PlannedRelation): Promise<void> {
    const build = () => {
      const making = { ...built.rebuilding(relation), relations: [relation], folder: '', isBehind: true }
      return this.#reporting(point, built, [relation], () => this.#make(point, built, making))
    }
    const { view } = built.given([relation])
    await this.#building.join(built.path(relation), {}, build).catch(async cause => {
      // Its digest is no longer the one with which it was linked.
      if (cause instanceof EngineFailure && cause.kind === 'snapshot')
        await this.discard(view, relation.alias)
      throw cause
    })
  }

  /** Does the work of a build, which says whether it has built something, and tells the host how it has ended. */
  async #reporting(
    point: PointOfView,
    built: Built,
    steps: readonly PlannedRelation[],
    work: () => Promise<boolean>,
  ): Promise<void> {
    const { snapshotId } = point.snapshot
    const startedAt = Date.now()
    const report = (failed: { cause?: unknown }, relation = steps.at(-1)?.name ?? '') =>
      this.#onEvent({ type: 'build', relation, snapshotId, durationMs: Date.now() - startedAt, ...failed })
    try {
      const folder = dirname(this.#cache.pathOf(built.folder, ''))
      const hasBuilt = await namingSpace([folder], async () => {
        await mkdir(folder, { recursive: true })
        return work()
      })
      if (hasBuilt) report({})
    } catch (cause) {
      const found = refusedBy(steps, cause)
      if (!found) {
        const isClosed = cause instanceof EngineFailure && cause.kind === 'cancelled'
        if (!isClosed) report({ cause })
        throw cause
      }
      const { wrong, refused } = found
      this.#refused.set(built.path(wrong), refused)
      report({ cause: refused }, wrong.name)
      throw refused
    }
  }

  /** Makes relations in one job; false when a relation that they read was damaged and has been removed. */
  async #make(point: PointOfView, built: Built, making: Making): Promise<boolean> {
    const { relations, steps, folder, isBehind = false } = making
    const own = new Set(relations.map(relation => relation.alias))
    const ready = built.present(relations).filter(({ alias }) => !own.has(alias))
    const { view, gifts } = built.given(ready)
    const job: BuildJob = { kind: 'build', view, steps }
    const options = {
      organization: point.organization,
      reach: this.#isOfReach(point) ? BUILDS_OF_REACHES : '',
      gifts: [...gifts, ...making.gifts],
      projectId: point.snapshot.projectId,
      waitMs: isBehind ? BUILD_ENDS_MS : this.#limits.connectionWaitMs,
      timeoutMs: BUILD_ENDS_MS,
      isBehind,
      onRun: (tookMs: number) => this.count(point, view, tookMs),
      ...workOfNobody(), // a build continues after its first caller has left
    }
    try {
      await this.#pool.run<'build', void>(job, options, async (made, { isWanted, take }) => {
        if (!isWanted) return
        for (const [at, relation] of relations.entries()) {
          const file = steps[at]?.file
          const found = made[at] ?? { columns: [] }
          if (file?.form === 'built') {
            await moveFile(await take(file.files[0] as string), built.path(relation))
            await built.add(relation, found)
          } else await built.link(relation, folder, found.columns)
        }
      })
      return true
    } catch (cause) {
      if (!(cause instanceof EngineFailure) || !(await this.isDamage(point, view, cause))) throw cause
      return false // #ensure tries again
    }
  }
}

/** What a job makes of relations, and from what. */
interface Making {
  relations: readonly PlannedRelation[]
  steps: BuildStep[]
  gifts: readonly Gift[]
  /** The folder with the files of stored tables. */
  folder: string
  /** Whether no caller waits for the build. */
  isBehind?: boolean
}

/** Takes a lease on the files of the stored tables among these relations; null when there are none. */
export async function leaseFor(
  { snapshot }: PointOfView,
  relations: readonly PlannedRelation[],
): Promise<SnapshotLease | null> {
  const files = relations.flatMap(({ from }) => ('source' in from ? from.source.map(({ name }) => name) : []))
  return files.length > 0 ? snapshot.open(files) : null
}

/** Maps the failure of a build to a kind that does not blame the caller's statement. */
function notBuilt(cause: unknown, signal: AbortSignal): EngineFailure {
  if (cause instanceof TimeIsOver)
    return new EngineFailure('building', 'The relations are still being built.', { cause })
  if (signal.aborted) return cancelled()
  if (cause instanceof LastingFailure) throw cause
  if (cause instanceof EngineFailure && AS_IT_IS.has(cause.kind)) return cause
  return new EngineFailure('unbuilt', 'The relations of the query cannot be built.', { cause })
}

/** Kinds of failures with which a job may end that reads damaged rows. */
const PERHAPS_DAMAGE: ReadonlySet<string> = new Set(['fault', 'assertion', 'disk', 'relation'])
const AS_IT_IS: ReadonlySet<string> = new Set(['no-connection', 'cancelled', 'snapshot', 'relation'])

/** How much a plan counts among those that are kept: its SQL has all values of row limits. */
function weightOf({ rows }: Planner): number {
  const values = rows?.limits.reduce((sum, { values: { length } }) => sum + length, 0) ?? 0
  return 1 + values / VALUES_PER_PLAN
}

/** The relation whose SQL the engine has refused in a job, and the failure that says so; null for other failures. */
export function refusedBy(steps: readonly PlannedRelation[], cause: unknown) {
  const wrong = isRefused(cause) ? steps.find(({ alias }) => alias === cause.message) : undefined
  if (!wrong) return null
  const told = `The engine refuses the SQL of the relation "${wrong.name}" of the catalogue: ${(cause as EngineFailure).cause}`
  return { wrong, refused: new EngineFailure('relation', told, { cause }) }
}

/** Whether the engine refuses the SQL of a relation. */
function isRefused(cause: unknown): cause is EngineFailure {
  return cause instanceof EngineFailure && cause.kind === 'relation'
}
