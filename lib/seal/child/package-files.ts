import { join } from 'node:path'
import { openRegular, type RegularFile } from '../../files/regular.js'

/** The files of a package. They stay open until all is read, so that the engine reads what was checked. */
export class PackageFiles {
  readonly #folder: string
  readonly #opened: RegularFile[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Opens a file, and returns it with the path under which the engine opens it too. */
  async open(name: string): Promise<{ file: RegularFile; path: string }> {
    const path = join(this.#folder, name)
    const file = await openRegular(path)
    this.#opened.push(file)
    // On Linux, the path of the open file: another file may take its place in the folder.
    return { file, path: process.platform === 'linux' ? `/proc/self/fd/${file.handle.fd}` : path }
  }

  async close(): Promise<void> {
    for (const { handle } of this.#opened.splice(0)) await handle.close()
  }
}
