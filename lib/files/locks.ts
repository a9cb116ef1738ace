import { randomUUID } from 'node:crypto'
import { mkdir, readdir, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded, OWN_NAME } from '../flow/identity.js'
import { ifMissing } from './missing.js'

/** A lock has any number of shared holders, or a single exclusive one. */
export type LockMode = 'shared' | 'exclusive'

/** Releases a lock. */
export type Release = () => Promise<void>

/** A process touches what it holds every minute. */
export const BEAT_EVERY_MS = 60_000
/** The process of a file or folder that was not touched for 15 minutes has ended. */
export const SILENT_MS = 15 * BEAT_EVERY_MS
const LONGEST_PAUSE_MS = 40

/**
 * Locks as files in a folder: `<name>~<mode>~<process>~<uuid>`. Processes on several machines may share the
 * folder. A lock lapses when its file is abandoned by the file system's clock, or when its process on this
 * machine has ended.
 *
 * A process first writes its own file and then looks for others. The later of two processes sees the
 * earlier's file, so locks that exclude each other are never held at once; both processes may fail, though.
 */
export class FileLocks {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Takes a lock, or returns null when another one excludes it. A name contains neither `~` nor `/`. */
  async take(name: string, mode: LockMode): Promise<Release | null> {
    await mkdir(this.#folder, { recursive: true })
    const own = join(this.#folder, `${name}~${mode}~${OWN_NAME ?? ''}~${randomUUID()}`)
    await touch(own).catch(async cause => {
      await unlink(own).catch(() => {}) // on a full disk it is there, empty, and would count
      throw cause
    })
    let beating = Promise.resolve()
    const timer = setInterval(() => {
      beating = touch(own).catch(() => {}) // the next touch may succeed, long before the file counts as abandoned
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

  /** Tries to take a lock for `ms` milliseconds; null when that fails. */
  async takeWithin(ms: number, name: string, mode: LockMode): Promise<Release | null> {
    for (const until = performance.now() + ms; ; ) {
      const release = await this.take(name, mode)
      if (release || performance.now() > until) return release
      await sleep(Math.random() * LONGEST_PAUSE_MS) // random, or two processes could exclude each other forever
    }
  }

  async #isExcluded(name: string, mode: LockMode, own: string): Promise<boolean> {
    for (const file of await readdir(this.#folder)) {
      const [of, held, owner = ''] = file.split('~')
      const path = join(this.#folder, file)
      if (of !== name || path === own || (held === 'shared' && mode === 'shared')) continue
      if (hasEnded(owner) || (await this.#isAbandoned(path, own)))
        await unlink(path).catch(ifMissing(undefined))
      else return true
    }
    return false
  }

  /** Compares the file's time with that of our own file, which the same clock has just set. */
  async #isAbandoned(path: string, own: string): Promise<boolean> {
    const [now, then] = [await touchedAt(own), await touchedAt(path)]
    return now !== null && (then === null || now - then > SILENT_MS)
  }
}

/** Rewrites the file, so that the file system's clock sets its time, not this machine's. */
function touch(path: string): Promise<void> {
  return writeFile(path, '\n')
}

async function touchedAt(path: string): Promise<number | null> {
  return (await stat(path).catch(ifMissing(null)))?.mtimeMs ?? null
}
