import { createHash } from 'node:crypto'
import { type StoredFile, tableKey } from 'foldgate/internal'
import type { MemoryObjects } from '../../../../test/unit/objects/memory.js'

export const PROJECT = '0a000000-0000-4000-8000-000000000001'

/** Puts files of these sizes into a store in memory. The same sizes give the same files. */
export async function put(
  store: MemoryObjects,
  sizes: Readonly<Record<string, number>>,
  projectId = PROJECT,
): Promise<StoredFile[]> {
  return Object.entries(sizes).map(([name, size]) => {
    const bytes = Buffer.alloc(size, `rows of ${name} `)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const stored = { file: `${sha256}-00000000.parquet`, sha256, bytes: size }
    store.objects.set(tableKey(projectId, stored), { bytes, modifiedAt: store.now })
    return stored
  })
}
