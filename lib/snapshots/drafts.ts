import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from '../files/missing.js'
import { hasEnded, OWN_NAME } from '../flow/identity.js'

/** A draft that has not changed for this long is abandoned: sealing takes minutes. */
const ABANDONED_MS = 3_600_000

/** Each process sweeps as often as this before it creates a draft, so that many drafts at once cost no more. */
const SWEPT_EVERY_MS = 60_000

/**
 * Folders in which snapshots are written before they are published, named `<process>~<uuid>`. The name of the
 * process lets a sweep remove at once what a killed process of this machine left; other leftovers are removed
 * by age, except those of this process.
 */
export class Drafts {
  readonly folder: string
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(folder: string) {
    this.folder = folder
  }

  async create(): Promise<string> {
    if (performance.now() - this.#sweptAt > SWEPT_EVERY_MS) await this.sweep()
    const draft = join(this.folder, `${OWN_NAME ?? ''}~${randomUUID()}`)
    await mkdir(draft, { recursive: true })
    return draft
  }

  /**
   * Path to move a folder to before removing it; a sweep removes what an interrupted removal leaves there.
   */
  async grave(name: string): Promise<string> {
    await mkdir(this.folder, { recursive: true })
    return join(this.folder, `${name}-${randomUUID()}`)
  }

  /** Removes abandoned drafts. */
  async sweep(): Promise<void> {
    this.#sweptAt = performance.now()
    for (const name of await readdir(this.folder).catch(ifMissing([] as string[]))) {
      const [owner = ''] = name.split('~')
      if (owner === OWN_NAME) continue // may take long, and clocks jump
      const path = join(this.folder, name)
      const found = await stat(path).catch(ifMissing(null))
      if (found && (hasEnded(owner) || Date.now() - found.mtimeMs > ABANDONED_MS))
        await rm(path, { recursive: true, force: true })
    }
  }
}
