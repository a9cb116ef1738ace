import { randomUUID } from 'node:crypto'
import { mkdir, readdir, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from './missing.js'

/** A lease says so often that somebody still holds it, and one that has not for so long belongs to nobody. */
const BEAT_EVERY_MS = 60_000
const ABANDONED_MS = 15 * BEAT_EVERY_MS
/** What a snapshot's claim has in place of the UUID of a lease. */
const CLAIM = 'claim'

/**
 * Who reads which snapshot, as files in a folder: `<snapshot>~<uuid>`. Processes of several machines may share it, so
 * nothing is asked of a process and ages are told by the clock of the file system alone.
 *
 * Who reads writes a lease and then looks for a claim; who removes writes the claim and then looks for leases. Whichever
 * comes second sees the other, so nothing is removed under a reader.
 */
export class Leases {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Keeps a snapshot from being removed until the returned function is called; null while it is being removed. */
  async hold(snapshotId: string): Promise<(() => Promise<void>) | null> {
    await mkdir(this.#folder, { recursive: true })
    const lease = join(this.#folder, `${snapshotId}~${randomUUID()}`)
    await touch(lease)
    let beating = Promise.resolve()
    const timer = setInterval(() => {
      beating = touch(lease).catch(() => {}) // the next beat may come through, long before the lease counts as abandoned
    }, BEAT_EVERY_MS).unref()
    const release = async () => {
      clearInterval(timer)
      await beating
      await unlink(lease).catch(ifMissing(undefined))
    }
    try {
      const claimedAt = await touchedAt(this.#claim(snapshotId))
      const now = await touchedAt(lease)
      if (claimedAt === null || (now !== null && now - claimedAt > ABANDONED_MS)) return release
    } catch (cause) {
      await release()
      throw cause
    }
    await release()
    return null
  }

  /** Runs `remove` unless somebody holds the snapshot or is removing it; says whether it ran. */
  async unlessHeld(snapshotId: string, remove: () => Promise<void>): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true })
    const now = await this.#now()
    const claim = this.#claim(snapshotId)
    const claimedAt = await touchedAt(claim)
    if (claimedAt !== null && now - claimedAt > ABANDONED_MS) await unlink(claim).catch(ifMissing(undefined))
    const claimed = await writeFile(claim, '', { flag: 'wx' }).then(
      () => true,
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EEXIST') return false
        throw cause
      },
    )
    if (!claimed) return false
    try {
      if (await this.#isHeld(snapshotId, now)) return false
      await remove()
      return true
    } finally {
      await unlink(claim).catch(ifMissing(undefined))
    }
  }

  async #isHeld(snapshotId: string, now: number): Promise<boolean> {
    let isHeld = false
    for (const name of await readdir(this.#folder)) {
      const [of, lease] = name.split('~')
      if (of !== snapshotId || lease === CLAIM) continue
      const path = join(this.#folder, name)
      const beatAt = await touchedAt(path)
      if (beatAt === null) continue
      if (now - beatAt > ABANDONED_MS) await unlink(path).catch(ifMissing(undefined))
      else isHeld = true
    }
    return isHeld
  }

  #claim(snapshotId: string): string {
    return join(this.#folder, `${snapshotId}~${CLAIM}`)
  }

  /** The time as the file system has it, in its epoch milliseconds. */
  async #now(): Promise<number> {
    const probe = join(this.#folder, `${randomUUID()}~now`)
    await touch(probe)
    const now = await touchedAt(probe)
    await unlink(probe).catch(ifMissing(undefined))
    return now ?? Date.now()
  }
}

/** Writes the file anew: its time is set by whoever keeps the files, not by this machine. */
function touch(path: string): Promise<void> {
  return writeFile(path, '\n')
}

async function touchedAt(path: string): Promise<number | null> {
  return (await stat(path).catch(ifMissing(null)))?.mtimeMs ?? null
}
