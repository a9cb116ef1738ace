import type { Catalogue, SnapshotLease, SnapshotPort } from 'foldgate'
import { RecentMap, readManifest } from 'foldgate/internal'
import type { SnapshotManifest } from 'foldgate/sealing'
import { loggedReason } from '../operation/event-log.js'
import type { Log } from '../operation/log.js'

/** Projects of which it is remembered what was logged. */
const MOST_SEEN = 10_000

/**
 * Returns the snapshots of a port, and logs when one is opened that lacks tables of the catalogue: the
 * catalogue has changed since it was sealed. It is logged once while the project is among the last 10 000, and not for snapshots that are older than one that was
 * opened: callers may read any that is kept, and those stay as they are.
 */
export function tellingLackingTables(port: SnapshotPort, catalogue: Catalogue, log: Log): SnapshotPort {
  /** The newest snapshot of a project that was looked at; ids sort by age. */
  const seen = new RecentMap<string, string>(MOST_SEEN)
  const look = async (projectId: string, snapshotId: string, folder: string) => {
    const manifest = await readManifest(folder)
    const lacking = manifest ? lackingTables(manifest, catalogue) : []
    if (lacking.length > 0)
      log.warn(
        { type: 'snapshot', projectId, snapshotId, tables: lacking },
        `a snapshot that is read lacks tables of the catalogue (${lacking.join(', ')}): seal the project again, ` +
          'or set --catalogue if it was sealed with another one',
      )
  }
  const told = async (projectId: string, snapshotId: string, opening: Promise<SnapshotLease | null>) => {
    const lease = await opening
    if (lease === null || (seen.get(projectId) ?? '') >= snapshotId) return lease
    seen.set(projectId, snapshotId)
    await look(projectId, snapshotId, lease.folder).catch(cause =>
      // The call that reads the snapshot fails for the same reason, and tells it.
      log.warn({ type: 'background' }, `reading a manifest failed: ${loggedReason(cause)}`),
    )
    return lease
  }
  return {
    ...port,
    open: (projectId, snapshotId, signal) =>
      told(projectId, snapshotId, port.open(projectId, snapshotId, signal)),
    openFiles: (projectId, snapshotId, files, signal) =>
      told(
        projectId,
        snapshotId,
        port.openFiles?.(projectId, snapshotId, files, signal) ?? port.open(projectId, snapshotId, signal),
      ),
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
