import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Column } from '../model.js'

/** The format that this version writes and reads. */
export const FORMAT_VERSION = 1

/** File in a snapshot's folder that lists the other files. */
export const MANIFEST_FILE = 'manifest.json'

/** A table of a snapshot. */
export interface StoredTable {
  /** Name of the table in the catalogue. */
  name: string
  /** Parquet file within the snapshot's folder. */
  file: string
  /** Number of rows. */
  rows: number
  /** Its columns, in order. */
  columns: Column[]
  /** SHA-256 of the file, hex. */
  sha256: string
}

/** A problem with a package. */
export interface SealProblem {
  /** Name of the table. */
  table: string
  /** Name of the column, or of several with commas between them; absent when the problem is the table as a whole. */
  column?: string
  /**
   * What is wrong, in English. When several rows are wrong, it names one of them, or their first values, and counts
   * them. Rows of a CSV file are named by the line in which they begin.
   */
  message: string
  /** Number of rows that are wrong; absent when the problem is not about rows. */
  rows?: number
}

/** The manifest of a sealed snapshot: where it comes from, and its files. */
export interface SnapshotManifest {
  /** Version of the format; a snapshot in a format that this version of the library does not read is ignored. */
  formatVersion: number
  /** Id of the snapshot; within a project, ids of newer snapshots sort after those of older ones. */
  snapshotId: string
  /** UUID of the project, lower case. */
  projectId: string
  /** Id of the assessment, as passed to the sealer. */
  assessmentId: string
  /** Time of sealing, RFC 3339 in UTC. */
  sealedAt: string
  /** Digest of the package, as passed to the sealer. */
  sourceDigest?: string
  /** UUID of the root of the ownership tree. */
  rootId: string
  /** File with the entity ids (16 bytes per id, ascending), their number, and SHA-256 of the file, hex. */
  entities: { file: string; count: number; sha256: string }
  /** Every table of the snapshot. */
  tables: StoredTable[]
  /** What the catalogue declares to be a warning, and sealing found. Absent from snapshots of earlier versions. */
  warnings?: SealProblem[]
}

/** Thrown when the files of a snapshot are not what sealing writes; the message tells the host what is wrong. */
export class DamagedSnapshot extends Error {}

/** Reads the manifest in a snapshot's folder; null when this version does not read its format. */
export async function readManifest(folder: string): Promise<SnapshotManifest | null> {
  const manifest = parse(await readFile(join(folder, MANIFEST_FILE), 'utf8'))
  if (typeof manifest.formatVersion !== 'number') throw new DamagedSnapshot('manifest.json has no format version')
  return manifest.formatVersion === FORMAT_VERSION ? (manifest as unknown as SnapshotManifest) : null
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
const FILE = /^\w[\w.-]*$/

/** Throws a {@link DamagedSnapshot} for an incomplete manifest, or one that names a file outside the folder. */
export function checkManifest({ rootId, entities, tables }: Partial<SnapshotManifest>): void {
  if (typeof rootId !== 'string') throw new DamagedSnapshot('manifest.json has no rootId')
  if (!Array.isArray(tables)) throw new DamagedSnapshot('manifest.json has no tables')
  for (const [index, entry] of [entities, ...tables].entries()) {
    const place = index === 0 ? 'entities' : `tables[${index - 1}]`
    if (typeof entry?.file !== 'string' || typeof entry.sha256 !== 'string')
      throw new DamagedSnapshot(`manifest.json has no file for ${place}`)
    if (!FILE.test(entry.file))
      throw new DamagedSnapshot(`manifest.json names a file outside of its folder for ${place}: "${entry.file}"`)
  }
}
