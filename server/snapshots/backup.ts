import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  digestIn,
  digestOfFile,
  inParallel,
  listAll,
  manifestKey,
  namingSpace,
  tableKey,
} from 'foldgate/internal'
import { copyStore } from '../database/copy-store.js'
import { nameHolder } from '../database/dialect.js'
import { lockFile } from '../database/embedded.js'
import { openStore, type Store } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { version } from '../operation/version.js'
import { digestOf } from '../store/digest.js'
import { newestSnapshot } from '../store/newest-snapshots.js'
import { projectsInOrder } from '../store/projects.js'
import { type BackedUp, BackupFolder, FILES_AT_ONCE, filesIn } from './backup-folder.js'
import { bringObject } from './bring-object.js'
import type { Shared } from './shared.js'

const SCRATCH = 'scratch'

/** What a backup has copied. */
export interface BackupSummary {
  madeAt: string
  snapshots: number
  /** Files of snapshots that were copied, and those that the folder had already. */
  copiedFiles: number
  keptFiles: number
}

/**
 * Writes a backup of the store and of all snapshots to a folder, while servers run and seal. Every file is compared with
 * its digest. Files that the folder has from an earlier backup are not copied again. The earlier backup is replaced in the
 * last step, and is whole until then. Throws a Refusal when a snapshot is damaged, or cannot be read by this version.
 *
 * The store is copied first, so that every snapshot that the copy names exists: a snapshot that is pruned afterwards keeps
 * its files for a day, and is looked for by its id. A snapshot that the store does not name is left out when it is removed
 * while others are copied.
 */
export async function backUp(
  store: Store,
  { snapshots, objects }: Pick<Shared, 'snapshots' | 'objects'>,
  { folder: name, signal }: { folder: string; signal: AbortSignal },
): Promise<BackupSummary> {
  const folder = new BackupFolder(name)
  await folder.make()
  const lock = lockFile(folder.at('backup.lock'))
  if (!('release' in lock))
    throw new Refusal(
      `${nameHolder(lock.holder)} is writing a backup to ${quoted(name)}: wait until it ends, or name another folder`,
    )
  return namingSpace([name], async () => {
    const before = await folder.index() // refused now if another version has written it
    await folder.removeStores(before?.store.file)
    const scratch = folder.at(SCRATCH)
    await rm(scratch, { recursive: true, force: true })
    await mkdir(scratch, { mode: 0o700 })
    const madeAt = formatInstant(store.clock.now())
    const file = `store-${randomUUID()}.db`
    await copyStore(store, folder.at(file))
    // Opening a store may change it.
    await copyFile(folder.at(file), join(scratch, file))
    const copied = await openStore(join(scratch, file))
    const named = new Map<string, string | null>()
    try {
      for await (const { projectId } of projectsInOrder(copied))
        named.set(projectId, await newestSnapshot(copied, projectId))
    } finally {
      await copied.close()
    }
    const sha256 = await digestOfFile(folder.at(file), signal)
    const copying = new SnapshotCopying(objects, folder, scratch, signal)
    const backedUp: BackedUp[] = []
    for (const [projectId, newest] of named) {
      const ids = new Set(await snapshots.list(projectId, signal))
      if (newest !== null) ids.add(newest)
      for (const snapshotId of ids) {
        const isNeeded = async () =>
          snapshotId === newest || (await snapshots.list(projectId, signal)).includes(snapshotId)
        const text = await snapshots.manifestOf(projectId, snapshotId, signal)
        const snapshot = text === null ? null : await copying.copy({ projectId, snapshotId, text })
        if (snapshot) backedUp.push(snapshot)
        else if (await isNeeded())
          throw new Refusal(
            `The snapshot ${snapshotId} of the project ${projectId} is damaged, or cannot be read by this version: check ` +
              'it with "foldgate snapshot verify"',
          )
      }
    }
    await rm(scratch, { recursive: true, force: true })
    await folder.writeIndex({ madeAt, version: version(), store: { file, sha256 }, snapshots: backedUp })
    await copying.removeOthers(file)
    const { copiedFiles, keptFiles } = copying
    const summary = { snapshots: backedUp.length, copiedFiles, keptFiles }
    await store.transaction(within =>
      within.tell({
        type: 'backup.made',
        subject: file,
        at: within.clock.now(),
        concerns: { operator: true },
        data: { madeAt, ...summary },
      }),
    )
    return { madeAt, ...summary }
  }).finally(lock.release)
}

/** Copies the objects of snapshots to the folder of a backup. */
class SnapshotCopying {
  copiedFiles = 0
  keptFiles = 0
  readonly #from: Shared['objects']
  readonly #to: BackupFolder
  readonly #scratch: string
  readonly #signal: AbortSignal
  /** Keys of the objects of this backup. */
  readonly #keys = new Set<string>()

  constructor(from: Shared['objects'], to: BackupFolder, scratch: string, signal: AbortSignal) {
    this.#from = from
    this.#to = to
    this.#scratch = scratch
    this.#signal = signal
  }

  /** Copies a snapshot, its manifest last; null when it is not whole. */
  async copy(given: { projectId: string; snapshotId: string; text: string }): Promise<BackedUp | null> {
    const { projectId, snapshotId, text } = given
    const stored = filesIn(text, snapshotId)
    if (!stored) return null
    const files = stored.map(each => ({ key: tableKey(projectId, each), sha256: each.sha256 }))
    const isWhole = await inParallel(
      files.filter(({ key }) => !this.#keys.has(key)),
      ({ key, sha256 }) => this.#copyFile(key, sha256),
      FILES_AT_ONCE,
    )
    if (isWhole.includes(false)) return null
    const key = manifestKey(projectId, Number.parseInt(snapshotId, 10))
    this.#keys.add(key)
    const sha256 = digestOf(text)
    const { objects } = this.#to
    const digest = await digestIn(objects, key, this.#signal)
    if (digest !== sha256) {
      if (digest !== null) await objects.delete([key], this.#signal)
      await objects.put(key, text, this.#signal)
    }
    return { projectId, snapshotId, sha256 }
  }

  /** Removes what earlier backups have left in the folder, and this one does not name. */
  async removeOthers(storeFile: string): Promise<void> {
    const { objects } = this.#to
    const others = (await listAll(objects, '', this.#signal)).filter(({ key }) => !this.#keys.has(key))
    await objects.delete(
      others.map(({ key }) => key),
      this.#signal,
    )
    await this.#to.removeStores(storeFile)
  }

  async #copyFile(key: string, sha256: string): Promise<boolean> {
    const [from, to, scratch, signal] = [this.#from, this.#to.objects, this.#scratch, this.#signal]
    const brought = await bringObject({ key, sha256 }, { from, to, scratch, signal })
    if (brought === null) return false
    if (brought === 'kept') this.keptFiles++
    else this.copiedFiles++
    this.#keys.add(key)
    return true
  }
}
