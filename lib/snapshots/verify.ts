import { join } from 'node:path'
import { ifMissing } from '../files/missing.js'
import { digestOfFile, UnusableFile } from '../files/regular.js'
import { DamagedSnapshot, readManifest, type SnapshotManifest, snapshotFiles } from './manifest.js'

/**
 * Reads every file of a sealed snapshot in `folder`, and compares it with the digest in the manifest; given `expected`,
 * also compares the ids in the manifest. The manifest itself has no digest. Files that are not regular files, such as
 * symbolic links, are not read.
 *
 * @param folder - Path of the folder that has `manifest.json`.
 * @param expected - Ids that the manifest must have. Default: they are not compared.
 * @param signal - Aborts the reading.
 * @returns Resolves to what is wrong, one sentence each; an empty list when the snapshot is as it was sealed.
 * @throws The reason of `signal` when that is aborted, and the error of the file system when a file cannot be read for
 * another reason than that it is missing.
 *
 * @example
 * ```ts
 * const snapshots = directorySnapshots('data/snapshots')
 * for (const { snapshotId } of await snapshots.manifests(projectId)) {
 *   const problems = await verifySnapshot(`data/snapshots/${projectId}/${snapshotId}`)
 *   if (problems.length > 0) console.error(snapshotId, problems)
 * }
 * ```
 *
 * @example
 * A snapshot restored from a backup must also be of this project and have this id.
 * ```ts
 * const expected = { projectId, snapshotId: '000007-4f0c2a4e-93a1-4c39-8a54-0d1b2c3d4e5f' }
 * const problems = await verifySnapshot('restored', expected, AbortSignal.timeout(60_000))
 * ```
 */
export async function verifySnapshot(
  folder: string,
  expected?: Pick<SnapshotManifest, 'projectId' | 'snapshotId'>,
  signal?: AbortSignal,
): Promise<string[]> {
  try {
    const manifest = await readManifest(folder)
    if (manifest === null) return ['manifest.json is in a format of another version']
    const files = snapshotFiles(manifest)
    const problems = expected ? placeProblems(manifest, expected) : []
    for (const { file, sha256 } of files) {
      const problem = await wrongWith(join(folder, file), sha256, signal)
      if (problem !== null)
        problems.push(typeof problem === 'string' ? `${file} ${problem}` : problem.about(file))
    }
    return problems
  } catch (error) {
    if (error instanceof DamagedSnapshot) return [error.message]
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ['manifest.json is missing']
    throw error
  }
}

async function wrongWith(
  path: string,
  sha256: string,
  signal: AbortSignal | undefined,
): Promise<string | UnusableFile | null> {
  try {
    const digest = await digestOfFile(path, signal).catch(ifMissing(null))
    if (digest === null) return 'is missing'
    return digest === sha256 ? null : 'is not as it was sealed'
  } catch (cause) {
    if (cause instanceof UnusableFile) return cause
    throw cause
  }
}

/** What is wrong with the ids in a manifest. */
export function placeProblems(
  manifest: SnapshotManifest,
  expected: Pick<SnapshotManifest, 'projectId' | 'snapshotId'>,
): string[] {
  const problems: string[] = []
  if (expected.projectId !== manifest.projectId) problems.push('it is a snapshot of another project')
  if (expected.snapshotId !== manifest.snapshotId) problems.push('it is another snapshot')
  return problems
}
