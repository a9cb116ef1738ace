import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { moveFile } from '../duckdb/home.js'
import { ENTITIES_FILE, storedNames } from '../files/given-names.js'
import { digestOfFile } from '../files/regular.js'
import {
  FORMAT_VERSION,
  type SnapshotManifest,
  type StoredFile,
  type StoredTable,
  tableFiles,
} from '../snapshots/manifest.js'
import type { PublishedSnapshot, PublishOptions, SnapshotStore } from '../snapshots/store.js'
import type { Sealed, SealedTable, SealTable } from './job.js'
import type { SealRequest } from './request.js'

/** The fields of a request that the manifest repeats, and its signal. */
export type ManifestRequest = Pick<SealRequest, 'projectId' | 'assessmentId' | 'sourceDigest' | 'signal'>

/** The fields of a manifest that are about its tables. */
type SealedPackage = Pick<SnapshotManifest, 'tables' | 'rootId' | 'entities' | 'warnings'>

/** Takes a file that a process has made, see {@link World.take}. */
export type Take = (name: string) => Promise<string>

/** Tables that are the same for all tenants, and what puts a file of theirs beside the others. */
export interface SharedTables {
  tables: ReadonlyMap<string, StoredTable>
  put(file: string): Promise<void>
}

/**
 * Moves what a process has written to a folder. Names and digests are the host's own: the process says how many files
 * there are of each table of its job, in turn.
 */
export async function takeSealed(
  { tables, rootId, warnings }: Sealed,
  job: readonly SealTable[],
  folder: string,
  take: Take,
  shared?: SharedTables,
): Promise<SealedPackage> {
  const stored: StoredTable[] = []
  for (const [at, table] of job.entries()) {
    const sealed = tables[at]
    if (!sealed) {
      const same = shared?.tables.get(table.name) as StoredTable
      for (const { file } of tableFiles(same)) await shared?.put(file)
      stored.push(same)
      continue
    }
    stored.push(await takeTable(table, sealed, folder, take))
  }
  if (rootId === undefined) return { tables: stored, warnings }
  const entities = await takeFile(ENTITIES_FILE, folder, take)
  return { tables: stored, rootId, entities: { ...entities, count: entities.bytes / ENTITY_BYTES }, warnings }
}

const ENTITY_BYTES = 16

/** Moves the files of a table that a process has written, and describes the table. */
export async function takeTable(
  table: SealTable,
  sealed: SealedTable,
  folder: string,
  take: Take,
): Promise<StoredTable> {
  const { name, before } = table
  const { rows, columns, guessed, statistics, kept } = sealed
  const stay = (before?.files ?? []).slice(0, kept)
  const files: StoredFile[] = stay.map(({ file, sha256, bytes }) => ({ file, sha256, bytes }))
  for (const file of storedNames(name, sealed.files)) files.push(await takeFile(file, folder, take))
  const [first, ...more] = files
  const place = first && more.length === 0 ? first : { files }
  return { name, ...place, rows, columns, ...(guessed ? { guessed } : {}), statistics }
}

async function takeFile(file: string, folder: string, take: Take): Promise<StoredFile> {
  const path = await moveFile(await take(file), join(folder, file))
  return { file, sha256: await digestOfFile(path), bytes: (await stat(path)).size }
}

/** Publishes a sealed package, whose files are in a folder. */
export function publishSealed(
  snapshots: SnapshotStore,
  folder: string,
  sealed: SealedPackage,
  { projectId, assessmentId, sourceDigest, signal }: ManifestRequest,
  options: PublishOptions = {},
): Promise<PublishedSnapshot> {
  const contents = {
    formatVersion: FORMAT_VERSION,
    projectId,
    ...(assessmentId === undefined ? {} : { assessmentId }),
    sealedAt: new Date().toISOString(),
    ...(sourceDigest === undefined ? {} : { sourceDigest }),
    ...sealed,
  }
  return snapshots.publish(folder, contents, signal, options)
}
