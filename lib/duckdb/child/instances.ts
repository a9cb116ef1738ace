import { join } from 'node:path'
import type { View, WorkerSettings } from '../jobs.js'
import type { Connection } from './duckdb.js'
import type { FreshInstances } from './fresh.js'
import { ProjectInstance } from './instance.js'

/** Share of its memory limit that a process may have mapped before its instances are measured. */
const MOST_MAPPED = 0.35
/**
 * Share that they may then hold together, in blocks of relations read; closing an instance lets memory be
 * reused.
 */
const MOST_HELD = 0.2

/**
 * A worker's instances, one per recently read project of its organization; no instance can access the files of another.
 */
export class ProjectInstances {
  readonly #settings: WorkerSettings
  readonly #fresh: FreshInstances
  /** By the folder of the project; the most recently used comes last. */
  readonly #open = new Map<string, ProjectInstance>()

  /** Folders of the instances that have run statements since the last check. */
  readonly #unchecked = new Set<string>()

  constructor(settings: WorkerSettings, fresh: FreshInstances) {
    this.#settings = settings
    this.#fresh = fresh
  }

  /** A connection for one statement, see {@link ProjectInstance.connect}. */
  async connect({ folder, files }: View, key: string | null = null, sql?: string): Promise<Connection> {
    if (this.#open.get(folder)?.canServe(files) === false) this.#close(folder)
    const known = this.#open.get(folder)
    const path = join(this.#settings.given, folder)
    const instance = known ?? (await ProjectInstance.open(await this.#fresh.take(), path, this.#settings))
    this.#open.delete(folder)
    this.#open.set(folder, instance)
    this.#unchecked.add(folder)
    return instance.connect(files, key, sql)
  }

  /** Keeps a connection for the next statement with its key. */
  keep({ folder, files }: View, key: string, connection: Connection): void {
    const instance = this.#open.get(folder)
    if (instance) instance.keep(files, key, connection)
    else connection.disconnectSync()
  }

  /** Closes the instances in which statements have changed settings since the last check. */
  async check(): Promise<void> {
    const used = [...this.#unchecked]
    this.#unchecked.clear()
    for (const folder of used) {
      const instance = this.#open.get(folder)
      if (instance && !(await instance.isSound())) this.#close(folder)
    }
  }

  /** Closes old instances, when there are too many or when `mappedBytes` leave the next query too little memory. */
  async reduce(mappedBytes: number): Promise<void> {
    const { memoryLimitBytes, mostOpen } = this.#settings
    const isShort = mappedBytes > MOST_MAPPED * memoryLimitBytes
    const last = [...this.#open.values()].at(-1)
    if (isShort) await last?.measure().catch(() => this.closeLast()) // it answers no more queries
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
