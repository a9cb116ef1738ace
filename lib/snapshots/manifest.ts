import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Column } from '../model.js'

/** The format that this version writes and reads. */
export const FORMAT_VERSION = 1

/** File of a snapshot's folder that says what else is in it. */
export const MANIFEST_FILE = 'manifest.json'

/** A table of a snapshot. */
export interface StoredTable {
  /** As the catalogue has it. */
  name: string
  /** Parquet file within the snapshot's folder. */
  file: string
  /** How many it has. */
  rows: number
  /** Its columns, in order. */
  columns: Column[]
  /** SHA-256 of the file, hex. */
  sha256: string
}

/** What a sealed snapshot holds. */
export interface SnapshotManifest {
  /** A version reads the formats that it knows, and takes others for no snapshot. */
  formatVersion: number
  /** Newer ones of a project sort after older ones. */
  snapshotId: string
  /** UUID, lower case. */
  projectId: string
  /** The assessment that it was sealed from, as the sealer was told. */
  assessmentId: string
  /** RFC 3339. */
  sealedAt: string
  /** Digest of the package that it was sealed from, as the sealer was told. */
  sourceDigest?: string
  /** UUID of the root of the ownership tree. */
  rootId: string
  /** File of the entity ids: 16 bytes each, ascending. */
  entities: { file: string; count: number; sha256: string }
  /** Every table, with its file. */
  tables: StoredTable[]
}

/** The manifest of a snapshot's folder, or null when its format is not one that this version reads. */
export async function readManifest(folder: string): Promise<SnapshotManifest | null> {
  const manifest = JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8')) as SnapshotManifest
  return manifest.formatVersion === FORMAT_VERSION ? manifest : null
}
