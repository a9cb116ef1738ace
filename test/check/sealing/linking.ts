import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DirectorySnapshots } from 'foldgate'

/** Files that snapshots share, large enough that comparing them takes as long as removing them. */
const SHARED = ['a', 'b', 'c', 'd', 'e', 'f']
const BYTES = 64 * 1024

/** Publishes a snapshot with tables that all have in common, and one of its own. */
export async function publishShared(snapshots: DirectorySnapshots, projectId: string, own: string) {
  const draft = await snapshots.draft()
  const contents = [...SHARED.map(name => [name, name.repeat(BYTES)]), ['own', own]] as [string, string][]
  const tables = contents.map(([name, text]) => {
    const sha256 = createHash('sha256').update(text).digest('hex')
    return { name, rows: 1, columns: [], file: `${name}.parquet`, sha256 }
  })
  for (const [name, text] of contents) await writeFile(join(draft, `${name}.parquet`), text)
  return snapshots.publish(draft, { formatVersion: 3, projectId, sealedAt: new Date().toISOString(), tables })
}
