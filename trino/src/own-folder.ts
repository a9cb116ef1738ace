import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { cancelled } from 'foldgate/engine'

const PART = /^service-[0-9a-f-]{36}$/
/** A service that runs touches its part every hour. */
const TOUCH_MS = 3_600_000
const LEFT_ALONE_MS = 24 * TOUCH_MS

/**
 * The part of a folder that one service uses for its files; the parts of services that have ended are
 * removed.
 */
export class OwnFolder {
  readonly path: string
  readonly #parent: string
  readonly #touching: NodeJS.Timeout
  #made: Promise<string> | undefined
  #isRemoved = false

  constructor(parent: string) {
    this.#parent = parent
    this.path = join(parent, `service-${randomUUID()}`)
    this.#touching = setInterval(
      () => void utimes(this.path, new Date(), new Date()).catch(() => {}),
      TOUCH_MS,
    ).unref()
  }

  /** A path for a new file in the folder. */
  async file(extension: string): Promise<string> {
    return join(await this.made(), [randomUUID(), extension].join('.'))
  }

  /** A new folder in the folder. */
  async folder(): Promise<string> {
    const path = join(await this.made(), randomUUID())
    await mkdir(path, { mode: 0o700 })
    return path
  }

  /** Removes it for good: whoever asks for a file later is told that the engine is closed. */
  async remove(): Promise<void> {
    this.#isRemoved = true
    clearInterval(this.#touching)
    await rm(this.path, { recursive: true, force: true })
  }

  /** Makes the folder, unless it is there. Throws an EngineFailure once the folder was removed. */
  async made(): Promise<string> {
    if (this.#isRemoved) throw cancelled()
    this.#made ??= this.#create()
    this.#made.catch(() => {
      this.#made = undefined
    })
    return this.#made
  }

  async #create(): Promise<string> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    for (const name of await readdir(this.#parent)) {
      const part = join(this.#parent, name)
      if (!PART.test(name) || part === this.path) continue
      const { mtimeMs } = await stat(part)
      if (Date.now() - mtimeMs > LEFT_ALONE_MS) await rm(part, { recursive: true, force: true })
    }
    return this.path
  }
}
