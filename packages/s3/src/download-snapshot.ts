import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { DamagedSnapshot, FILE_NAME, parseManifest } from 'foldgate/internal'
import { type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'
import type { Bucket, Listed } from './bucket.js'
import { fileKey, filesKey, nameInKey, tablesOf } from './object-keys.js'

/** A snapshot in the bucket. */
export interface StoredSnapshot {
  projectId: string
  snapshotId: string
  /** As parsed, whatever its format. */
  manifest: object
}

/** A snapshot in the bucket, and its files. */
export interface Listing extends StoredSnapshot {
  /** As parsed, with its place. */
  manifest: Pick<SnapshotManifest, 'projectId' | 'snapshotId'>
  /** By name; without the manifest. */
  files: ReadonlyMap<string, Listed>
  /** By name; none for a manifest that this version does not read. */
  digests: ReadonlyMap<string, string>
  /** The files that every copy has: the entity ids. */
  always: readonly string[]
}

/** How often a file is tried whose connection breaks. */
const ATTEMPTS = 3

/** Names a snapshot among those of all projects. */
export function placeOf({ projectId, snapshotId }: Pick<StoredSnapshot, 'projectId' | 'snapshotId'>): string {
  return `${projectId}/${snapshotId}`
}

/** Lists the files of a snapshot. Throws a {@link DamagedSnapshot} when one of the manifest is missing. */
export async function listingOf(
  bucket: Bucket,
  stored: StoredSnapshot,
  signal: AbortSignal,
): Promise<Listing> {
  const { projectId, snapshotId } = stored
  const read = parseManifest(JSON.stringify(stored.manifest))
  const named = read === null ? [] : snapshotFiles(read)
  const isShared = named.some(({ holder }) => holder !== undefined)
  const folder = isShared ? tablesOf(projectId) : filesKey(projectId, snapshotId)
  const listed = await bucket.list(folder, signal)
  const files = new Map<string, Listed>()
  if (read === null)
    for (const each of listed) if (FILE_NAME.test(nameInKey(each.key))) files.set(nameInKey(each.key), each)
  const there = new Map(listed.map(each => [each.key, each]))
  for (const each of named) {
    const found = there.get(fileKey(stored, each))
    if (!found) throw new DamagedSnapshot(`${each.file} is missing`)
    files.set(each.file, found)
  }
  const digests = new Map(named.map(({ file, sha256 }) => [file, sha256]))
  const manifest = { ...stored.manifest, projectId, snapshotId }
  return {
    projectId,
    snapshotId,
    manifest,
    files,
    digests,
    always: read?.entities ? [read.entities.file] : [],
  }
}

/** Makes a file of this size, so that it is counted before it has content. */
export async function makeFile(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'wx')
  await file.truncate(bytes).finally(() => file.close())
}

/**
 * Downloads a file of a snapshot to a file that has its size, and compares it with its digest. Throws a
 * {@link DamagedSnapshot} when it is missing or not as it was sealed.
 */
export async function download(
  bucket: Bucket,
  { key, bytes }: Listed,
  sha256: string | undefined,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const name = nameInKey(key)
  const digest = await insist(signal, async () => {
    const file = await open(path, 'r+')
    try {
      return await copyTo(file, bucket, { key, bytes }, signal)
    } finally {
      await file.close()
    }
  })
  if (digest === null) throw new DamagedSnapshot(`${name} is missing`)
  if (digest !== (sha256 ?? digest)) throw new DamagedSnapshot(`${name} is not as it was sealed`)
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

/** Writes an object over a file of its size, which never becomes larger, and waits until it is on the disk. */
async function copyTo(
  file: FileHandle,
  bucket: Bucket,
  { key, bytes }: Pick<Listed, 'key' | 'bytes'>,
  signal: AbortSignal,
): Promise<string | null> {
  let at = 0
  const digest = await digestIn(bucket, key, signal, async chunk => {
    if (at + chunk.length > bytes) throw new DamagedSnapshot(`${nameInKey(key)} is not as it was sealed`)
    await file.write(chunk, 0, chunk.length, at)
    at += chunk.length
  })
  await file.truncate(at)
  await file.sync()
  return digest
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
      if (attempt === ATTEMPTS || signal.aborted || cause instanceof DamagedSnapshot) throw cause
    }
  }
}
