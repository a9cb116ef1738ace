import {
  FORMAT_VERSION,
  SEVERAL_FILES_VERSION,
  SHARED_FILES_VERSION,
  type SnapshotManifest,
  type StoredFile,
  type StoredTable,
  TREELESS_VERSION,
} from './manifest.js'

/** The oldest format that can tell what was sealed, so that as many versions as possible read it. */
export function oldestFormatOf({
  rootId,
  assessmentId,
  tables,
}: {
  rootId?: string | undefined
  assessmentId?: string | undefined
  tables: readonly StoredTable[]
}): number {
  if (rootId === undefined || assessmentId === undefined) return TREELESS_VERSION
  return tables.some(table => 'files' in table) ? SEVERAL_FILES_VERSION : FORMAT_VERSION
}

/** The manifest of the same snapshot in a bucket, in which `holderOf` says where each file is. */
export function withHolders<Manifest extends Omit<SnapshotManifest, 'snapshotId'>>(
  manifest: Manifest,
  holderOf: (file: StoredFile) => string,
): Manifest {
  const held = <Entry extends StoredFile>(entry: Entry) => ({ ...entry, holder: holderOf(entry) })
  return { ...eachFile(manifest, held), formatVersion: SHARED_FILES_VERSION }
}

/** The manifest of the same snapshot in a folder, which has all of its files. */
export function withoutHolders<Manifest extends Omit<SnapshotManifest, 'snapshotId'>>(
  manifest: Manifest,
): Manifest {
  if (manifest.formatVersion !== SHARED_FILES_VERSION) return manifest
  const bare = <Entry extends StoredFile>({ holder: _, ...entry }: Entry) => entry as Entry
  return { ...eachFile(manifest, bare), formatVersion: oldestFormatOf(manifest) }
}

function eachFile<Manifest extends Omit<SnapshotManifest, 'snapshotId'>>(
  manifest: Manifest,
  change: <Entry extends StoredFile>(entry: Entry) => Entry,
): Manifest {
  const { entities } = manifest
  const tables = manifest.tables.map(
    (table): StoredTable => ('files' in table ? { ...table, files: table.files.map(change) } : change(table)),
  )
  return { ...manifest, ...(entities ? { entities: change(entities) } : {}), tables }
}
