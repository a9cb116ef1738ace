import { digestOfChunks, UnusableFile } from '../files/regular.js'

/** An object of an {@link ObjectStore}, as it is listed. */
export interface StoredObject {
  /** Its key: names between slashes. */
  key: string
  /** Its size. */
  bytes: number
  /** When it was stored, by the clock of the store, epoch milliseconds. */
  modifiedAt: number
}

/** A file on this machine that is stored as an object. */
export interface StorableFile {
  /** Its path. */
  path: string
  /** SHA-256 that it must have, hex, where storing it reads it. Default: it may have any. */
  sha256?: string
  /** Media type of the object. Default: none. */
  type?: string
}

/**
 * Where snapshots and exports lie: objects that are stored whole, never change and are removed, by any number of
 * processes. A folder ({@link folderObjects}) and a bucket are such stores. Snapshots and exports rely on this:
 * - when `put` has answered, every `get`, `stat` and `list` that begins later finds the object, until it is deleted;
 * - of several `put` of text under one key, one alone answers true, also when they run at once;
 * - a process that is killed leaves an object or none, never a part of one under its key.
 */
export interface ObjectStore {
  /**
   * The path of the folder on this machine in which each object is a regular file at its key. Absent when objects are
   * elsewhere: then they are copied before an engine reads them.
   */
  readonly folder?: string
  /** Reads an object in chunks, to their end or until the reader returns from them; null when there is none. */
  get(key: string, signal: AbortSignal): Promise<AsyncGenerator<Buffer, void> | null>
  /**
   * Stores an object unless there is one of this key; false when there is. When the answer to an attempt was lost, the
   * object may be the one that this very call has stored. A file, which may be moved away, is for keys that nobody
   * else uses: a store may put it over another one.
   */
  put(key: string, what: string | StorableFile, signal: AbortSignal): Promise<boolean>
  /** Lists the objects whose keys begin with `prefix`, in the order of their keys' bytes, from after the key `after`. */
  list(prefix: string, signal: AbortSignal, after?: string): AsyncGenerator<readonly StoredObject[], void>
  /** Deletes objects; it is no failure when there is none of a key. */
  delete(keys: readonly string[], signal: AbortSignal): Promise<void>
  /** The size and the time of an object; null when there is none. */
  stat(key: string, signal: AbortSignal): Promise<Omit<StoredObject, 'key'> | null>
}

/** Lists objects as {@link ObjectStore.list} does, all at once. */
export async function listAll(
  store: ObjectStore,
  prefix: string,
  signal: AbortSignal,
): Promise<StoredObject[]> {
  const found: StoredObject[] = []
  for await (const page of store.list(prefix, signal)) found.push(...page)
  return found
}

/** Objects that are read as text take some kilobytes, or a few hundred bytes per column. */
const MOST_TEXT_BYTES = 64 * 1024 ** 2

/** Reads an object as text; null when there is none. Throws an {@link UnusableFile} for one of more than 64 MiB. */
export async function textOf(store: ObjectStore, key: string, signal: AbortSignal): Promise<string | null> {
  const chunks = await store.get(key, signal)
  if (!chunks) return null
  const read: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > MOST_TEXT_BYTES) throw new UnusableFile('is larger than 64 MiB: it is not what it should be')
    read.push(chunk)
  }
  return Buffer.concat(read).toString()
}

/** SHA-256 of an object, hex; null when there is none. */
export async function digestIn(store: ObjectStore, key: string, signal: AbortSignal): Promise<string | null> {
  const chunks = await store.get(key, signal)
  return chunks && digestOfChunks(chunks)
}

/** The name of an object: what follows the last slash of its key. */
export function nameIn(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}
