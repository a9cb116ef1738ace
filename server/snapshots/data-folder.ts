import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Catalogue } from 'foldgate'
import type { SandboxMode } from 'foldgate/internal'
import { nameHolder } from '../database/dialect.js'
import { lockFile } from '../database/embedded.js'
import { installed } from '../input/installed.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { COPIES_BYTES } from '../settings/limits.js'
import { reference } from '../settings/load-catalogue.js'
import { parseBucket } from '../settings/parsers.js'
import { makeFolder } from './make-folder.js'
import type { OpenSharedBucket, Shared } from './shared.js'
import { sharedDirectory } from './shared-directory.js'

/** The layout of the data of one server; paths are absolute. */
export interface DataFolder {
  /** The path as the user gave it, for messages. */
  name: string
  /**
   * The control store: a file in the folder, or the URL of a PostgreSQL
   * database, which may contain a password.
   */
  control: string
  /** Snapshots and exports: several servers may share them. */
  shared: Shared
  /** The folder of the snapshots, or of the local copies of those that are in a bucket. */
  snapshots: string
  /** Whether it has such copies: calls write them. */
  hasCopies: boolean
  /**
   * Caches and scratch files of the engine processes: only the one server that runs on the folder uses them.
   */
  engine: string
  /** Scratch folder of commands that seal. */
  scratch: string
  /** Whether processes that seal and compare run behind walls. */
  sandbox: SandboxMode
  /** The catalogue of the tables that are sealed, imported and compared in it. */
  catalogue: Catalogue
}

/**
 * Returns the layout of a data folder, and creates missing folders, which only their owner may read, except
 * for the shared ones. `elsewhere` moves the store, and snapshots and exports to a folder or bucket, of whose
 * snapshots local copies may take `copiesBytes`. `catalogue` is the reference catalogue by default. Throws a Refusal when a folder cannot be created.
 */
export async function openDataFolder(
  name: string,
  elsewhere: {
    store?: string | null
    shared?: string | null
    copiesBytes?: number
    sandbox?: SandboxMode
    catalogue?: Catalogue
  } = {},
): Promise<DataFolder> {
  if (name === '')
    throw new Refusal('The name of the data folder is empty: name one with --data or FOLDGATE_DATA')
  if (resolve(name).includes('?'))
    throw new Refusal(
      `The path of the data folder ${quoted(name)} contains a question mark, and the engine ` +
        'cannot open files in such a folder: name another',
    )
  await refuseFolderOfOthers('data', name)
  const at = (part: string) => join(resolve(name), part)
  const folder = {
    name,
    ...(await openShared(elsewhere.shared ?? name, { bytes: elsewhere.copiesBytes, folder: at('copies') })),
    control: elsewhere.store ?? at('control.db'),
    engine: at('engine'),
    scratch: at('scratch'),
    sandbox: elsewhere.sandbox ?? ('auto' as const),
    catalogue: elsewhere.catalogue ?? reference,
  }
  await makeFolders('data', name, [folder.engine, folder.scratch])
  return folder
}

async function openShared(
  name: string,
  { bytes = COPIES_BYTES, folder }: { bytes: number | undefined; folder: string },
): Promise<Pick<DataFolder, 'shared' | 'snapshots' | 'hasCopies'>> {
  const place = parseBucket(name)
  if (place) {
    const what = `The shared bucket ${quoted(name)}`
    const { openSharedBucket } = await installed<{ openSharedBucket: OpenSharedBucket }>(what, 'foldgate-s3')
    return {
      shared: openSharedBucket(name, place, { folder, bytes }),
      snapshots: folder,
      hasCopies: true,
    }
  }
  await refuseFolderOfOthers('shared', name)
  const [snapshots, exports] = [join(resolve(name), 'snapshots'), join(resolve(name), 'exports')]
  const make = () => makeFolders('shared', name, [snapshots, exports])
  const shared = sharedDirectory(name, { snapshots, exports }, make)
  return { shared, snapshots, hasCopies: false }
}

/** Files that root writes into the folder of a service would stop that service, which cannot read them. */
async function refuseFolderOfOthers(what: 'data' | 'shared', name: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const owner = (await stat(resolve(name)).catch(() => null))?.uid ?? 0
  if (owner === 0) return
  throw new Refusal(
    `The ${what} folder ${quoted(name)} belongs to the user with the id ${owner}, who could not read what root writes: run ` +
      `the command as that user, for instance with sudo -u '#${owner}'`,
  )
}

async function makeFolders(what: 'data' | 'shared', name: string, paths: readonly string[]): Promise<void> {
  try {
    for (const path of paths) await makeFolder(path)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    throw new Refusal(
      `The ${what} folder ${quoted(name)} cannot be used (${code}): name one that can be written to`,
      {
        cause,
      },
    )
  }
}

/**
 * Makes this process the only one that serves from a data folder, until the lock is released or the process
 * ends. Throws a Refusal that names the other process when one serves from it already.
 */
export function lockDataFolder(folder: DataFolder): { release(): void } {
  const lock = lockFile(join(resolve(folder.name), 'serve.lock'))
  if ('release' in lock) return lock
  throw new Refusal(
    `${nameHolder(lock.holder)} runs "foldgate serve" on the data folder ${quoted(folder.name)}: stop it first, or ` +
      'name another folder',
  )
}
