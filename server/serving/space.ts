import { randomUUID } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnalyticsEvent } from 'foldgate'
import { isNoSpace, noSpaceIn } from 'foldgate/internal'
import { loggedReason } from '../operation/event-log.js'
import type { Log } from '../operation/log.js'
import type { DataFolder } from '../snapshots/data-folder.js'

/** The least space that a relation, a copy of a table and an export need. */
const NEEDED_BYTES = 1024 ** 2
/** With more free space than this, nothing is written to find out. */
const PLENTY_BYTES = 64 * NEEDED_BYTES
/** After this long, an answered call is no longer evidence that calls are answered. */
const ANSWERED_MS = 30_000
const METHODS = ['projects/query', 'projects/export']

/**
 * Whether calls are refused because a disk is full. Some calls need no space, such as those that read
 * relations that are open, so a full disk counts only while no call that reads a project is answered. The folder of the
 * snapshots counts only if it has copies of those in a bucket: calls write nothing to any other one.
 */
export class DiskSpace {
  readonly #folders: readonly string[]
  readonly #log: Log
  /** When the last call was answered, and when the first one was refused since there was space. */
  #answeredAt: number | null = null
  #refusedAt: number | null = null
  #isFull = false

  constructor(
    { engine, snapshots, hasCopies }: Pick<DataFolder, 'engine' | 'snapshots' | 'hasCopies'>,
    log: Log,
  ) {
    this.#folders = hasCopies ? [engine, snapshots] : [engine]
    this.#log = log
  }

  /** Records whether a call was answered. */
  see(event: AnalyticsEvent): void {
    if (event.type !== 'call' || !METHODS.includes(event.method)) return
    if (event.outcome === 'OK') this.#answeredAt = performance.now()
    if (event.outcome === 'UNAVAILABLE') this.#refusedAt ??= performance.now()
  }

  /** Rejects while no call is answered for lack of space. */
  async check(): Promise<void> {
    const folders = this.#answeredAt === null || this.#refusedAt !== null ? this.#folders : []
    const full = await Promise.all(folders.map(requireSpace)).catch((cause: unknown) => ({ cause }))
    if (!('cause' in full)) {
      if (this.#isFull) this.#log.info({ type: 'disk' }, 'there is space again')
      this.#isFull = false
      this.#refusedAt = null
      return
    }
    if (!this.#isFull)
      this.#log.error(
        { type: 'disk' },
        `${loggedReason(full.cause)}: calls may be UNAVAILABLE until some is freed, or the disk is enlarged`,
      )
    this.#isFull = true
    const answeredAt = this.#answeredAt ?? Number.NEGATIVE_INFINITY
    const isAnswering = answeredAt > (this.#refusedAt ?? 0) && performance.now() - answeredAt < ANSWERED_MS
    if (!isAnswering) throw full.cause
  }
}

/** Rejects when writing to a folder shows that its disk is full or a quota is used up. */
async function requireSpace(folder: string): Promise<void> {
  const found = await statfs(folder).catch(() => null)
  if (found && found.bavail * found.bsize > PLENTY_BYTES && (found.files === 0 || found.ffree > 0)) return
  const path = join(folder, `.space-${randomUUID()}`)
  try {
    await writeFile(path, Buffer.alloc(NEEDED_BYTES))
  } catch (cause) {
    if (isNoSpace(cause)) throw await noSpaceIn([folder], cause) // the checks of the folders report other failures
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}
