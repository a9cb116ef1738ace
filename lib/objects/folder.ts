import { randomUUID } from 'node:crypto'
import { type Dirent, constants as flags } from 'node:fs'
import {
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rmdir,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ifMissing } from '../files/missing.js'
import { namingSpace } from '../files/no-space.js'
import { chunksOf, openRegular, type RegularFile } from '../files/regular.js'
import { Places } from '../flow/places.js'
import type { ObjectStore, StorableFile, StoredObject } from './store.js'

/** Files that are written to the disk at once: one thread fewer than Node has, since that takes long on a slow disk. */
const MOST_SETTLING = 3
/** Files of a listing that are looked at together. */
const PAGE = 1000
/** A file up to this size is read before it is answered, so that it is open no longer, whether or not it is read. */
const WHOLE_BYTES = 1024 ** 2
/** Times to make the folder of an object, which is removed with the last object in it. */
const ATTEMPTS = 5

/**
 * Objects as files below `folder`, which is created when missing, with the permissions of `mode`. Any number of processes
 * may share it, also on several machines.
 *
 * A file is written beside its place, under a name that no key has, and then linked to its place, which fails when
 * there is one. A killed process leaves the file beside it, which is listed as an object under a key that nothing names.
 */
export function folderObjects(folder: string, mode = 0o777): ObjectStore {
  const root = resolve(folder)
  const settling = new Places(MOST_SETTLING)

  async function put(key: string, what: string | StorableFile, signal: AbortSignal): Promise<boolean> {
    const path = join(root, key)
    const draft = `${path}~${randomUUID()}`
    try {
      await inFolder(dirname(path), mode, () =>
        typeof what === 'string' ? writeFile(draft, what, { flag: 'wx' }) : moveTo(draft, what.path),
      )
      signal.throwIfAborted() // copying may have taken long
      await settling.run({}, () => sync(draft))
      return await link(draft, path).then(() => true, ifThere)
    } finally {
      await unlink(draft).catch(ifMissing(undefined))
      await sync(dirname(path)).catch(ifMissing(undefined))
    }
  }

  return {
    folder: root,
    async get(key, signal) {
      const file =
        (await statOf(join(root, key))) && (await openRegular(join(root, key)).catch(ifMissing(null)))
      if (!file) return null
      if (file.bytes > WHOLE_BYTES) return chunksIn(file, signal)
      const chunks: Buffer[] = []
      for await (const chunk of chunksIn(file, signal)) chunks.push(chunk)
      return (async function* () {
        yield* chunks
      })()
    },
    async put(key, what, signal) {
      signal.throwIfAborted()
      return namingSpace([root], () => put(key, what, signal))
    },
    async *list(prefix, signal, after = '') {
      signal.throwIfAborted()
      for await (const keys of keysIn(root, prefix, after))
        for (let at = 0; at < keys.length; at += PAGE) {
          signal.throwIfAborted()
          const found = keys.slice(at, at + PAGE).map(async (key): Promise<StoredObject | null> => {
            const file = await statOf(join(root, key))
            return file && { key, ...file }
          })
          yield (await Promise.all(found)).filter(each => each !== null)
        }
    },
    async delete(keys) {
      for (const key of keys) {
        await unlink(join(root, key)).catch(ifMissing(undefined))
        await removeEmpty(root, dirname(key))
      }
    },
    stat: key => statOf(join(root, key)),
  }
}

async function* chunksIn(file: RegularFile, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  try {
    yield* chunksOf(file, signal)
  } finally {
    await file.handle.close()
  }
}

async function statOf(path: string): Promise<Omit<StoredObject, 'key'> | null> {
  const found = await lstat(path).catch(ifNowhere(null))
  return found && !found.isDirectory() ? { bytes: found.size, modifiedAt: found.mtimeMs } : null
}

/** Moves a file, or copies it from another file system. */
async function moveTo(path: string, from: string): Promise<void> {
  try {
    await rename(from, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EXDEV') throw cause
    await copyFile(from, path, flags.COPYFILE_EXCL)
    await unlink(from)
  }
  await utimes(path, new Date(), new Date()) // it counts from now, however old the file is
}

/** Runs work that adds a file to a folder, which is made first, and which a removal may remove meanwhile. */
async function inFolder(folder: string, mode: number, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await mkdir(folder, { recursive: true, mode })
    try {
      return await work()
    } catch (cause) {
      const isGone = (cause as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isGone || attempt === ATTEMPTS) throw cause
    }
  }
}

/** Removes folders that are empty, up to the one right below the root. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let at = folder; at !== '.' && dirname(at) !== '.'; at = dirname(at)) {
    try {
      await rmdir(join(root, at))
    } catch {
      return // it has files, or is gone
    }
  }
}

/** The keys of files that begin with a prefix, in order, from after a key, folder by folder. */
async function* keysIn(root: string, prefix: string, after: string): AsyncGenerator<string[]> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(ifNowhere<Dirent[]>([]))
  // A folder counts with the slash after its name, as it does in keys.
  const named = entries.map(entry => ({ key: folder + entry.name + (entry.isDirectory() ? '/' : ''), entry }))
  let files: string[] = []
  for (const { key, entry } of named.sort((one, other) => (one.key < other.key ? -1 : 1))) {
    if (!key.startsWith(prefix) || (key <= after && !(entry.isDirectory() && after.startsWith(key)))) continue
    if (!entry.isDirectory()) {
      files.push(key)
      continue
    }
    yield files
    files = []
    yield* keysIn(root, key, after)
  }
  yield files
}

/** Handles that there is no such file or folder, or a file in place of one of the folders that lead to it. */
function ifNowhere<Value>(value: Value): (cause: NodeJS.ErrnoException) => Value {
  return cause => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return value
    throw cause
  }
}

function ifThere(cause: NodeJS.ErrnoException): false {
  if (cause.code === 'EEXIST') return false
  if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(cause.code ?? ''))
    throw new Error('the file system has no hard links, by which files are put into place: use another one', {
      cause,
    })
  throw cause
}

/** Waits until a file or folder is on the disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
