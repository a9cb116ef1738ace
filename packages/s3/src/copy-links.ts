import { link, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { filesByDigest, type SnapshotFolder, snapshotsIn } from 'foldgate/internal'
import type { Listing } from './download-snapshot.js'

/** Copies of other snapshots of the project in which files are looked for, the newest first. */
const MOST_LOOKS = 8

/**
 * Links files of a snapshot into a draft which copies of others have with the same digest and size, and returns their
 * names. A file in a copy is complete and was as it was sealed when it was moved there. No file of a copy ever changes, unless
 * a disk damages it: the digest is still to be compared.
 */
export async function linkAlike(
  folder: SnapshotFolder,
  { projectId, snapshotId, files, digests }: Listing,
  names: readonly string[],
  draft: string,
): Promise<Set<string>> {
  const linked = new Set<string>()
  const home = folder.ofProject(projectId)
  const others = (await snapshotsIn(home)).filter(id => id !== snapshotId).slice(0, MOST_LOOKS)
  for (const other of others) {
    if (linked.size === names.length) break
    const alike = await filesByDigest(join(home, other))
    if (!alike) continue // it is compared with what is stored when it is opened
    for (const name of names) {
      const path = alike.get(digests.get(name) ?? '')
      const isLinked =
        path !== undefined &&
        !linked.has(name) &&
        (await linkFile(path, join(draft, name), files.get(name)?.bytes))
      if (isLinked) linked.add(name)
    }
  }
  return linked
}

/** False, and no file, when there is none of this size, or it cannot be linked. */
async function linkFile(from: string, to: string, bytes: number | undefined): Promise<boolean> {
  try {
    await link(from, to)
  } catch {
    return false // not there, removed at this moment, or of a file system without links
  }
  if ((await stat(to)).size === bytes) return true
  await rm(to)
  return false
}
