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

/** A snapshot whose files are not what sealing writes: it says what is wrong, for the host. */
export class DamagedSnapshot extends Error {}

/** The manifest of a snapshot's folder, or null when its format is not one that this version reads. */
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
    // Said below.
  }
  throw new DamagedSnapshot('manifest.json is not a JSON object')
}

/** A name within the folder, and nothing that leads out of it. */
const FILE = /^\w[\w.-]*$/

/** Throws a {@link DamagedSnapshot} for what sealing does not write, a file outside of the snapshot's folder above all. */
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
