import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readInChunks } from 'foldgate/internal'
import { type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'

/** How the files of a snapshot are copied. */
export interface FileCopying {
  signal: AbortSignal
  /** Files copied before, by digest: the same file is not copied again, but linked where that is possible. */
  copied?: Map<string, string>
  /** Whether the files are on the disk when they are copied. Publishing them puts them there. */
  flush: boolean
}

/**
 * Copies the files of a snapshot to an existing folder, except for the manifest. Throws when one is missing or does not
 * have the digest in the manifest.
 */
export async function copyFiles(
  from: string,
  to: string,
  manifest: SnapshotManifest,
  { signal, copied = new Map(), flush }: FileCopying,
): Promise<void> {
  for (const { file, sha256 } of snapshotFiles(manifest)) {
    const earlier = copied.get(sha256)
    if (earlier !== undefined && (await isLinked(earlier, join(to, file)))) continue
    const hash = createHash('sha256')
    const target = createWriteStream(join(to, file), { flags: 'wx', mode: 0o600, flush })
    const hashed = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(readInChunks(join(from, file), signal), hashed, target, { signal })
    requireDigest({ file, sha256, snapshotId: manifest.snapshotId }, hash)
    copied.set(sha256, join(to, file))
  }
}

/** Links a file; false where it cannot be linked, for instance on a file system without links. */
function isLinked(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    () => false,
  )
}

function requireDigest(
  { file, sha256, snapshotId }: { file: string; sha256: string; snapshotId: string },
  hash: Hash,
) {
  if (hash.digest('hex') === sha256) return
  throw new Error(`the file ${file} of the snapshot ${snapshotId} is not as it was sealed`)
}
