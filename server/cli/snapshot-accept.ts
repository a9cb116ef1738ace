import type { Command } from 'commander'
import { manifestIn } from 'foldgate/internal'
import { tableFiles } from 'foldgate/sealing'
import type { Store } from '../database/store.js'
import { Refusal } from '../input/refusal.js'
import type { DataFolder } from '../snapshots/data-folder.js'
import { markSharedFolder } from '../snapshots/marker.js'
import { inspectFiles } from '../snapshots/with-sealer.js'
import { acceptSnapshot, newestSnapshot } from '../store/newest-snapshots.js'
import { projectsInOrder, requireProject } from '../store/projects.js'
import { addCommand, type CommonOptions, withStore } from './command.js'
import { interruptible } from './interrupt.js'
import { print } from './print.js'

/** `foldgate snapshot accept` */
export function snapshotAcceptCommand(group: Command): void {
  addCommand(
    group,
    'accept [project]',
    'Accept the shared folder or bucket as it is, after a snapshot was taken away or an older backup was restored.',
  ).action((id: string | undefined, options: CommonOptions) =>
    withStore(options, (store, folder) => accept(id, options, store, folder)),
  )
}

/** A project whose newest snapshot is not the one that the store knows. */
interface Changed {
  id: string | null
  projectId: string
}

async function accept(
  id: string | undefined,
  options: CommonOptions,
  store: Store,
  folder: DataFolder,
): Promise<void> {
  const { snapshots } = folder.shared
  const projects = id === undefined ? projectsInOrder(store) : [await requireProject(store, id)]
  const changed: Changed[] = []
  for await (const { projectId } of projects) {
    const [newest = null] = await snapshots.list(projectId, new AbortController().signal)
    if (newest !== (await newestSnapshot(store, projectId))) changed.push({ id: newest, projectId })
  }
  const sealed = await interruptible(signal => sealedOf(folder, changed, signal), 'nothing was accepted')
  await markSharedFolder(store, folder)
  for (const { projectId, id: snapshotId } of changed)
    await acceptSnapshot(store, projectId, snapshotId, sealed.get(projectId))
  const lines = changed.map(each => `${each.projectId}: ${each.id ?? 'no snapshot'}`)
  print(
    options,
    changed,
    lines.join('\n') ||
      `The ${folder.shared.what} is accepted: it has the newest snapshots that the store knows`,
  )
}

/**
 * Returns by project when these snapshots were sealed, where their manifests tell it. Throws a Refusal when one of them has a
 * Parquet file that the engine may not read.
 */
async function sealedOf(
  data: DataFolder,
  changed: readonly Changed[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { snapshots } = data.shared
  const sealed = new Map<string, string>()
  for (const { id, projectId } of changed) {
    if (id === null) continue
    // Without a manifest or a file, it is damaged, that of another project or removed, which "snapshot verify" tells.
    const manifest = await manifestIn(snapshots, { projectId, snapshotId: id }, signal).catch(() => null)
    if (manifest) sealed.set(projectId, manifest.sealedAt)
    const names = manifest?.tables.flatMap(tableFiles).map(({ file }) => file) ?? []
    if (names.length === 0) continue
    const lease = await snapshots.open(projectId, id, names, signal).catch(() => null)
    if (!lease) continue
    const [problems = []] = await inspectFiles(
      data,
      [{ folder: lease.folder, files: names }],
      signal,
    ).finally(lease.release)
    if (problems.length > 0)
      throw new Refusal(
        `The snapshot ${id} of the project ${projectId} cannot be accepted: ${problems.join('; ')}. Move it away or ` +
          'restore it from a backup',
      )
  }
  return sealed
}
