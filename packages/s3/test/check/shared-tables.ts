import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PublishOptions } from 'foldgate/internal'
import type { SnapshotManifest, SnapshotStore } from 'foldgate/sealing'

/** Publishes a snapshot of tables whose files have this text, which makes equal ones the same file. */
export async function publishTables(
  store: SnapshotStore,
  projectId: string,
  tables: Readonly<Record<string, string>>,
  options: PublishOptions & { signal?: AbortSignal } = {},
): Promise<SnapshotManifest> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-sealing-'))
  const write = async (file: string, content: string) => {
    await writeFile(join(folder, file), content)
    return { file, sha256: createHash('sha256').update(content).digest('hex'), bytes: Buffer.byteLength(content) }
  }
  const stored: SnapshotManifest['tables'] = []
  for (const [name, text] of Object.entries(tables))
    stored.push({ name, ...(await write(`${name}.parquet`, text)), rows: 1, columns: [] })
  const manifest = {
    formatVersion: 1,
    projectId,
    assessmentId: randomUUID(),
    sealedAt: new Date().toISOString(),
    rootId: projectId,
    entities: { ...(await write('entities.ids', '16 bytes of an id')), count: 1 },
    tables: stored,
  }
  const { signal, ...more } = options
  return store
    .publish(folder, manifest, signal, more)
    .then(published => published.manifest)
    .finally(() => rm(folder, { recursive: true }))
}
