import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { namingSpace, withoutHolders } from 'foldgate/internal'
import { type SnapshotManifest, type SnapshotStore, verifySnapshot } from 'foldgate/sealing'
import {
  addOrganization,
  addProject,
  type DataFolder,
  findProject,
  inspectSnapshots,
  listOrganizations,
  type Project,
  quoted,
  Refusal,
  refuseHalfRemoved,
  requireProject,
  type Store,
  setNewestSnapshot,
} from 'foldgate-server/parts'
import { copyFiles } from './copy-files.js'
import { type ExportedProject, readExported, snapshotsOf } from './exported.js'

/**
 * Adds an exported project with its ids, assessments and snapshots, and its organization if that is missing,
 * while servers run. Throws a Refusal before anything is written when a file is missing or has changed, and
 * when the project or one of its assessments already exists.
 *
 * Callers see the project when the last step, one transaction, has registered it. If the process
 * is killed before, snapshots that are complete stay where no caller finds them, and the next
 * import of the project uses them.
 */
export async function importProject(
  store: Store,
  data: DataFolder,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<Project> {
  const { snapshots } = data.shared
  const given = await readExported(folder, signal)
  const places = given.snapshots.map(({ snapshotId }) =>
    join(snapshotsOf(folder), given.project.id, snapshotId),
  )
  await refuseUnreadable(data, places, signal)
  return store.withImportLock(async () => {
    await refuseKnown(store, given)
    const missing = await missingSnapshots(snapshots, given, signal)
    for (const manifest of missing) {
      const place = join(snapshotsOf(folder), given.project.id, manifest.snapshotId)
      const draft = await snapshots.draft()
      try {
        await namingSpace([dirname(draft)], () => copyFiles(place, draft, manifest, { signal, flush: false }))
        await snapshots.publish(draft, manifest)
      } catch (cause) {
        await rm(draft, { recursive: true, force: true })
        throw cause
      }
    }
    signal.throwIfAborted()
    return store.transaction(within => register(within, given))
  })
}

/** Throws a Refusal when one of these snapshots has a Parquet file that the engine may not read. */
async function refuseUnreadable(
  data: DataFolder,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const { folder, problems } of await inspectSnapshots(data, folders, signal))
    if (problems.length > 0)
      throw new Refusal(
        `The snapshot ${basename(folder)} cannot be imported, and nothing was: ${problems.join('; ')}. Seal it again ` +
          'where it comes from, and export the project again',
      )
}

/**
 * Lists the snapshots that are not in the data folder yet, oldest first. Throws a Refusal when it has others.
 */
async function missingSnapshots(
  snapshots: SnapshotStore,
  given: ExportedProject,
  signal: AbortSignal,
): Promise<SnapshotManifest[]> {
  const { id } = given.project
  const there = new Set(await snapshots.list(id, signal))
  const known = (await snapshots.manifests(id)).map(withoutHolders)
  const missing = given.snapshots.filter(({ snapshotId }) => !there.has(snapshotId))
  const same = given.snapshots.filter(manifest => known.some(each => isDeepStrictEqual(each, manifest)))
  const isSound = same.length === there.size && (await areSound(snapshots, same, signal))
  if (isSound) return missing
  throw new Refusal(
    `The data folder has other snapshots of the project ${id}, which is not registered: move its folder ` +
      `${quoted(join('snapshots', id))} away, and import again`,
  )
}

async function areSound(
  snapshots: SnapshotStore,
  manifests: readonly SnapshotManifest[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const manifest of manifests) {
    signal.throwIfAborted()
    const lease = await snapshots.open(manifest.projectId, manifest.snapshotId, signal)
    if (!lease) return false
    const problems = await verifySnapshot(lease.folder, undefined, signal).finally(lease.release)
    if (problems.length > 0) return false
  }
  return true
}

async function register(within: Store, given: ExportedProject): Promise<Project> {
  // Once more: another command may have added it meanwhile.
  await refuseKnown(within, given)
  const { organization, project, assessments } = given
  if ((await listOrganizations(within, [organization.key])).length === 0)
    await addOrganization(within, organization)
  await addProject(within, { ...project, organization: organization.key })
  for (const { id, state, startedAt, endedAt } of assessments) {
    await within.db
      .insertInto('assessments')
      .values({ id, project_id: project.id, state, started_at: startedAt, ended_at: endedAt })
      .execute()
  }
  const newest = given.snapshots.at(-1)
  if (newest) await setNewestSnapshot(within, project.id, newest.snapshotId)
  return requireProject(within, project.id)
}

async function refuseKnown(
  store: Store,
  { organization, project, assessments }: ExportedProject,
): Promise<void> {
  const known = await findProject(store, project.id)
  if (known && known.organization !== organization.key)
    throw new Refusal(
      `The project ${project.id} belongs to the organization ${quoted(known.organization)} here, but to ` +
        `${quoted(organization.key)} in the export: import it into another installation`,
    )
  if (known)
    throw new Refusal(`The project ${project.id} already exists: an import does not change a project`)
  await refuseHalfRemoved(store, project.id)
  const ids = assessments.map(({ id }) => id)
  if (ids.length === 0) return // PostgreSQL does not accept an empty list
  const taken = await store.db
    .selectFrom('assessments')
    .select(['id', 'project_id'])
    .where('id', 'in', ids)
    .execute()
  if (taken[0])
    throw new Refusal(
      `The assessment ${taken[0].id} belongs to the project ${taken[0].project_id} here: import the project into ` +
        'another installation',
    )
}
