import type { Catalogue, SnapshotPort } from 'foldgate'
import { parseManifest, RecentMap } from 'foldgate/internal'
import type { SnapshotManifest } from 'foldgate/sealing'
import type { Log } from '../operation/log.js'

/** Projects whose newest snapshot that was looked at is remembered. */
const MOST_SEEN = 10_000

/**
 * Returns a port that also logs a warning when a caller reads a snapshot without all tables of the catalogue, which has
 * changed since the snapshot was sealed. A snapshot is looked at once, and older ones of its project are not, since they
 * never change; this is forgotten for all but the last 10 000 projects.
 */
export function tellingLackingTables(port: SnapshotPort, catalogue: Catalogue, log: Log): SnapshotPort {
  /** The newest snapshot of a project that was looked at; ids sort by age. */
  const seen = new RecentMap<string, string>(MOST_SEEN)
  const look = (projectId: string, snapshotId: string, text: string) => {
    const manifest = sound(text)
    const lacking = manifest ? lackingTables(manifest, catalogue) : []
    if (lacking.length > 0)
      log.warn(
        { type: 'snapshot', projectId, snapshotId, tables: lacking },
        `a snapshot that is read lacks tables of the catalogue (${lacking.join(', ')}): seal the project again, ` +
          'or set --catalogue if it was sealed with another one',
      )
  }
  return {
    ...port,
    async manifestOf(projectId, snapshotId, signal) {
      const text = await port.manifestOf(projectId, snapshotId, signal)
      if (text !== null && (seen.get(projectId) ?? '') < snapshotId) {
        seen.set(projectId, snapshotId)
        look(projectId, snapshotId, text)
      }
      return text
    },
  }
}

/** Parses a manifest. Returns null for a damaged one: the caller who reads it reports what is wrong with it. */
function sound(text: string): SnapshotManifest | null {
  try {
    return parseManifest(text)
  } catch {
    return null
  }
}

/** Lists the tables that a snapshot lacks. Without the ids of entities, it lacks the table of the ownership tree. */
function lackingTables(
  { tables, entities }: SnapshotManifest,
  { relations, hierarchy }: Catalogue,
): string[] {
  const stored = new Set(tables.map(({ name }) => name))
  const lacking = [...relations.values()].flatMap(relation =>
    relation.kind === 'table' && !relation.optional && !stored.has(relation.name) ? relation.name : [],
  )
  const hasNoTree = hierarchy !== null && entities === undefined && !lacking.includes(hierarchy.table)
  return hasNoTree ? [hierarchy.table, ...lacking] : lacking
}
