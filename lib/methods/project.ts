import { mayRead } from '../call/caller.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { RunningEngine } from '../engine/engines.js'
import type { EngineFailure, FailureKind } from '../engine/port.js'
import { AnalyticsError } from '../errors.js'
import type { ProjectRecord } from '../ports.js'
import type { Snapshot } from '../snapshots/manifest.js'
import { PINNED_UNREADABLE } from '../snapshots/reader.js'
import type { CallContext } from './method.js'

/**
 * Returns a project that the key can read. Throws FORBIDDEN for any other id, so that ids cannot be probed.
 */
export async function readableProject(context: CallContext, projectId: string): Promise<ProjectRecord> {
  const project = await context.ports.projects.find(projectId, context.signal)
  if (project && mayRead(context.caller, project)) {
    context.reads({ organization: project.organization })
    return project
  }
  throw new AnalyticsError('FORBIDDEN', 'The key can read no project with this id.', {
    data: { path: 'projectId' },
  })
}

/** The engine of a project. Throws UNAVAILABLE where the caller has row limits and the engine keeps to none. */
export function engineOf({ caller, engines, onEvent }: CallContext, project: ProjectRecord): RunningEngine {
  const chosen = engines.of(project)
  if (caller.only?.rows === undefined || chosen.engine.limitsRows) return chosen
  const cause = new Error(
    `the caller has row limits, to which the engine of the project ${project.projectId}, ${chosen.engine.version}, does not keep`,
  )
  onEvent({ type: 'dependency', port: 'engine', cause })
  throw new AnalyticsError('UNAVAILABLE', 'The service cannot read the project now. Try again later.', {
    cause,
  })
}

/**
 * Returns the latest sealed snapshot of a computed project, or the one that the call has pinned. If no snapshot can
 * be read, throws NOT_READY with what to do; if the pinned one cannot, INVALID_PARAMS.
 */
export async function readySnapshot(
  context: CallContext,
  project: ProjectRecord,
  pinned: string | null = null,
): Promise<Snapshot> {
  const { newer, signal, snapshots, words } = context
  if (project.completed && pinned !== null) {
    const snapshot = await snapshots.find(project.projectId, pinned, signal)
    // It is no news: the latest one may be newer, and calls may have read that already.
    if (snapshot) {
      context.reads({ snapshotId: snapshot.snapshotId })
      return snapshot
    }
  }
  const snapshot = project.completed ? await snapshots.latest(project.projectId, signal) : null
  if (snapshot) {
    if (pinned !== null) throw notKept()
    newer.see(project, snapshot)
    context.reads({ snapshotId: snapshot.snapshotId })
    return snapshot
  }
  if (project.running) throw notReady(words.running, true)
  throw notReady(project.completed ? words.unreadable : words.never, false)
}

function notReady(message: string, retry: boolean): AnalyticsError {
  return new AnalyticsError('NOT_READY', message, { data: { retry } })
}

/** Converts a failure of the engine where it means something else than for the latest snapshot; null elsewhere. */
export type PinnedFailure = (failure: EngineFailure) => Promise<AnalyticsError | null>

/** Failures that occur when the snapshot was removed after the call had found it. */
const MAY_BE_GONE: ReadonlySet<FailureKind> = new Set(['unbuilt', 'snapshot', 'view', 'disk', 'relation'])

/**
 * The failure of a call whose snapshot does not exist. It is the same for all ids, so that callers cannot probe for
 * ids.
 */
function notKept(): AnalyticsError {
  return ofSnapshot(
    'The project keeps no snapshot with this id that can be read. Leave the field out for the latest one; ' +
      'projects/describe with "include": ["snapshots"] lists all.',
  )
}

/**
 * Throws INVALID_PARAMS when a pinned snapshot lacks tables that these relations are made of. For the latest one,
 * the host has to seal again; an older one stays as it is.
 */
export function checkTables(
  catalogue: Catalogue,
  { manifest }: Snapshot,
  relations: readonly string[],
): void {
  const stored = new Set(manifest.tables.map(({ name }) => name))
  if (![...tablesOf(catalogue, relations)].every(table => stored.has(table)))
    throw ofSnapshot(
      'The snapshot has not all tables that are read: it was sealed before the catalogue had them. Read other ' +
        'relations, or a newer snapshot.',
    )
}

/** What the failures of jobs over a pinned snapshot mean. */
export function pinnedFailure({ snapshots, signal }: CallContext, snapshot: Snapshot): PinnedFailure {
  return async failure => {
    if (!MAY_BE_GONE.has(failure.kind)) return null
    const standing = await snapshots.standing(snapshot, signal).catch(() => null)
    if (standing === 'gone') return notKept()
    if (failure.kind === 'snapshot')
      return new AnalyticsError('UNAVAILABLE', PINNED_UNREADABLE, { cause: failure })
    // The folds of the catalogue are checked against its tables, which an older snapshot need not have.
    if (failure.kind === 'relation' && standing === 'older')
      return ofSnapshot(
        'A relation that is read cannot be made of this snapshot: the catalogue was another when it was sealed. Read ' +
          'other relations, or a newer snapshot.',
        failure,
      )
    return null
  }
}

/** The tables of which relations are made, without those that snapshots may lack. */
function tablesOf({ relations, hierarchy }: Catalogue, names: readonly string[]): Set<string> {
  const tables = new Set<string>()
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const relation = relations.get(name)
    if (relation?.kind === 'fold') relation.reads.forEach(visit)
    else if (relation && !relation.optional) tables.add(name)
    else if (!relation && hierarchy) visit(hierarchy.table) // the point of view, which is made of it
  }
  names.forEach(visit)
  return tables
}

function ofSnapshot(message: string, cause?: unknown): AnalyticsError {
  return new AnalyticsError('INVALID_PARAMS', message, { data: { path: 'snapshot' }, cause })
}
