import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { FileLocks } from '../files/locks.js'
import { ifMissing } from '../files/missing.js'
import type { SnapshotLease, SnapshotPort } from '../ports.js'
import { RecentMap } from '../recent.js'
import { Drafts } from './drafts.js'
import { DamagedSnapshot, MANIFEST_FILE, readManifest, type SnapshotManifest } from './manifest.js'

/**
 * Sealed snapshots in a folder: `<project>/<snapshot>/` contains `manifest.json`, the entity ids and one Parquet file
 * per table. A `projectId` that is not a UUID in lower case throws a TypeError.
 */
export interface DirectorySnapshots extends SnapshotPort {
  /** Returns the manifests of a project's snapshots that this version can read, newest first. */
  manifests(projectId: string): Promise<SnapshotManifest[]>
  /**
   * Removes snapshots older than the newest `keep` that this version can read, except those in use. Returns the ids
   * removed. Throws a TypeError unless `keep` is a whole number above 0.
   */
  prune(projectId: string, keep: number): Promise<string[]>
  /**
   * Removes abandoned drafts: those of ended processes of this machine, and those that have not changed for an hour.
   * Also runs before each new draft.
   */
  sweep(): Promise<void>
  /** Creates a folder to write a snapshot into, on the file system of the snapshots. Returns its path. */
  draft(): Promise<string>
  /**
   * Publishes a draft as the newest snapshot of its project, atomically. A copy of a snapshot, whose manifest has a
   * `snapshotId`, keeps that id and its place among the others. Returns the manifest with its `snapshotId`. Throws when
   * other processes keep publishing to the project for a minute, and when the project has a snapshot with this id.
   */
  publish(
    draft: string,
    manifest: Omit<SnapshotManifest, 'snapshotId'> & { snapshotId?: string },
  ): Promise<SnapshotManifest>
}

const SNAPSHOT_ID = /^(\d{6})-[0-9a-f-]{36}$/
const PROJECT_ID = /^[0-9a-f-]{36}$/
const DRAFTS = '.drafts'
const LOCKS = '.leases'
const MOST_IN_PLACE = 10_000
/**
 * How long to wait for another publisher. Publishing takes milliseconds. The lock of a killed process is ignored at
 * once on the same machine, and after 15 minutes on another.
 */
const TURN_WITHIN_MS = 60_000

/**
 * Reads and publishes sealed snapshots below `folder`, which is created when missing. Any number of processes, also on
 * several machines, may share it.
 *
 * @example
 * ```ts
 * const snapshots = directorySnapshots('data/snapshots')
 * const removed = await snapshots.prune(projectId, 3) // keeps the newest three
 * ```
 */
export function directorySnapshots(folder: string): DirectorySnapshots {
  const root = resolve(folder)
  const locks = new FileLocks(join(root, LOCKS))
  const drafts = new Drafts(join(root, DRAFTS))
  /** The project of each snapshot whose manifest has been compared with its place. */
  const inPlace = new RecentMap<string, string>(MOST_IN_PLACE)
  const ofProject = (projectId: string) => {
    if (!PROJECT_ID.test(projectId)) throw new TypeError('a project id is a UUID in lower case')
    return join(root, projectId)
  }

  const list = sharedReading(async (projectId: string): Promise<readonly string[]> => {
    const names = await readdir(ofProject(projectId)).catch(ifMissing([] as string[]))
    return names.filter(name => SNAPSHOT_ID.test(name)).sort((a, b) => (a < b ? 1 : -1))
  })

  async function manifests(projectId: string): Promise<SnapshotManifest[]> {
    const read = (await list(projectId)).map(async id => {
      try {
        const manifest = await readManifest(join(ofProject(projectId), id))
        if (manifest) checkPlace(manifest, projectId, id)
        return manifest
      } catch (cause) {
        if (!(cause instanceof DamagedSnapshot)) return ifMissing(null)(cause as Error) // removed since it was listed
        throw new DamagedSnapshot(`snapshot ${id} of the project ${projectId}: ${cause.message}`)
      }
    })
    return (await Promise.all(read)).filter(manifest => manifest !== null)
  }

  /** Whether the snapshot has a manifest. Throws when that is the one of another place, and not when it is damaged. */
  async function isComplete(projectId: string, snapshotId: string): Promise<boolean> {
    const path = join(ofProject(projectId), snapshotId)
    if (inPlace.get(snapshotId) === projectId)
      return (await stat(join(path, MANIFEST_FILE)).catch(ifMissing(null))) !== null
    const manifest = await readManifest(path).catch(cause => {
      if (cause instanceof DamagedSnapshot) return null
      return ifMissing(undefined)(cause)
    })
    if (manifest) {
      checkPlace(manifest, projectId, snapshotId)
      inPlace.set(snapshotId, projectId)
    }
    return manifest !== undefined
  }

  async function openSnapshot(projectId: string, snapshotId: string): Promise<SnapshotLease | null> {
    if (!SNAPSHOT_ID.test(snapshotId)) return null
    const path = join(ofProject(projectId), snapshotId)
    const release = await locks.take(snapshotId, 'shared')
    if (!release) return null
    try {
      if (await isComplete(projectId, snapshotId)) return { snapshotId, folder: path, release }
    } catch (cause) {
      await release()
      throw cause
    }
    await release()
    return null
  }

  /** Moves the folder away with one rename first, so no reader finds half of it; false when it was already gone. */
  async function remove(projectId: string, snapshotId: string): Promise<boolean> {
    const grave = await drafts.grave(snapshotId)
    const found = await rename(join(ofProject(projectId), snapshotId), grave).then(() => true, ifMissing(false))
    await rm(grave, { recursive: true, force: true })
    return found
  }

  return {
    list,
    open: (projectId, snapshotId) => openSnapshot(projectId, snapshotId),
    manifests,
    async prune(projectId, keep) {
      if (!(Number.isSafeInteger(keep) && keep >= 1)) throw new TypeError('keep must be a whole number above 0')
      const removed: string[] = []
      const ids = await list(projectId)
      // Snapshots in a format of another version do not count: the newest that this version can read must stay.
      const kept = new Set((await manifests(projectId)).slice(0, keep).map(manifest => manifest.snapshotId))
      const oldestKept = ids.findLastIndex(id => kept.has(id))
      for (const id of ids.slice(oldestKept + 1)) {
        if (oldestKept < 0) break
        const release = await locks.take(id, 'exclusive')
        if (!release) continue
        try {
          if (await remove(projectId, id)) removed.push(id)
        } finally {
          await release()
        }
      }
      return removed
    },
    sweep: () => drafts.sweep(),
    draft: () => drafts.create(),
    async publish(draft, contents) {
      const home = ofProject(contents.projectId)
      if (contents.snapshotId !== undefined && !SNAPSHOT_ID.test(contents.snapshotId))
        throw new TypeError('a snapshot id is six digits, a hyphen and a UUID')
      await mkdir(home, { recursive: true })
      for (const name of await readdir(draft)) await sync(join(draft, name))
      // Snapshots are numbered and moved one at a time, so that the last one published is the newest.
      const release = await locks.takeWithin(TURN_WITHIN_MS, contents.projectId, 'exclusive')
      if (!release) throw new Error('Another process has been publishing a snapshot of the project for a minute.')
      try {
        const newest = Number(SNAPSHOT_ID.exec((await list(contents.projectId))[0] ?? '')?.[1] ?? 0)
        const snapshotId = contents.snapshotId ?? `${String(newest + 1).padStart(6, '0')}-${randomUUID()}`
        const manifest = { ...contents, snapshotId }
        await writeFile(join(draft, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`)
        await sync(join(draft, MANIFEST_FILE))
        await sync(draft)
        await rename(draft, join(home, snapshotId))
        await sync(home)
        return manifest
      } finally {
        await release()
      }
    },
  }
}

/**
 * Throws when a manifest names another place: a copy that was restored to a wrong folder would show a project the data of
 * another. The sealer always names the place; a manifest that names none is found by `verifySnapshot`.
 */
function checkPlace(manifest: Partial<SnapshotManifest>, projectId: string, snapshotId: string): void {
  if ((manifest.projectId ?? projectId) !== projectId) throw new DamagedSnapshot('it is a snapshot of another project')
  if ((manifest.snapshotId ?? snapshotId) !== snapshotId) throw new DamagedSnapshot('it is another snapshot')
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Shares reads between concurrent calls: one read per name at a time. All calls that arrive during a read share the
 * next one, which starts after they arrived, so no caller gets a result older than its call.
 */
function sharedReading<Value>(read: (name: string) => Promise<Value>): (name: string) => Promise<Value> {
  const readings = new Map<string, { now: Promise<unknown>; next: Promise<Value> | null }>()
  const start = (name: string): Promise<Value> => {
    const reading = read(name)
    const entry: { now: Promise<unknown>; next: Promise<Value> | null } = { now: reading, next: null }
    readings.set(name, entry)
    const done = () => {
      if (!entry.next) readings.delete(name)
    }
    reading.then(done, done)
    return reading
  }
  return name => {
    const entry = readings.get(name)
    if (!entry) return start(name)
    entry.next ??= entry.now.then(
      () => start(name),
      () => start(name),
    )
    return entry.next
  }
}
