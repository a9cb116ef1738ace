import { join } from 'node:path'
import type { View, WorkerSettings } from '../jobs.js'
import type { Connection } from './duckdb.js'
import type { FreshInstances } from './fresh.js'
import { SnapshotInstance } from './instance.js'

/** Share of its memory limit that a process may have mapped before its instances are measured. */
const MOST_MAPPED = 0.35
/**
 * Share that they may then hold together, in blocks of relations read; closing an instance lets memory be
 * reused.
 */
const MOST_HELD = 0.2

/**
 * A worker's instances, one per recently read snapshot of its organization; none can access the files of
 * another.
 */
export class SnapshotInstances {
  readonly #settings: WorkerSettings
  readonly #fresh: FreshInstances
  /** By the folder of the snapshot; the most recently used comes last. */
  readonly #open = new Map<string, SnapshotInstance>()

  constructor(settings: WorkerSettings, fresh: FreshInstances) {
    this.#settings = settings
    this.#fresh = fresh
  }

  /**
   * A connection for one statement, on which only the view's relations resolve: with a `key`, the one that
   * was kept under it.
   */
  async connect({ folder, files }: View, key: string | null = null): Promise<Connection> {
    if (this.#open.get(folder)?.hasRoomFor(files) === false) this.#close(folder)
    const known = this.#open.get(folder)
    const path = join(this.#settings.given, folder)
    const instance = known ?? (await SnapshotInstance.open(await this.#fresh.take(), path, this.#settings))
    this.#open.delete(folder)
    this.#open.set(folder, instance)
    return instance.connect(files, key)
  }

  /** Keeps a connection for the next statement with its key. */
  keep({ folder, files }: View, key: string, connection: Connection): void {
    const instance = this.#open.get(folder)
    if (instance) instance.keep(files, key, connection)
    else connection.disconnectSync()
  }

  /**
   * Resets the last used instance, and closes old ones when `mappedBytes` leave the next query too little
   * memory.
   */
  async reset(mappedBytes: number): Promise<void> {
    const [folder, last] = [...this.#open].at(-1) ?? []
    if (folder === undefined || !last) return
    const { memoryLimitBytes, mostOpen } = this.#settings
    const isShort = mappedBytes > MOST_MAPPED * memoryLimitBytes
    if (!(await last.reset(isShort))) this.#close(folder)
    const held = () => [...this.#open.values()].reduce((sum, instance) => sum + instance.heldBytes, 0)
    for (const first of [...this.#open.keys()].slice(0, -1)) {
      if (this.#open.size <= mostOpen && !(isShort && held() > MOST_HELD * memoryLimitBytes)) return
      this.#close(first)
    }
  }

  /** Closes the instance used last, because its state is no longer trusted. */
  closeLast(): void {
    const last = [...this.#open.keys()].at(-1)
    if (last !== undefined) this.#close(last)
  }

  closeAll(): void {
    for (const folder of [...this.#open.keys()]) this.#close(folder)
  }

  #close(folder: string): void {
    this.#open.get(folder)?.close()
    this.#open.delete(folder)
  }
}
