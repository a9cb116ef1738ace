import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  digestIn,
  inParallel,
  listAll,
  makeOwnFolder,
  manifestKey,
  namingSpace,
  type ObjectStore,
  readInChunks,
  removeTree,
  tableKey,
  textOf,
} from 'foldgate/internal'
import { copyRows, requireEmpty } from '../database/copy-store.js'
import { openStore, type Store } from '../database/store.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { digestOf } from '../store/digest.js'
import {
  type BackedUp,
  BackupFolder,
  type BackupIndex,
  FILES_AT_ONCE,
  filesIn,
  writeChunks,
} from './backup-folder.js'
import { bringObject } from './bring-object.js'
import type { DataFolder } from './data-folder.js'
import { sharedId } from './marker.js'

/**
 * Restores a backup into an empty store and an empty shared folder or bucket; no server may run on them. Ids, keys and
 * secrets are those of the backup. Every file is compared with its digest. The store is filled last, in one transaction:
 * until then, the same restore can be repeated, and goes on where it ended. Throws a Refusal when the folder has no
 * complete backup, when a file in it is missing or damaged, and when the store or the shared folder is not empty.
 */
export async function restoreBackup(
  store: Store,
  { shared, scratch }: Pick<DataFolder, 'shared' | 'scratch'>,
  { folder: name, signal }: { folder: string; signal: AbortSignal },
): Promise<BackupIndex> {
  const folder = new BackupFolder(name)
  const index = await folder.index()
  if (!index)
    throw new Refusal(
      `${quoted(name)} has no complete backup: name the folder of one, or let "foldgate backup" complete it`,
    )
  const own = await makeOwnFolder(scratch, 'import')
  try {
    await namingSpace([own], async () => {
      const copied = await openCopy(folder, index, join(own, 'store.db'), signal)
      try {
        await requireEmpty(store, copied)
        const id = (await sharedId(copied)) ?? randomUUID()
        await shared.prepare()
        const restoring = new Restoring(folder, shared.objects, own, signal)
        const snapshots = await restoring.read(index.snapshots)
        const marker = await shared.readMarker()
        // A command such as "foldgate doctor" may have assigned the folder to the store that is still empty.
        const isAssigned = marker !== null && marker !== id && marker !== (await sharedId(store))
        if (isAssigned || (await restoring.hasOthers()))
          throw new Refusal(
            `The ${shared.what} ${quoted(shared.name)} is not empty: name another with --shared or --data, or move what ` +
              'is in it away',
          )
        for (const snapshot of snapshots) await restoring.restore(snapshot)
        await shared.writeMarker(id)
        await fill(store, copied, index)
      } finally {
        await copied.close()
      }
    })
  } finally {
    await removeTree(own).catch(() => {})
  }
  return index
}

/** Opens a copy of the store in the backup, which opening may change. */
async function openCopy(
  folder: BackupFolder,
  { store: { file, sha256 } }: BackupIndex,
  path: string,
  signal: AbortSignal,
): Promise<Store> {
  const digest = await writeChunks(readInChunks(folder.at(file), signal), path, signal).catch(cause => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw cause
  })
  if (digest !== sha256) throw damaged(folder, file)
  return openStore(path, { isDurable: false })
}

async function fill(store: Store, copied: Store, { madeAt, version, snapshots }: BackupIndex): Promise<void> {
  const data = { madeAt, version, snapshots: snapshots.length }
  await store.withImportLock(() =>
    store.transaction(async within => {
      await copyRows(copied, within)
      const at = within.clock.now()
      await within.tell({
        type: 'backup.restored',
        subject: madeAt,
        at,
        concerns: { operator: true },
        data,
      })
    }),
  )
}

function damaged({ name }: BackupFolder, file: string): Refusal {
  return new Refusal(
    `The file ${quoted(file)} of the backup in ${quoted(name)} is missing or damaged: restore another backup`,
  )
}

/** A snapshot of the backup, with its manifest. */
interface ReadSnapshot {
  key: string
  text: string
  files: readonly { key: string; sha256: string }[]
}

/** Puts the snapshots of a backup into an object store. */
class Restoring {
  readonly #from: BackupFolder
  readonly #to: ObjectStore
  readonly #scratch: string
  readonly #signal: AbortSignal
  /** Keys of the objects of the backup. */
  readonly #keys = new Set<string>()
  readonly #restored = new Set<string>()

  constructor(from: BackupFolder, to: ObjectStore, scratch: string, signal: AbortSignal) {
    this.#from = from
    this.#to = to
    this.#scratch = scratch
    this.#signal = signal
  }

  /** Reads the manifests of snapshots. */
  async read(snapshots: readonly BackedUp[]): Promise<ReadSnapshot[]> {
    const read: ReadSnapshot[] = []
    for (const { projectId, snapshotId, sha256 } of snapshots) {
      const key = manifestKey(projectId, Number.parseInt(snapshotId, 10))
      const text = await textOf(this.#from.objects, key, this.#signal)
      const stored = text !== null && digestOf(text) === sha256 ? filesIn(text, snapshotId) : null
      if (text === null || !stored) throw damaged(this.#from, key)
      const files = stored.map(each => ({ key: tableKey(projectId, each), sha256: each.sha256 }))
      for (const each of [key, ...files.map(file => file.key)]) this.#keys.add(each)
      read.push({ key, text, files })
    }
    return read
  }

  /** Whether the object store has snapshots that the backup does not have. Killed processes leave names with a tilde. */
  async hasOthers(): Promise<boolean> {
    for (const prefix of ['snapshots/', 'tables/'])
      for (const { key } of await listAll(this.#to, prefix, this.#signal))
        if (!this.#keys.has(key) && !key.includes('~')) return true
    return false
  }

  /** Puts the files of a snapshot that are not there, and then its manifest. */
  async restore({ key, text, files }: ReadSnapshot): Promise<void> {
    await inParallel(
      files.filter(file => !this.#restored.has(file.key)),
      file => this.#restoreFile(file),
      FILES_AT_ONCE,
    )
    if (await this.#to.put(key, text, this.#signal)) return
    if ((await digestIn(this.#to, key, this.#signal)) !== digestOf(text))
      throw new Error(`another process has put the object ${key}`)
  }

  async #restoreFile(file: { key: string; sha256: string }): Promise<void> {
    this.#restored.add(file.key)
    const [from, to, scratch, signal] = [this.#from.objects, this.#to, this.#scratch, this.#signal]
    // A damaged one is there when a restore was interrupted.
    if (!(await bringObject(file, { from, to, scratch, signal }))) throw damaged(this.#from, file.key)
  }
}
