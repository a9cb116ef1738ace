import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { nameHolder } from './dialect.js'
import { lockFile } from './embedded.js'
import { quoted } from './names.js'
import { Refusal } from './refusal.js'

/** Where everything of one server lies; paths are absolute. */
export interface DataFolder {
  /** As the user named it, for messages. */
  name: string
  /** The control store: a file in the folder, or the URL of a PostgreSQL database, which may hold a password. */
  control: string
  /** Snapshots and exports: of all servers that share them. */
  snapshots: string
  exports: string
  /** Caches and scratch files of the engine processes: of the one server that runs on the folder. */
  engine: string
  /** Scratch of commands that seal. */
  scratch: string
}

/**
 * The layout of a data folder, with the store and the shared folder elsewhere when they are named. Folders that are
 * missing are made, for the eyes of their owner alone.
 */
export async function openDataFolder(
  name: string,
  elsewhere: { store?: string | null; shared?: string | null } = {},
): Promise<DataFolder> {
  if (name === '') throw new Refusal('The name of the data folder is empty: name one with --data or FOLDGATE_DATA')
  const at = (part: string) => join(resolve(name), part)
  const shared = resolve(elsewhere.shared ?? name)
  const folder = {
    name,
    control: elsewhere.store ?? at('control.db'),
    snapshots: join(shared, 'snapshots'),
    exports: join(shared, 'exports'),
    engine: at('engine'),
    scratch: at('scratch'),
  }
  await makeFolders('data', name, [folder.engine, folder.scratch])
  await makeFolders('shared', elsewhere.shared ?? name, [folder.snapshots, folder.exports])
  return folder
}

async function makeFolders(what: 'data' | 'shared', name: string, paths: readonly string[]): Promise<void> {
  try {
    for (const path of paths) await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    throw new Refusal(`The ${what} folder ${quoted(name)} cannot be used (${code}): name one that can be written to`, {
      cause,
    })
  }
}

/**
 * Makes this process the only one that serves from a data folder, until the lock is released or the process ends. A
 * folder that another process has is a refusal that names it.
 */
export function lockDataFolder(folder: DataFolder): { release(): void } {
  const lock = lockFile(join(resolve(folder.name), 'serve.lock'))
  if ('release' in lock) return lock
  throw new Refusal(
    `${nameHolder(lock.holder)} runs "foldgate serve" on the data folder ${quoted(folder.name)}: stop it first, or ` +
      'name another folder',
  )
}
