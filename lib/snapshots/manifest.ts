import { isDeepStrictEqual } from 'node:util'
import type { Column, SealProblem } from '../model.js'
import type { SnapshotLease, SnapshotPort } from '../ports.js'
import type { TableStatistics } from './statistics.js'

/** The format that this version reads and writes. */
export const FORMAT_VERSION = 1

/** A file of a snapshot. */
export interface StoredFile {
  /** Name of the file among those of all snapshots of the project; snapshots may share it. */
  file: string
  /** SHA-256 of the file, hex. */
  sha256: string
  /** Size of the file. */
  bytes: number
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
  /** What the values of its columns are; absent in snapshots of earlier versions. */
  statistics?: TableStatistics
  /**
   * Digest of the version that the source of the rows told before they were read, and of what the catalogue says about
   * them, hex; absent when it told none.
   */
  version?: string
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
  /** Takes a lease on files of these names in the manifest. Rejects when the snapshot is gone. */
  open(files: readonly string[]): Promise<SnapshotLease>
}

/**
 * Thrown when the files of a snapshot are not what sealing writes; the message tells the host what is wrong.
 */
export class DamagedSnapshot extends Error {}

/** Reads the text of a manifest; null when this version does not read its format. */
export function parseManifest(text: string): SnapshotManifest | null {
  const manifest = parse(text)
  if (typeof manifest.formatVersion !== 'number')
    throw new DamagedSnapshot('manifest.json has no format version')
  return manifest.formatVersion === FORMAT_VERSION ? (manifest as unknown as SnapshotManifest) : null
}

/**
 * Reads the manifest of a snapshot; null when there is none, or this version does not read its format. Names the snapshot
 * when it throws a {@link DamagedSnapshot}.
 */
export async function manifestIn(
  port: Pick<SnapshotPort, 'manifestOf'>,
  { projectId, snapshotId }: Pick<SnapshotManifest, 'projectId' | 'snapshotId'>,
  signal: AbortSignal,
): Promise<SnapshotManifest | null> {
  try {
    const text = await port.manifestOf(projectId, snapshotId, signal)
    return text === null ? null : parseManifest(text)
  } catch (cause) {
    if (!(cause instanceof DamagedSnapshot)) throw cause
    throw new DamagedSnapshot(`snapshot ${snapshotId} of the project ${projectId}: ${cause.message}`)
  }
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

/**
 * Throws a {@link DamagedSnapshot} for an incomplete manifest, or one that names a file outside the folder,
 * or a file twice.
 */
export function checkManifest({ rootId, entities, tables }: Partial<SnapshotManifest>): void {
  const hasTree = rootId !== undefined || entities !== undefined
  if (hasTree && typeof rootId !== 'string') throw new DamagedSnapshot('manifest.json has no rootId')
  if (!Array.isArray(tables)) throw new DamagedSnapshot('manifest.json has no tables')
  const names = new Set<string>()
  const entries = tables.map((entry, index) => [entry, `tables[${index}]`] as const)
  for (const [entry, place] of hasTree ? [[entities, 'entities'] as const, ...entries] : entries) {
    for (const { file } of entriesOf(entry, place)) {
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
    typeof each?.file === 'string' && typeof each.sha256 === 'string' && Number.isSafeInteger(each.bytes)
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
  const { file, sha256, bytes } = table
  return [{ file, sha256, bytes }]
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
 * Whether the text of a manifest may be that of this snapshot, as each damaged text may. Throws when it is of another
 * project: a copy that was restored to a wrong place would show a project the data of another.
 */
export function isOf(text: string, projectId: string, snapshotId: string): boolean {
  try {
    const manifest = JSON.parse(text) as Partial<SnapshotManifest> | null
    if (typeof manifest?.snapshotId !== 'string') return true
    if ((manifest.projectId ?? projectId) === projectId) return manifest.snapshotId === snapshotId
  } catch {
    return true
  }
  throw new DamagedSnapshot('it is a snapshot of another project')
}

/** A manifest as it is stored. */
export function manifestText(manifest: object): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Whether two manifests are of one snapshot, whatever names its files have in either place. */
export function isSameSnapshot(one: SnapshotManifest, other: SnapshotManifest): boolean {
  return isDeepStrictEqual(withoutNames(one), withoutNames(other))
}

/**
 * Whether a snapshot has what another one would have: the same assessment, tables, entities and warnings in the same
 * format, whenever it was sealed, at whatever version of its sources, and whatever names its files have.
 */
export function hasSameContents(
  sealed: SnapshotManifest,
  contents: Omit<SnapshotManifest, 'snapshotId'>,
): boolean {
  const { snapshotId, sealedAt } = sealed
  const bare = ({ sourceDigest: _, ...manifest }: typeof contents): SnapshotManifest => {
    const tables = manifest.tables.map(({ version: __, ...table }): StoredTable => table)
    return { ...manifest, tables, snapshotId, sealedAt }
  }
  return isSameSnapshot(bare(sealed), bare(contents))
}

/** A manifest as JSON has it, in which each file is named by its digest. */
function withoutNames(manifest: SnapshotManifest): unknown {
  return JSON.parse(JSON.stringify(withFiles(manifest, stored => ({ ...stored, file: stored.sha256 }))))
}

/** The same manifest with other files. */
export function withFiles<Manifest extends Omit<SnapshotManifest, 'snapshotId'>>(
  manifest: Manifest,
  other: (file: StoredFile) => StoredFile,
): Manifest {
  const change = <Entry extends StoredFile>(entry: Entry): Entry => ({ ...entry, ...other(entry) })
  const { entities } = manifest
  const tables = manifest.tables.map(
    (table): StoredTable => ('files' in table ? { ...table, files: table.files.map(change) } : change(table)),
  )
  return { ...manifest, ...(entities ? { entities: change(entities) } : {}), tables }
}
