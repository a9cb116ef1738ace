import { join } from 'node:path'
import { readRegular, UnusableFile } from '../files/regular.js'
import type { Column, SealProblem } from '../model.js'
import type { SnapshotLease } from '../ports.js'

/** The format of snapshots in which each table is one file. */
export const FORMAT_VERSION = 1

/**
 * The format of snapshots with a table in several files. Versions of the library that read only one file
 * ignore them.
 */
export const SEVERAL_FILES_VERSION = 2

/** As {@link SEVERAL_FILES_VERSION}; the root with its entities, and the assessment, may be absent. */
export const TREELESS_VERSION = 3

/**
 * As {@link TREELESS_VERSION}; each file says in whose place of a bucket it is. Folders have none of it: a snapshot that
 * comes to one is in the oldest format that can tell what was sealed.
 */
export const SHARED_FILES_VERSION = 4

/** File in a snapshot's folder that lists the other files. */
export const MANIFEST_FILE = 'manifest.json'

/** A manifest takes a few hundred bytes per column. */
const MOST_BYTES = 64 * 1024 ** 2

/** A file of a snapshot. */
export interface StoredFile {
  /** Name of the file within the snapshot's folder. */
  file: string
  /** SHA-256 of the file, hex. */
  sha256: string
  /**
   * In a bucket, UUID of the place that has the file: that of the snapshot which uploaded it, or of an earlier one with
   * the same file. Absent elsewhere, and in snapshots of earlier versions, each of which has files of its own.
   */
  holder?: string
}

/**
 * A table of a snapshot: its Parquet file, or `files`, the Parquet files of a large table in the order of its
 * rows. {@link tableFiles} returns the files of either.
 */
export type StoredTable = {
  /** Name of the table in the catalogue. */
  name: string
  /** Number of rows. */
  rows: number
  /** Its columns, in order. */
  columns: Column[]
  /**
   * Names of the columns whose types follow from the texts in a CSV file, since nothing declares them; columns of text
   * are none of them. The field is absent when there are no such columns.
   */
  guessed?: string[]
} & (StoredFile | { files: StoredFile[] })

/** The manifest of a sealed snapshot: where it comes from, and its files. */
export interface SnapshotManifest {
  /**
   * Version of the format; a snapshot in a format that this version of the library does not read is ignored.
   */
  formatVersion: number
  /** Id of the snapshot; within a project, ids of newer snapshots sort after those of older ones. */
  snapshotId: string
  /** UUID of the project, lower case. */
  projectId: string
  /** What the tables come from, as passed to the sealer; absent when nothing was. */
  assessmentId?: string
  /** Time of sealing, RFC 3339 in UTC. */
  sealedAt: string
  /** Digest of the package, as passed to the sealer. */
  sourceDigest?: string
  /** UUID of the root of the ownership tree; absent when the catalogue has none. */
  rootId?: string
  /**
   * File with the entity ids (16 bytes per id, ascending), their number, and SHA-256 of the file, hex; absent when
   * the catalogue has no tree.
   */
  entities?: StoredFile & { count: number }
  /** Every table of the snapshot. */
  tables: StoredTable[]
  /**
   * What the catalogue declares to be a warning, and sealing found. Absent from snapshots of earlier
   * versions.
   */
  warnings?: SealProblem[]
}

/** A sealed snapshot as methods and engines use it. */
export interface Snapshot {
  /** UUID of the project, lower case. */
  projectId: string
  /** Id of the snapshot. */
  snapshotId: string
  /** Its manifest. */
  manifest: SnapshotManifest
  /** Whether the ownership tree has an entity with this UUID. */
  hasEntity(entityId: string): boolean
  /**
   * Takes a lease on the folder; with `files`, names of files in the manifest, its other tables need not be there.
   * Rejects when the snapshot is gone.
   */
  open(files?: readonly string[]): Promise<SnapshotLease>
}

/**
 * Thrown when the files of a snapshot are not what sealing writes; the message tells the host what is wrong.
 */
export class DamagedSnapshot extends Error {}

/** Reads the manifest in a snapshot's folder; null when this version does not read its format. */
export async function readManifest(folder: string): Promise<SnapshotManifest | null> {
  return parseManifest(await readManifestText(folder))
}

/** Reads the text of the manifest in a snapshot's folder. */
export async function readManifestText(folder: string): Promise<string> {
  const bytes = await readRegular(join(folder, MANIFEST_FILE), MOST_BYTES).catch(cause => {
    throw cause instanceof UnusableFile ? new DamagedSnapshot(cause.about(MANIFEST_FILE)) : cause
  })
  return bytes.toString()
}

/** Reads the text of a manifest as {@link readManifest} does. */
export function parseManifest(text: string): SnapshotManifest | null {
  const manifest = parse(text)
  if (typeof manifest.formatVersion !== 'number')
    throw new DamagedSnapshot('manifest.json has no format version')
  const known = [FORMAT_VERSION, SEVERAL_FILES_VERSION, TREELESS_VERSION, SHARED_FILES_VERSION]
  return known.includes(manifest.formatVersion) ? (manifest as unknown as SnapshotManifest) : null
}

function parse(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown
    if (value !== null && typeof value === 'object') return value as Record<string, unknown>
  } catch {
    // Thrown below.
  }
  throw new DamagedSnapshot('manifest.json is not a JSON object')
}

/** A file name without a path, so that it cannot point outside the folder. */
export const FILE_NAME = /^\w[\w.-]*$/
const HOLDER = /^[0-9a-f-]{36}$/

/**
 * Throws a {@link DamagedSnapshot} for an incomplete manifest, or one that names a file outside the folder,
 * or a file twice.
 */
export function checkManifest({ formatVersion, rootId, entities, tables }: Partial<SnapshotManifest>): void {
  const needsTree = !(Number(formatVersion) >= TREELESS_VERSION)
  const hasTree = needsTree || rootId !== undefined || entities !== undefined
  if (hasTree && typeof rootId !== 'string') throw new DamagedSnapshot('manifest.json has no rootId')
  if (!Array.isArray(tables)) throw new DamagedSnapshot('manifest.json has no tables')
  const names = new Set<string>()
  const entries = tables.map((entry, index) => [entry, `tables[${index}]`] as const)
  for (const [entry, place] of hasTree ? [[entities, 'entities'] as const, ...entries] : entries) {
    for (const { file, holder } of entriesOf(entry, place)) {
      if (holder !== undefined && !HOLDER.test(holder))
        throw new DamagedSnapshot(`manifest.json names a place outside of its project for ${place}`)
      if (!FILE_NAME.test(file))
        throw new DamagedSnapshot(`manifest.json names a file outside of its folder for ${place}: "${file}"`)
      if (names.has(file)) throw new DamagedSnapshot(`manifest.json names a file twice: "${file}"`)
      names.add(file)
    }
  }
}

/** The files of an entry of a manifest that may be incomplete. */
function entriesOf(
  entry: Partial<StoredFile> | { files: unknown } | null | undefined,
  place: string,
): StoredFile[] {
  const files: unknown = entry && 'files' in entry ? entry.files : [entry]
  const isComplete = (each: Partial<StoredFile> | null | undefined) =>
    typeof each?.file === 'string' && typeof each.sha256 === 'string'
  if (Array.isArray(files) && files.length > 0 && files.every(isComplete)) return files
  throw new DamagedSnapshot(`manifest.json has no file for ${place}`)
}

/**
 * Returns the Parquet files of a table of a snapshot, which together hold its rows, in their order.
 *
 * @param table - A table of a manifest.
 * @returns One file, or several of a large table.
 *
 * @example
 * ```ts
 * const namesOf = (manifest: SnapshotManifest) => manifest.tables.flatMap(tableFiles).map(({ file }) => file)
 * ```
 */
export function tableFiles(table: StoredTable): readonly StoredFile[] {
  if ('files' in table) return table.files
  const { file, sha256, holder } = table
  return [{ file, sha256, ...(holder === undefined ? {} : { holder }) }]
}

/**
 * Returns every file of a snapshot except `manifest.json`: the entity ids and the tables.
 *
 * @param manifest - The manifest, such as one of `manifests()`.
 * @returns The files, with their SHA-256 digests in hex.
 * @throws Error when the manifest is incomplete, names a file outside of the folder of the snapshot, or names a file
 * twice.
 *
 * @example
 * ```ts
 * const namesOf = (manifest: SnapshotManifest) => snapshotFiles(manifest).map(({ file }) => file)
 * ```
 */
export function snapshotFiles(manifest: SnapshotManifest): readonly StoredFile[] {
  checkManifest(manifest)
  const { entities, tables } = manifest
  return [...(entities ? [entities] : []), ...tables.flatMap(tableFiles)]
}

/**
 * Throws when a manifest names another place: a copy that was restored to a wrong folder would show a project
 * the data of another. The sealer always names the place; a manifest that names none is found by
 * `verifySnapshot`.
 */
export function checkPlace(manifest: Partial<SnapshotManifest>, projectId: string, snapshotId: string): void {
  if ((manifest.projectId ?? projectId) !== projectId)
    throw new DamagedSnapshot('it is a snapshot of another project')
  if ((manifest.snapshotId ?? snapshotId) !== snapshotId) throw new DamagedSnapshot('it is another snapshot')
}

/** As {@link checkPlace}, for the text of a manifest. Also throws for a text that is no manifest. */
export function checkTextPlace(text: string, projectId: string, snapshotId: string): void {
  parseManifest(text)
  checkPlace(JSON.parse(text) as Partial<SnapshotManifest>, projectId, snapshotId)
}
