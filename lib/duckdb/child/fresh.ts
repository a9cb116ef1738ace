import type { EngineSettings } from '../jobs.js'
import { DuckDBInstance, type Instance } from './duckdb.js'

const CREATION = {
  errors_as_json: 'true',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
}

/** Creates an empty in-memory instance, which is not locked down yet. */
export function createInstance({ threads, memoryLimitBytes }: EngineSettings): Promise<Instance> {
  const memoryLimit = `${Math.floor(memoryLimitBytes / 2 / 1024)}KiB`
  return DuckDBInstance.create(':memory:', {
    ...CREATION,
    threads: String(threads),
    memory_limit: memoryLimit,
  })
}

/** Supplies empty instances. Creating one takes about 10 ms, so the next is created between jobs. */
export class FreshInstances {
  readonly #settings: EngineSettings
  #next: Promise<Instance> | null = null

  constructor(settings: EngineSettings) {
    this.#settings = settings
  }

  /** An instance in which nothing has run. */
  take(): Promise<Instance> {
    const next = this.#next ?? createInstance(this.#settings)
    this.#next = null
    return next
  }

  /**
   * Closes the next instance. Whenever DuckDB closes one, its allocator returns all freed memory to the
   * system.
   */
  async discard(): Promise<void> {
    const next = await this.take().catch(() => null)
    next?.closeSync()
  }

  /**
   * Creates the next instance unless there is one; after a failure, such as lack of memory, `take` tries
   * again.
   */
  async refill(): Promise<void> {
    this.#next ??= createInstance(this.#settings)
    await this.#next.catch(() => {
      this.#next = null
    })
  }
}
