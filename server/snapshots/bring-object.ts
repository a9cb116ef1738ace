import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { digestIn, type ObjectStore } from 'foldgate/internal'
import { writeChunks } from './backup-folder.js'

/** Where objects are brought from and to, and a folder for those on their way. */
export interface Bringing {
  from: Pick<ObjectStore, 'get'>
  to: ObjectStore
  scratch: string
  signal: AbortSignal
}

/**
 * Puts an object of this digest where it is not there yet, in place of a damaged one. Returns null, with nothing put, when it
 * is missing or damaged where it comes from.
 */
export async function bringObject(
  { key, sha256 }: { key: string; sha256: string },
  { from, to, scratch, signal }: Bringing,
): Promise<'kept' | 'copied' | null> {
  const digest = await digestIn(to, key, signal)
  if (digest === sha256) return 'kept'
  const chunks = await from.get(key, signal)
  const path = join(scratch, randomUUID())
  try {
    if (!chunks || (await writeChunks(chunks, path, signal)) !== sha256) return null
    if (digest !== null) await to.delete([key], signal)
    await to.put(key, { path, sha256 }, signal)
    return 'copied'
  } finally {
    await rm(path, { force: true }) // a folder has moved it
  }
}
