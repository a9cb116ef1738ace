import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DamagedSnapshot, parseManifest, snapshotFiles } from '../snapshots/manifest.js'
import { type Bucket, inParallel, type Listed } from './bucket.js'
import { manifestKey, nameInKey } from './object-keys.js'

/** A snapshot in the bucket. */
export interface Stored {
  projectId: string
  snapshotId: string
  /** As parsed, whatever its format. */
  manifest: object
}

/** How often a file is tried whose connection breaks. */
const ATTEMPTS = 3

/**
 * Downloads the files of a snapshot into a folder, and compares each with its digest. `makeRoom` is called
 * when all files have their size, and before any has content. Returns false when the snapshot was removed
 * meanwhile; throws a {@link DamagedSnapshot} when a file is missing or not as it was sealed.
 */
export async function download(
  bucket: Bucket,
  folder: string,
  stored: Stored,
  given: { listed: readonly Listed[]; signal: AbortSignal; makeRoom(): Promise<void> },
): Promise<boolean> {
  const { listed, signal, makeRoom } = given
  const digests = digestsOf(stored)
  try {
    for (const file of digests.keys())
      if (!listed.some(({ key }) => nameInKey(key) === file)) throw new DamagedSnapshot(`${file} is missing`)
    for (const { key, bytes } of listed) await reserve(join(folder, nameInKey(key)), bytes)
    await makeRoom()
    await inParallel(listed, async ({ key }) => {
      const file = nameInKey(key)
      const digest = await insist(signal, () => copy(bucket, key, join(folder, file), signal))
      if (digest === null) throw new DamagedSnapshot(`${file} is missing`)
      if (digest !== (digests.get(file) ?? digest))
        throw new DamagedSnapshot(`${file} is not as it was sealed`)
    })
    return true
  } catch (cause) {
    if (!(cause instanceof DamagedSnapshot)) throw cause
    const { projectId, snapshotId } = stored
    if ((await bucket.text(manifestKey(projectId, snapshotId), signal)) === null) return false
    throw cause
  }
}

/** Reads an object to its end and returns its SHA-256, hex; null when there is none. */
export async function digestIn(
  bucket: Bucket,
  key: string,
  signal: AbortSignal,
  take: (chunk: Buffer) => Promise<unknown> = async () => {},
): Promise<string | null> {
  const chunks = await bucket.get(key, signal)
  if (!chunks) return null
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    hash.update(chunk)
    await take(chunk)
  }
  return hash.digest('hex')
}

/** The digests of the files that a manifest names; none for a manifest that this version does not read. */
function digestsOf({ manifest }: Stored): Map<string, string> {
  const read = parseManifest(JSON.stringify(manifest))
  return new Map(read === null ? [] : snapshotFiles(read).map(({ file, sha256 }) => [file, sha256]))
}

/** Makes a file of this size, so that what is being copied is counted before it is on the disk. */
async function reserve(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'wx')
  await file.truncate(bytes).finally(() => file.close())
}

async function copy(bucket: Bucket, key: string, path: string, signal: AbortSignal): Promise<string | null> {
  const file = await open(path, 'r+')
  try {
    await file.truncate(0)
    let at = 0
    return await digestIn(bucket, key, signal, async chunk => {
      await file.write(chunk, 0, chunk.length, at)
      at += chunk.length
    })
  } finally {
    await file.close()
  }
}

/**
 * Repeats work that fails, as when a connection breaks in the middle of a body, which the client does not
 * repeat.
 */
async function insist<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (cause) {
      if (attempt === ATTEMPTS || signal.aborted) throw cause
    }
  }
}
