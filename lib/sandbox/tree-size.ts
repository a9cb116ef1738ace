import { lstat } from 'node:fs/promises'
import { type EntryName, OpenFolder } from './open-folder.js'

/** The size of a folder with all that is below it. */
export interface TreeSize {
  /** Files and folders. */
  entries: number
  /** How many folders are in each other. */
  levels: number
  /** What the files take on the disk. */
  bytes: number
}

const BLOCK_BYTES = 512

/**
 * Measures what a process has in a folder, which it may change meanwhile: entries that cannot be read count as nothing.
 * Ends soon after the folder is found to have more than `most`.
 */
export async function treeSize(path: string, most: TreeSize): Promise<TreeSize> {
  const found = { entries: 0, levels: 0, bytes: 0 }
  const isOver = () => found.entries > most.entries || found.levels > most.levels || found.bytes > most.bytes
  const count = async (folder: OpenFolder, level: number): Promise<void> => {
    found.levels = Math.max(found.levels, level)
    const [files, folders]: [EntryName[], EntryName[]] = [[], []]
    // A list is read much sooner than each of its files is looked at.
    for await (const entry of folder.entries()) {
      found.entries++
      if (isOver()) return
      const kind = entry.isDirectory() ? folders : files
      kind.push(entry.name)
    }
    for (const name of files) {
      found.bytes += await lstat(folder.at(name)).then(
        ({ blocks }) => blocks * BLOCK_BYTES,
        () => 0,
      )
      if (isOver()) return
    }
    for (const name of folders) await within(() => folder.folder(name), level + 1)
  }
  const within = async (open: () => Promise<OpenFolder>, level: number) => {
    const folder = await open().catch(() => null)
    try {
      if (folder) await count(folder, level)
    } catch {
      // It was removed, or has no rights.
    } finally {
      await folder?.close().catch(() => {})
    }
  }
  await within(() => OpenFolder.open(path), 0)
  return found
}
