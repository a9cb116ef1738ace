import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { SnapshotLease } from 'foldgate'
import { isNoSpace, MANIFEST_FILE, manifestText, noSpaceIn } from 'foldgate/internal'
import { type SnapshotManifest, type SnapshotStore, snapshotFiles } from 'foldgate/sealing'
import {
  digestOf,
  listAssessments,
  listOrganizations,
  quoted,
  Refusal,
  requireProject,
  type Store,
} from 'foldgate-server/parts'
import { copyFiles } from './copy-files.js'
import { type ExportedProject, snapshotsOf, writeRegister } from './exported.js'

type Leased = { manifest: SnapshotManifest; lease: SnapshotLease }

/**
 * Writes a project and its snapshots to a new folder, while servers run. Nothing of other projects is in it,
 * and no user, key or secret. Throws a Refusal when the project is unknown, and when the folder exists or
 * cannot be written.
 */
export async function exportProject(
  store: Store,
  snapshots: SnapshotStore,
  { projectId, folder, signal }: { projectId: string; folder: string; signal: AbortSignal },
): Promise<ExportedProject> {
  const { projectId: id, name, organization, createdAt } = await requireProject(store, projectId)
  if (await stat(folder).catch(() => null))
    throw new Refusal(`${quoted(folder)} already exists: name a new folder`)
  const leased = await leaseAll(snapshots, id, signal)
  let draft: string | null = null
  try {
    // Read after the snapshots are listed, so that it has the assessment of each.
    const assessments = await listAssessments(store, id)
    const [owner] = await listOrganizations(store, [organization])
    const exported: ExportedProject = {
      organization: { key: organization, name: owner?.name ?? organization },
      project: { id, name, createdAt },
      assessments,
      snapshots: leased.map(({ manifest }) => manifest),
    }
    draft = await mkdtemp(`${resolve(folder)}.draft-`)
    const digests = await copySnapshots(leased, join(snapshotsOf(draft), id), signal)
    await writeFile(join(draft, 'project.json'), writeRegister(exported, digests), {
      mode: 0o600,
      flush: true,
    })
    await rename(draft, resolve(folder))
    return exported
  } catch (cause) {
    const failure = isNoSpace(cause) ? await noSpaceIn([dirname(resolve(folder))], cause) : cause
    if (draft !== null) await rm(draft, { recursive: true, force: true })
    if (signal.aborted || cause instanceof Refusal) throw cause
    const why = failure instanceof Error ? failure.message : String(failure)
    throw new Refusal(`The project cannot be exported to ${quoted(folder)}, and nothing was: ${why}`, {
      cause,
    })
  } finally {
    for (const { lease } of leased) await lease.release()
  }
}

/**
 * Copies snapshots into a folder, which it creates; a file that several have is copied once. Returns the SHA-256 of their manifests by snapshot id.
 */
async function copySnapshots(
  leased: readonly Leased[],
  folder: string,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  const copying = { signal, copied: new Map<string, string>(), flush: true }
  for (const { manifest, lease } of leased) {
    const place = join(folder, manifest.snapshotId)
    await mkdir(place, { recursive: true, mode: 0o700 })
    await copyFiles(lease.folder, place, manifest, copying)
    const bytes = Buffer.from(manifestText(manifest))
    await writeFile(join(place, MANIFEST_FILE), bytes, { mode: 0o600, flush: true })
    digests.set(manifest.snapshotId, digestOf(bytes))
  }
  return digests
}

/**
 * Takes a lease on every snapshot of a project, oldest first. Throws a Refusal
 * when one of them cannot be read.
 */
async function leaseAll(snapshots: SnapshotStore, projectId: string, signal: AbortSignal): Promise<Leased[]> {
  const leased: Leased[] = []
  try {
    const manifests = await snapshots.manifests(projectId)
    for (const snapshotId of await snapshots.list(projectId, signal)) {
      signal.throwIfAborted()
      const manifest = manifests.find(each => each.snapshotId === snapshotId)
      const names = manifest ? snapshotFiles(manifest).map(({ file }) => file) : []
      const lease = await snapshots.open(projectId, snapshotId, names, signal)
      // A snapshot that was removed meanwhile is older than the others.
      if (!lease && !(await snapshots.list(projectId, signal)).includes(snapshotId)) continue
      if (!lease || !manifest)
        throw new Refusal(
          `The snapshot ${snapshotId} of the project cannot be read by this version: check it with "foldgate snapshot verify"`,
        )
      leased.unshift({ manifest, lease })
    }
    return leased
  } catch (cause) {
    for (const { lease } of leased) await lease.release()
    throw cause
  }
}
