import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isSameSnapshot, makeOwnFolder, namingSpace, removeTree } from 'foldgate/internal'
import { type SnapshotManifest, type SnapshotStore, tableFiles } from 'foldgate/sealing'
import {
  addOrganization,
  addProject,
  type DataFolder,
  findProject,
  inspectFiles,
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
  const placeOf = ({ snapshotId }: SnapshotManifest) =>
    join(snapshotsOf(folder), given.project.id, snapshotId)
  await refuseUnreadable(data, given, placeOf, signal)
  return store.withImportLock(async () => {
    await refuseKnown(store, given)
    const missing = await missingSnapshots(snapshots, given, signal)
    const scratch = await makeOwnFolder(data.scratch, 'import')
    try {
      for (const manifest of missing) {
        const copy = join(scratch, manifest.snapshotId)
        await namingSpace([scratch], async () => {
          await mkdir(copy)
          await copyFiles(placeOf(manifest), copy, manifest, { signal, flush: false })
        })
        await snapshots.publish(copy, manifest, signal)
      }
    } finally {
      await removeTree(scratch).catch(() => {})
    }
    signal.throwIfAborted()
    return store.transaction(within => register(within, given))
  })
}

/** Throws a Refusal when one of these snapshots has a Parquet file that the engine may not read. */
async function refuseUnreadable(
  data: DataFolder,
  { snapshots }: ExportedProject,
  placeOf: (manifest: SnapshotManifest) => string,
  signal: AbortSignal,
): Promise<void> {
  const given = snapshots.map(manifest => ({
    folder: placeOf(manifest),
    files: manifest.tables.flatMap(tableFiles).map(({ file }) => file),
  }))
  for (const [at, problems] of (await inspectFiles(data, given, signal)).entries())
    if (problems.length > 0)
      throw new Refusal(
        `The snapshot ${snapshots[at]?.snapshotId} cannot be imported, and nothing was: ${problems.join('; ')}. Seal it again ` +
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
  const known = await snapshots.manifests(id)
  const missing = given.snapshots.filter(({ snapshotId }) => !there.has(snapshotId))
  const same = given.snapshots.filter(manifest => known.some(each => isSameSnapshot(each, manifest)))
  const isSound = same.length === there.size && (await areSound(snapshots, same, signal))
  if (isSound) return missing
  throw new Refusal(
    `The data folder has other snapshots of the project ${id}, which is not registered: move its folders ` +
      `${quoted(join('snapshots', 'snapshots', id))} and ${quoted(join('snapshots', 'tables', id))} away, and import again`,
  )
}

async function areSound(
  snapshots: SnapshotStore,
  manifests: readonly SnapshotManifest[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { projectId, snapshotId } of manifests)
    if ((await snapshots.verify(projectId, snapshotId, signal)).length > 0) return false
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
  if (newest) await setNewestSnapshot(within, project.id, newest.snapshotId, Date.parse(newest.sealedAt))
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
