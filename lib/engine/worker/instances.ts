import { type EngineSettings, MOST_OPEN, type View } from '../jobs.js'
import type { Connection } from './duckdb.js'
import type { FreshInstances } from './fresh.js'
import { SnapshotInstance } from './instance.js'

/** The part of its memory that a process may have mapped before it looks at what instances hold … */
const MOST_MAPPED = 0.35
/** … and the part that they may hold together, which is blocks of relations read: what is closed can be used again. */
const MOST_HELD = 0.2

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

  /** Sees to it that nothing of one query is there for the next one, and that the next one has memory, `mappedBytes` being taken. */
  async reset(mappedBytes: number): Promise<void> {
    const [folder, last] = [...this.#open].at(-1) ?? []
    if (folder === undefined || !last) return
    const { memoryLimitBytes } = this.#settings
    const isShort = mappedBytes > MOST_MAPPED * memoryLimitBytes
    if (!(await last.reset(isShort))) this.#close(folder)
    const held = () => [...this.#open.values()].reduce((sum, instance) => sum + instance.heldBytes, 0)
    for (const first of [...this.#open.keys()].slice(0, -1)) {
      if (this.#open.size <= MOST_OPEN && !(isShort && held() > MOST_HELD * memoryLimitBytes)) return
      this.#close(first)
    }
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
