import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ifMissing } from 'foldgate/internal'

/**
 * Creates a folder and its missing parents, which only their owner may read. Not with
 * `recursive` of Node, which tries again without end where a file system answers ENOENT for a
 * folder whose parent exists, as /proc does.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent)
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (cause) {
    // Another process may have created it meanwhile.
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(path))) throw cause
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(ifMissing(null)))?.isDirectory() ?? false
}
