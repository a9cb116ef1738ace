import { randomUUID } from 'node:crypto'
import { rename, rmdir, unlink } from 'node:fs/promises'
import { type EntryName, OpenFolder } from './open-folder.js'

const codeOf = (cause: unknown) => (cause as NodeJS.ErrnoException).code ?? ''

/**
 * Removes a file, or a folder with everything in it; nothing when there is none. Folders may have any depth, names and
 * modes, and no link is followed. Rejects when something remains, with the first reason, after everything else is gone.
 */
export async function removeTree(path: string): Promise<void> {
  let root: OpenFolder
  try {
    root = await OpenFolder.open(path)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return
    if (!['ENOTDIR', 'ELOOP'].includes(codeOf(cause))) throw cause
    return unlink(path)
  }
  let failure: unknown = null
  try {
    const removal = new Removal(root)
    await root.unlock()
    // Each pass removes folders, and moves those within them up: so no more than two are open at a time.
    do failure = await removal.pass()
    while (removal.hasAdvanced)
  } finally {
    await root.close()
  }
  await rmdir(path).catch(cause => {
    throw failure ?? cause
  })
}

/** Empties a folder. */
class Removal {
  readonly #root: OpenFolder
  readonly #name = randomUUID()
  #moved = 0
  #failure: unknown = null
  /** Whether the last pass has removed or moved anything. */
  hasAdvanced = false

  constructor(root: OpenFolder) {
    this.#root = root
  }

  /** Returns why something in the folder could not be removed; null when nothing failed. */
  async pass(): Promise<unknown> {
    this.hasAdvanced = false
    this.#failure = null
    for await (const entry of this.#root.entries()) {
      const path = this.#root.at(entry.name)
      if (entry.isDirectory()) await this.#empty(entry.name)
      await this.#try(() => (entry.isDirectory() ? rmdir(path) : unlink(path)))
    }
    return this.#failure
  }

  /** Removes the files of a folder in the root, and moves its folders to the root. */
  async #empty(name: EntryName): Promise<void> {
    const folder = await this.#unlocked(this.#root, name)
    try {
      for await (const entry of folder?.entries() ?? []) {
        const path = folder?.at(entry.name) as EntryName
        if (entry.isDirectory()) await (await this.#unlocked(folder as OpenFolder, entry.name))?.close()
        const next = this.#root.at(`${this.#name}-${this.#moved++}`)
        await this.#try(() => (entry.isDirectory() ? rename(path, next) : unlink(path)))
      }
    } finally {
      await folder?.close()
    }
  }

  /** Opens a folder, which its user could neither list nor move while it has no rights; null when it cannot be opened. */
  async #unlocked(within: OpenFolder, name: EntryName): Promise<OpenFolder | null> {
    try {
      const folder = await within.folder(name)
      await folder.unlock()
      return folder
    } catch (cause) {
      this.#failure ??= cause
      return null
    }
  }

  async #try(act: () => Promise<unknown>): Promise<void> {
    try {
      await act()
      this.hasAdvanced = true
    } catch (cause) {
      this.#failure ??= cause
    }
  }
}
