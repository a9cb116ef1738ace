import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Catalogue } from 'foldgate'
import { DamagedSnapshot, makeOwnFolder, manifestIn, removeTree } from 'foldgate/internal'
import { type SnapshotManifest, type StoredTable, tableFiles } from 'foldgate/sealing'
import { type DataFolder, quoted, Refusal, wordsOf } from 'foldgate-server/parts'
import { compareTables } from './compare-tables.js'
import type { TableDifference } from './difference.js'

/** Two snapshots of a project, the older one first unless the user wants the reverse. */
export interface SnapshotPair {
  projectId: string
  from: string
  to: string
}

/** A snapshot that was compared. */
export interface ComparedSnapshot {
  id: string
  /** Absent when it was sealed without one, or people know of none. */
  assessmentId?: string
  sealedAt: string
}

/** A table of two snapshots. `same` is about columns and values, and not about the order of rows. */
export type ComparedTable = TableDifference & { state: 'same' | 'different' | 'added' | 'removed' }

/** What differs between two snapshots; every table of either is listed. */
export interface SnapshotDifference {
  projectId: string
  from: ComparedSnapshot
  to: ComparedSnapshot
  tables: ComparedTable[]
}

/** Which tables to compare: all, or one of which at most `limit` rows of each kind are shown. */
export type TableChoice = { table: string; limit: number } | null

/**
 * Compares two snapshots, on which it holds leases meanwhile. Their files must be as they were sealed: files whose
 * digests agree are not read again. Throws a Refusal when a snapshot is missing or damaged or has no such table.
 */
export async function compareSnapshots(
  folder: DataFolder,
  pair: SnapshotPair,
  { choice, signal }: { choice: TableChoice; signal: AbortSignal },
): Promise<SnapshotDifference> {
  const { catalogue } = folder
  const from = await openSound(folder, pair.projectId, pair.from, signal)
  try {
    const to = await openSound(folder, pair.projectId, pair.to, signal)
    try {
      const [before, after] = [tablesOf(from.manifest, choice), tablesOf(to.manifest, choice)]
      if (choice && before.size + after.size === 0)
        throw new Refusal(
          `Neither snapshot has a table ${quoted(choice.table)}: leave --table out to list them`,
        )
      const pairs = [...before.values()].flatMap(table => {
        const other = after.get(table.name)
        if (!other || isDeepStrictEqual(digestsOf(other), digestsOf(table))) return []
        const [older, newer] = [pathsOf(table, from.folder), pathsOf(other, to.folder)]
        return [{ name: table.name, from: older, to: newer, key: keyOf(catalogue, table.name) }]
      })
      const job = { tables: pairs, limit: choice?.limit ?? 0 }
      const scratch = await makeOwnFolder(folder.scratch, 'diff')
      const found = await compareTables(job, scratch, signal, folder.sandbox).finally(() =>
        removeTree(scratch).catch(() => {}),
      )
      const names = [...new Set([...before.keys(), ...after.keys()])]
      const tables = names.map(name => {
        const [key, difference] = [keyOf(catalogue, name), found.find(each => each.name === name)]
        return comparedTable(before.get(name), after.get(name), key, difference)
      })
      const summary = ({ manifest }: Opened) => summaryOf(manifest, catalogue)
      return { projectId: pair.projectId, from: summary(from), to: summary(to), tables }
    } finally {
      await to.release()
    }
  } finally {
    await from.release()
  }
}

interface Opened {
  folder: string
  manifest: SnapshotManifest
  release(): Promise<void>
}

/** Opens a snapshot whose files are as they were sealed; the lease keeps them until `release`. */
async function openSound(
  folder: DataFolder,
  projectId: string,
  snapshotId: string,
  signal: AbortSignal,
): Promise<Opened> {
  const { snapshots, what } = folder.shared
  try {
    // The copies of what is in a bucket are compared with their digests as they are made.
    const problems = what === 'shared bucket' ? [] : await snapshots.verify(projectId, snapshotId, signal)
    if (problems.length > 0) throw new DamagedSnapshot(problems.join('; '))
    const manifest = await manifestIn(snapshots, { projectId, snapshotId }, signal)
    const names = manifest?.tables.flatMap(tableFiles).map(({ file }) => file) ?? []
    const lease = manifest && (await snapshots.open(projectId, snapshotId, names, signal))
    if (!lease)
      throw new Refusal(
        `The snapshot ${snapshotId} was removed meanwhile, or is in a format of another version`,
      )
    return { folder: lease.folder, manifest, release: async () => lease.release() }
  } catch (cause) {
    if (!(cause instanceof DamagedSnapshot)) throw cause
    throw new Refusal(
      `The snapshot ${snapshotId} is damaged: restore it from a backup, or seal again: ${cause.message}`,
    )
  }
}

function digestsOf(table: StoredTable): string[] {
  return tableFiles(table).map(({ sha256 }) => sha256)
}

function pathsOf(table: StoredTable, folder: string): string[] {
  return tableFiles(table).map(({ file }) => join(folder, file))
}

/** The columns of a table that identify a row, as the catalogue has it now. */
function keyOf({ relations }: Catalogue, name: string): readonly string[] {
  const definition = relations.get(name)
  return definition?.kind === 'table' ? definition.unique : []
}

function tablesOf({ tables }: SnapshotManifest, choice: TableChoice): Map<string, StoredTable> {
  const chosen = choice ? tables.filter(({ name }) => name === choice.table) : tables
  return new Map(chosen.map(table => [table.name, table]))
}

function comparedTable(
  before: StoredTable | undefined,
  after: StoredTable | undefined,
  key: readonly string[],
  difference: TableDifference | undefined,
): ComparedTable {
  const { name } = (after ?? before) as StoredTable
  const [from, to] = [before?.rows ?? 0, after?.rows ?? 0]
  if (difference) return { state: isDifferent(difference) ? 'different' : 'same', ...difference }
  return {
    name,
    state: before && after ? 'same' : before ? 'removed' : 'added',
    key: key.length > 0 ? [...key] : null,
    rows: { from, to, added: before ? 0 : to, removed: after ? 0 : from, changed: key.length > 0 ? 0 : null },
    columns: { added: [], removed: [], retyped: [], changed: [] },
  }
}

function isDifferent({ rows, columns }: TableDifference): boolean {
  const { added, removed, retyped } = columns
  const isOther = added.length + removed.length + retyped.length > 0
  return isOther || rows.added + rows.removed + (rows.changed ?? 0) > 0
}

function summaryOf(
  { snapshotId: id, assessmentId, sealedAt }: SnapshotManifest,
  catalogue: Catalogue,
): ComparedSnapshot {
  const isTold = assessmentId !== undefined && wordsOf(catalogue).hasAssessments
  return { id, ...(isTold ? { assessmentId } : {}), sealedAt }
}
