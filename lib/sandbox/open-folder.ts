import { constants } from 'node:fs'
import { chmod, lstat, open, opendir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Opens a folder whatever its mode; of Linux, and no constant of Node. */
const O_PATH = 0o10000000
const FLAGS = O_PATH | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** The name of an entry as bytes, since a process may choose some that are no text, or as text. */
export type EntryName = Buffer | string

/**
 * A folder that a process has made, and its entries. On Linux it is reached by its descriptor: no path gets too long,
 * and none leads through a symbolic link, whatever takes the place of a folder meanwhile.
 */
export class OpenFolder {
  readonly #path: string
  readonly close: () => Promise<void>

  private constructor(path: string, close: () => Promise<void>) {
    this.#path = path
    this.close = close
  }

  /** Rejects with ENOENT when nothing is there, and with ENOTDIR for anything but a folder, such as a link. */
  static async open(path: EntryName): Promise<OpenFolder> {
    if (process.platform === 'linux') {
      const handle = await open(path, FLAGS)
      return new OpenFolder(`/proc/self/fd/${handle.fd}`, () => handle.close())
    }
    if (!(await lstat(path)).isDirectory())
      throw Object.assign(new Error('it is no folder'), { code: 'ENOTDIR' })
    return new OpenFolder(path.toString(), async () => {})
  }

  /** The path of an entry, which must be a name without a separator. */
  at(name: EntryName): EntryName {
    return Buffer.isBuffer(name)
      ? Buffer.concat([Buffer.from(`${this.#path}/`), name])
      : join(this.#path, name)
  }

  /** Opens a folder in this one. */
  folder(name: EntryName): Promise<OpenFolder> {
    return OpenFolder.open(this.at(name))
  }

  /** Lets the host change what is in it, if it belongs to the host. */
  async unlock(): Promise<void> {
    await chmod(this.#path, 0o700).catch(() => {}) // the next operation on the folder reports the error
  }

  /** Its entries, with their names as bytes; as text under Bun, which tells no other names. */
  async *entries(): AsyncGenerator<{ name: EntryName; isDirectory(): boolean }> {
    if ('bun' in process.versions) return yield* await readdir(this.#path, { withFileTypes: true })
    const options = { encoding: 'buffer', bufferSize: 256 } as unknown as { bufferSize: number } // not in its types
    for await (const entry of await opendir(this.#path, options)) yield entry
  }
}
