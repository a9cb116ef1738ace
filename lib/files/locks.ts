import { randomUUID } from 'node:crypto'
import { mkdir, readdir, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded, OWN_NAME } from '../process/identity.js'
import { ifMissing } from './missing.js'

/** Any number share a thing, or one has it alone. */
export type LockMode = 'shared' | 'exclusive'

/** Gives a lock back. */
export type Release = () => Promise<void>

/** A lock says so often that somebody still has it, and one that has not for so long belongs to nobody. */
const BEAT_EVERY_MS = 60_000
const ABANDONED_MS = 15 * BEAT_EVERY_MS
const LONGEST_PAUSE_MS = 40

/**
 * Locks as files in a folder: `<name>~<mode>~<process>~<uuid>`. Processes of several machines may share it: a process of
 * this machine that has ended has none any more; of any other it is told by the clock of the file system alone.
 *
 * Whoever wants one writes its file and then looks for those of others. Whichever comes second sees the other, so no two
 * ever have what excludes them; that both go without is possible.
 */
export class FileLocks {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Null when another has what excludes it; a name has no `~` and no `/`. */
  async take(name: string, mode: LockMode): Promise<Release | null> {
    await mkdir(this.#folder, { recursive: true })
    const own = join(this.#folder, `${name}~${mode}~${OWN_NAME ?? ''}~${randomUUID()}`)
    await touch(own)
    let beating = Promise.resolve()
    const timer = setInterval(() => {
      beating = touch(own).catch(() => {}) // the next beat may come through, long before the lock counts as abandoned
    }, BEAT_EVERY_MS).unref()
    const release = async () => {
      clearInterval(timer)
      await beating
      await unlink(own).catch(ifMissing(undefined))
    }
    try {
      if (!(await this.#isExcluded(name, mode, own))) return release
    } catch (cause) {
      await release()
      throw cause
    }
    await release()
    return null
  }

  /** Tries again and again for so long. */
  async takeWithin(ms: number, name: string, mode: LockMode): Promise<Release | null> {
    for (const until = performance.now() + ms; ; ) {
      const release = await this.take(name, mode)
      if (release || performance.now() > until) return release
      await sleep(Math.random() * LONGEST_PAUSE_MS) // or two that wait would exclude each other for ever
    }
  }

  async #isExcluded(name: string, mode: LockMode, own: string): Promise<boolean> {
    for (const file of await readdir(this.#folder)) {
      const [of, held, owner = ''] = file.split('~')
      const path = join(this.#folder, file)
      if (of !== name || path === own || (held === 'shared' && mode === 'shared')) continue
      if (hasEnded(owner) || (await this.#isAbandoned(path, own))) await unlink(path).catch(ifMissing(undefined))
      else return true
    }
    return false
  }

  /** Ages are told by the clock that the file of our own was just written by. */
  async #isAbandoned(path: string, own: string): Promise<boolean> {
    const [now, then] = [await touchedAt(own), await touchedAt(path)]
    return now !== null && (then === null || now - then > ABANDONED_MS)
  }
}

/** Writes the file anew: its time is set by whoever keeps the files, not by this machine. */
function touch(path: string): Promise<void> {
  return writeFile(path, '\n')
}

async function touchedAt(path: string): Promise<number | null> {
  return (await stat(path).catch(ifMissing(null)))?.mtimeMs ?? null
}
