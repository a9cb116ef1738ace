import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { DirectorySnapshots, SnapshotLease, SnapshotManifest } from 'foldgate'
import { listAssessments } from '../store/assessments.js'
import { quoted } from '../store/names.js'
import { listOrganizations } from '../store/organizations.js'
import { requireProject } from '../store/projects.js'
import { Refusal } from '../store/refusal.js'
import type { Store } from '../store/store.js'
import { digestOf, type ExportedProject, snapshotsOf, writeRegister } from './exported.js'
import { copyFiles } from './files.js'

type Leased = { manifest: SnapshotManifest; lease: SnapshotLease }

/**
 * Writes a project and its snapshots to a new folder, while servers run. Nothing of other projects is in it, and no
 * user, key or secret. Throws a Refusal when the project is unknown, and when the folder exists or cannot be written.
 */
export async function exportProject(
  store: Store,
  snapshots: DirectorySnapshots,
  { projectId, folder, signal }: { projectId: string; folder: string; signal: AbortSignal },
): Promise<ExportedProject> {
  const { projectId: id, name, organization, createdAt } = await requireProject(store, projectId)
  if (await stat(folder).catch(() => null)) throw new Refusal(`${quoted(folder)} is there already: name a new folder`)
  const draft = `${resolve(folder)}.draft`
  const leased = await leaseAll(snapshots, id, signal)
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
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { mode: 0o700 })
    const digests = await copySnapshots(leased, join(snapshotsOf(draft), id), signal)
    await writeFile(join(draft, 'project.json'), writeRegister(exported, digests), { mode: 0o600, flush: true })
    await rename(draft, resolve(folder))
    return exported
  } catch (cause) {
    await rm(draft, { recursive: true, force: true })
    if (signal.aborted || cause instanceof Refusal) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Refusal(`The project cannot be exported to ${quoted(folder)}, and nothing was: ${why}`, { cause })
  } finally {
    for (const { lease } of leased) await lease.release()
  }
}

/** Copies snapshots into a folder, which it creates. Returns the SHA-256 of their manifests by snapshot id. */
async function copySnapshots(
  leased: readonly Leased[],
  folder: string,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  for (const { manifest, lease } of leased) {
    const place = join(folder, manifest.snapshotId)
    await mkdir(place, { recursive: true, mode: 0o700 })
    await copyFiles(lease.folder, place, manifest, signal)
    const bytes = await readFile(join(lease.folder, 'manifest.json'))
    await writeFile(join(place, 'manifest.json'), bytes, { mode: 0o600, flush: true })
    digests.set(manifest.snapshotId, digestOf(bytes))
  }
  return digests
}

/** Takes a lease on every snapshot of a project, oldest first. Throws a Refusal when this version cannot read one. */
async function leaseAll(snapshots: DirectorySnapshots, projectId: string, signal: AbortSignal): Promise<Leased[]> {
  for (;;) {
    signal.throwIfAborted()
    const ids = await snapshots.list(projectId, signal)
    const leases = await Promise.all(ids.map(id => snapshots.open(projectId, id, signal)))
    const held = leases.filter(lease => lease !== null)
    const manifests = await snapshots.manifests(projectId)
    const leased = held.flatMap(lease => {
      const manifest = manifests.find(each => each.snapshotId === lease.snapshotId)
      return manifest ? [{ manifest, lease }] : []
    })
    if (leased.length === ids.length) return leased.reverse()
    for (const lease of held) await lease.release()
    if (held.length === ids.length)
      throw new Refusal('Another version of foldgate has sealed a snapshot of the project: export it with that version')
    // One was removed meanwhile, so a newer one may be there now.
  }
}
