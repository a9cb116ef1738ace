import type { Catalogue, SnapshotPort } from 'foldgate'
import { parseManifest, RecentMap } from 'foldgate/internal'
import type { SnapshotManifest } from 'foldgate/sealing'
import type { Log } from '../operation/log.js'

/** Projects of which it is remembered what was logged. */
const MOST_SEEN = 10_000

/**
 * Returns the snapshots of a port, and logs when the manifest of one is read that lacks tables of the catalogue: the
 * catalogue has changed since it was sealed. It is logged once while the project is among the last 10 000, and not for
 * snapshots that are older than one that was read: callers may read any that is kept, and those stay as they are.
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

/** A manifest that can be read; whoever asked for another one tells what is wrong with it. */
function sound(text: string): SnapshotManifest | null {
  try {
    return parseManifest(text)
  } catch {
    return null
  }
}

/** The tables that a snapshot must have and does not; what the tree of ownership needs counts as its table. */
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
