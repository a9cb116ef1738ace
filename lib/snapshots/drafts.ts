import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from '../files/missing.js'
import { hasEnded, OWN_NAME } from '../process/identity.js'

/** A draft of another machine is given up when it is older: sealing takes minutes. */
const ABANDONED_MS = 3_600_000

/**
 * Folders in which snapshots are written before they are published, `<process>~<uuid>`: what a process of this machine
 * left when it was killed goes with the next look, what is of another machine by its age.
 */
export class Drafts {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async create(): Promise<string> {
    await this.sweep()
    const draft = join(this.#folder, `${OWN_NAME ?? ''}~${randomUUID()}`)
    await mkdir(draft, { recursive: true })
    return draft
  }

  /** Where something is moved to that is to be removed. */
  async grave(name: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true })
    return join(this.#folder, `${name}-${randomUUID()}`)
  }

  /** Removes what nobody writes any more. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(ifMissing([] as string[]))) {
      const path = join(this.#folder, name)
      const found = await stat(path).catch(ifMissing(null))
      const [owner = ''] = name.split('~')
      if (found && (hasEnded(owner) || Date.now() - found.mtimeMs > ABANDONED_MS))
        await rm(path, { recursive: true, force: true })
    }
  }
}
