import type { Store } from '../database/store.js'
import { findProject } from './projects.js'

/** What the store knows of the snapshots of a project. */
export interface KnownNewest {
  /** Null when the store knows none. */
  snapshotId: string | null
  /** Greater after every change that the store was told than after any earlier one; 0 when it knows none. */
  revision: number
}

/** Returns what the store knows of the snapshots of a project. */
export async function knownNewest(store: Store, projectId: string): Promise<KnownNewest> {
  const row = await store.db
    .selectFrom('newest_snapshots')
    .select(['snapshot_id', 'revision'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row ? { snapshotId: row.snapshot_id, revision: row.revision } : { snapshotId: null, revision: 0 }
}

/** Returns the id of the newest snapshot of a project that the store knows; null when it knows none. */
export async function newestSnapshot(store: Store, projectId: string): Promise<string | null> {
  return (await knownNewest(store, projectId)).snapshotId
}

/** Lists the first projects after an id, in the order of their ids, with the newest snapshot that the store knows. */
export async function newestSnapshots(
  store: Store,
  { after, limit }: { after: string; limit: number },
): Promise<{ projectId: string; snapshotId: string | null }[]> {
  const rows = await store.db
    .selectFrom('projects')
    .leftJoin('newest_snapshots', 'newest_snapshots.project_id', 'projects.id')
    .select(['projects.id', 'snapshot_id'])
    .where('projects.id', '>', after)
    .orderBy('projects.id')
    .limit(limit)
    .execute()
  return rows.map(row => ({ projectId: row.id, snapshotId: row.snapshot_id }))
}

/** Lists the first projects whose snapshots have changed after a revision, in the order of their changes. */
export async function changedSnapshots(
  store: Store,
  { after, limit }: { after: number; limit: number },
): Promise<{ projectId: string; revision: number }[]> {
  const rows = await store.db
    .selectFrom('newest_snapshots')
    .select(['project_id', 'revision'])
    .where('revision', '>', after)
    .orderBy('revision')
    .limit(limit)
    .execute()
  return rows.map(row => ({ projectId: row.project_id, revision: row.revision }))
}

/** The revision of the last change; 0 when there was none. */
export async function lastRevision({ db }: Store): Promise<number> {
  const row = await db
    .selectFrom('newest_snapshots')
    .select(({ fn }) => fn.max('revision').as('last'))
    .executeTakeFirst()
  return row?.last ?? 0
}

/** When the tables of a project were last sealed or found unchanged, epoch milliseconds; null when it has no snapshot. */
export async function checkedAt(store: Store, projectId: string): Promise<number | null> {
  const row = await store.db
    .selectFrom('newest_snapshots')
    .select('checked_at')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.checked_at ?? null
}

/** The projects whose tables were not checked for longest, each with the time of its last check, epoch milliseconds. */
export async function longestUnchecked(store: Store, limit: number): Promise<ReadonlyMap<string, number>> {
  const rows = await store.db
    .selectFrom('newest_snapshots')
    .select(['project_id', 'checked_at'])
    .orderBy('checked_at')
    .limit(limit)
    .execute()
  return new Map(rows.map(row => [row.project_id, row.checked_at]))
}

/** Records that the project has other snapshots behind the newest one, so that servers list them again. */
export async function noteOtherSnapshots(store: Store, projectId: string): Promise<void> {
  await store.transaction(async within => {
    const { snapshotId } = await knownNewest(within, projectId)
    const at = await checkedAt(within, projectId)
    if (snapshotId !== null && at !== null) await setNewestSnapshot(within, projectId, snapshotId, at)
  })
}

/**
 * Makes a snapshot the newest of its project, or makes the store know none.
 * Without such a project, does nothing. `checked` is when its tables were sealed or found unchanged, by default now.
 */
export async function setNewestSnapshot(
  store: Store,
  projectId: string,
  snapshotId: string | null,
  checked: number = store.clock.now(),
): Promise<void> {
  await store.transaction(async within => {
    if (snapshotId === null)
      await within.db.deleteFrom('newest_snapshots').where('project_id', '=', projectId).execute()
    if (snapshotId === null || !(await findProject(within, projectId))) return
    // Writers take turns: no other transaction takes the same one. Nor was it that of a project that is gone.
    const revision = Math.max((await lastRevision(within)) + 1, within.clock.now())
    const changed = { snapshot_id: snapshotId, revision, checked_at: checked }
    await within.db
      .insertInto('newest_snapshots')
      .values({ project_id: projectId, ...changed })
      .onConflict(conflict => conflict.column('project_id').doUpdateSet(changed))
      .execute()
  })
}

/**
 * Makes a snapshot the newest of its project, as {@link setNewestSnapshot} does, on behalf of the operator. Its tables count
 * as checked when they were sealed, or now when that is not known.
 */
export async function acceptSnapshot(
  store: Store,
  projectId: string,
  snapshotId: string | null,
  sealedAt: string | null = null,
): Promise<void> {
  await store.transaction(async within => {
    const before = await newestSnapshot(within, projectId)
    const checked = sealedAt === null ? within.clock.now() : Date.parse(sealedAt)
    await setNewestSnapshot(within, projectId, snapshotId, checked)
    await tellOfSnapshots(within, 'accepted', projectId, { snapshotId, before })
  })
}

/** Records that snapshots of a project were removed, so that servers list the others again. */
export async function recordPruned(
  store: Store,
  projectId: string,
  snapshotIds: readonly string[],
): Promise<void> {
  await store.transaction(async within => {
    await noteOtherSnapshots(within, projectId)
    const [newest] = snapshotIds
    await tellOfSnapshots(within, 'pruned', projectId, { count: snapshotIds.length, newest })
  })
}

async function tellOfSnapshots(
  within: Store,
  what: 'accepted' | 'pruned',
  projectId: string,
  data: object,
): Promise<void> {
  const project = await findProject(within, projectId)
  if (!project) return
  await within.tell({
    type: `snapshot.${what}`,
    subject: projectId,
    at: within.clock.now(),
    concerns: { organization: project.organization },
    data: { projectId, ...data },
  })
}

/** A snapshot that is published; `sealedAt` is null when its manifest cannot be read. */
export interface Published {
  projectId: string
  snapshotId: string
  /** RFC 3339. */
  sealedAt: string | null
}

/**
 * Records a snapshot that was just sealed as the newest of its project, and tells of it, unless the store
 * knows a newer one that another process has recorded meanwhile. `before` is the newest snapshot that the
 * store knew when the sealing began: if its number is greater all the same, it is missing, and no longer the
 * newest. When the project was removed in the meantime, records that its files are to be removed. Of a snapshot that it
 * knows as the newest already, since nothing has changed, it records that its tables were checked now.
 *
 * A server also records what it finds in the shared folder: the command that sealed it was killed before it recorded it,
 * or is about to do so.
 */
export async function recordSealed(
  store: Store,
  sealed: Published,
  before: string | null = null,
): Promise<void> {
  await store.transaction(async within => {
    if (!(await findProject(within, sealed.projectId))) {
      const removed = { project_id: sealed.projectId, removed_at: within.clock.now() }
      await within.db
        .insertInto('removed_projects')
        .values(removed)
        .onConflict(conflict => conflict.doNothing())
        .execute()
      return
    }
    const known = await newestSnapshot(within, sealed.projectId)
    if (known === sealed.snapshotId) return setChecked(within, sealed.projectId)
    if (known !== null && known !== before && known > sealed.snapshotId)
      return noteOtherSnapshots(within, sealed.projectId)
    const sealedAt = sealed.sealedAt === null ? within.clock.now() : Date.parse(sealed.sealedAt)
    await setNewestSnapshot(within, sealed.projectId, sealed.snapshotId, sealedAt)
    await tellSealed(within, sealed)
  })
}

async function setChecked(within: Store, projectId: string): Promise<void> {
  await within.db
    .updateTable('newest_snapshots')
    .set({ checked_at: within.clock.now() })
    .where('project_id', '=', projectId)
    .execute()
}

async function tellSealed(within: Store, { projectId, snapshotId, sealedAt }: Published): Promise<void> {
  const project = await findProject(within, projectId)
  if (!project) return
  const { organization } = project
  const data = { projectId, organization, snapshotId, sealedAt }
  const told = { subject: snapshotId, at: within.clock.now(), concerns: { organization }, data }
  await within.tell({ type: 'snapshot.sealed', ...told })
}

/** Whether the ids of a project, newest first, have this snapshot or one of a greater number. */
export function hasNewest([newest, ...older]: readonly string[], known: string | null): boolean {
  if (known === null) return true
  if (newest === undefined) return false
  return newest === known || older.includes(known) || Number.parseInt(newest, 10) > Number.parseInt(known, 10)
}
