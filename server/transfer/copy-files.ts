import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readInChunks } from 'foldgate/internal'
import { type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'
import { quoted } from '../input/names.js'

/**
 * Copies the files of a snapshot to an existing folder, except for the manifest, and writes them to disk.
 * Throws when one is missing or does not have the digest in the manifest.
 */
export async function copyFiles(
  from: string,
  to: string,
  manifest: SnapshotManifest,
  signal: AbortSignal,
): Promise<void> {
  for (const { file, sha256 } of snapshotFiles(manifest)) {
    const hash = createHash('sha256')
    const target = createWriteStream(join(to, file), { flags: 'wx', mode: 0o600, flush: true })
    const hashed = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(readInChunks(join(from, file), signal), hashed, target, { signal })
    requireDigest({ file, sha256, snapshotId: manifest.snapshotId }, hash)
  }
}

function requireDigest(
  { file, sha256, snapshotId }: { file: string; sha256: string; snapshotId: string },
  hash: Hash,
) {
  if (hash.digest('hex') === sha256) return
  throw new Error(`the file ${quoted(file)} of the snapshot ${snapshotId} is not as it was sealed`)
}
