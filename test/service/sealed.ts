import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalogue, type DirectorySnapshots, directorySnapshots } from 'foldgate'
import { openSealer } from 'foldgate/sealing'

/** What is sealed: the files of a package, and the catalogue that says what they are. */
export interface Package {
  catalogue: Catalogue
  files: Readonly<Record<string, string>>
}

/** Seals a package as the newest snapshot of a project, with scratch files in `folder`; returns the snapshot's id. */
export async function sealPackage(
  { catalogue, files }: Package,
  { projectId, snapshots, folder }: { projectId: string; snapshots: DirectorySnapshots; folder: string },
): Promise<string> {
  const source = join(folder, `package-${randomUUID()}`)
  await mkdir(source)
  for (const [name, text] of Object.entries(files)) await writeFile(join(source, name), text)
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  try {
    const { manifest } = await sealer.seal({ projectId, assessmentId: randomUUID(), source })
    return manifest.snapshotId
  } finally {
    await sealer.close()
  }
}

/** Folders with the snapshots that services begin with. */
const sealed = new Map<Catalogue, Map<Package['files'], Promise<string>>>()

/**
 * Fills the folder `to` with a snapshot of each project. A process seals a package once and copies it from then on, since
 * to seal it takes longer than all else that a service needs for its start.
 */
export async function copySealed(one: Package, projectIds: readonly string[], to: string): Promise<void> {
  const known = sealed.get(one.catalogue) ?? new Map<Package['files'], Promise<string>>()
  sealed.set(one.catalogue, known)
  const from = known.get(one.files) ?? sealOnce(one, projectIds)
  known.set(one.files, from)
  await cp(await from, to, { recursive: true })
}

async function sealOnce(one: Package, projectIds: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-sealed-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'snapshots')
  const snapshots = directorySnapshots(path)
  await Promise.all(projectIds.map(projectId => sealPackage(one, { projectId, snapshots, folder })))
  return path
}
