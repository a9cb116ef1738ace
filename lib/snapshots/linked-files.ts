import { constants } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ifMissing } from '../files/missing.js'
import { readManifest, snapshotFiles } from './manifest.js'

const CHUNK_BYTES = 1024 ** 2
/** Snapshots, newest first, that are looked at for one that can be read. */
const MOST_LOOKED_AT = 3

/** Finds the files of the newest snapshot in the folder of a project that can be read: their paths, by digest. */
export async function storedFiles(home: string, ids: readonly string[]): Promise<Map<string, string>> {
  for (const id of ids.slice(0, MOST_LOOKED_AT)) {
    const files = await filesByDigest(join(home, id))
    if (files) return files
  }
  return new Map()
}

/**
 * The paths of the files that a snapshot in a folder may have, by digest; null when its manifest cannot be read: it is
 * damaged or was just removed, which does not concern the snapshot that is published or copied.
 */
export async function filesByDigest(folder: string): Promise<Map<string, string> | null> {
  try {
    const manifest = await readManifest(folder)
    return (
      manifest && new Map(snapshotFiles(manifest).map(({ file, sha256 }) => [sha256, join(folder, file)]))
    )
  } catch {
    return null
  }
}

/**
 * Replaces a file of a draft by a hard link to a stored one that has the same bytes. False, and the file stays, when the
 * stored one is gone, has other bytes because it is damaged, or cannot be linked.
 */
export async function linkStored(path: string, stored: string, signal?: AbortSignal): Promise<boolean> {
  const linked = join(dirname(path), `~${basename(path)}`) // no manifest names a file so
  try {
    const [own, other] = await Promise.all([lstat(path, { bigint: true }), lstat(stored, { bigint: true })])
    if (!own.isFile() || !other.isFile() || own.size !== other.size) return false
    if (own.dev === other.dev && own.ino === other.ino) return true
    await link(stored, linked)
    // Read only now: whatever happens to the stored name, this is the file that is kept.
    if (await haveSameBytes([path, linked], Number(own.size), signal)) {
      await rename(linked, path)
      return true
    }
  } catch {
    // Whatever the reason, the snapshot can have a file of its own.
  }
  await unlink(linked).catch(ifMissing(undefined))
  signal?.throwIfAborted()
  return false
}

/** Whether two files of a size are the same, which takes less time than the digest of one. */
async function haveSameBytes(
  [path, otherPath]: readonly [string, string],
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const one = await openFile(path)
  try {
    const other = await openFile(otherPath)
    try {
      const [chunk, otherChunk] = [chunkOf(bytes), chunkOf(bytes)]
      for (let at = 0; at < bytes; at += chunk.length) {
        signal?.throwIfAborted()
        const length = Math.min(chunk.length, bytes - at)
        const read = await Promise.all([
          one.read(chunk, 0, length, at),
          other.read(otherChunk, 0, length, at),
        ])
        if (read.some(({ bytesRead }) => bytesRead !== length)) return false
        if (chunk.compare(otherChunk, 0, length, 0, length) !== 0) return false
      }
      return true
    } finally {
      await other.close()
    }
  } finally {
    await one.close()
  }
}

/** Opens a file, but not what a link leads to that may have taken its place. */
function openFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
}

function chunkOf(bytes: number): Buffer {
  return Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes))
}
