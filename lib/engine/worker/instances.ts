import { heldBytes } from '../../process/memory.js'
import { type EngineSettings, MOST_OPEN, type View } from '../jobs.js'
import type { Connection } from './duckdb.js'
import type { FreshInstances } from './fresh.js'
import { SnapshotInstance } from './instance.js'

/** The part of its memory that a process may have taken while it keeps instances that do not run. */
const MOST_HELD = 0.35

/** Instances of a process, one for each snapshot of its organization that was read last: none sees files of another. */
export class SnapshotInstances {
  readonly #settings: EngineSettings
  readonly #fresh: FreshInstances
  /** By the folder of the snapshot; the one used last comes last. */
  readonly #open = new Map<string, SnapshotInstance>()

  constructor(settings: EngineSettings, fresh: FreshInstances) {
    this.#settings = settings
    this.#fresh = fresh
  }

  /** A connection of its own for one statement, on which the view's relations resolve and nothing else. */
  async connect({ folder, files }: View): Promise<Connection> {
    if (this.#open.get(folder)?.hasRoomFor(files) === false) this.#close(folder)
    const known = this.#open.get(folder)
    const instance = known ?? (await SnapshotInstance.open(await this.#fresh.take(), folder, this.#settings))
    this.#open.delete(folder)
    this.#open.set(folder, instance)
    return instance.connect(files)
  }

  /** Sees to it that nothing of one query is there for the next one, and that the next one has memory. */
  async tidy(): Promise<void> {
    const last = [...this.#open].at(-1)
    if (last && !(await last[1].tidy())) this.#close(last[0])
    const most = heldBytes() > MOST_HELD * this.#settings.memoryLimitBytes ? 1 : MOST_OPEN
    for (const folder of [...this.#open.keys()].slice(0, Math.max(0, this.#open.size - most))) this.#close(folder)
  }

  /** Closes the one used last: what is left of it is not trusted. */
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
