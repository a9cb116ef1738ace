import type { EngineSettings } from '../jobs.js'
import { DuckDBInstance, type Instance } from './duckdb.js'

const CREATION = {
  errors_as_json: 'true',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
}

/** An empty engine in memory, not locked yet. */
export function createInstance({ threads, memoryLimitBytes }: EngineSettings): Promise<Instance> {
  const memoryLimit = `${Math.floor(memoryLimitBytes / 2 / 1024)}KiB`
  return DuckDBInstance.create(':memory:', { ...CREATION, threads: String(threads), memory_limit: memoryLimit })
}

/** Empty engines one after the other: one takes ten milliseconds to make, so the next is made while nobody waits. */
export class FreshInstances {
  readonly #settings: EngineSettings
  #next: Promise<Instance> | null = null

  constructor(settings: EngineSettings) {
    this.#settings = settings
  }

  /** One that nothing has run in. */
  take(): Promise<Instance> {
    const next = this.#next ?? createInstance(this.#settings)
    this.#next = null
    return next
  }

  /** Sees to it that there is one; without memory for it, whoever takes the next one finds out. */
  async refill(): Promise<void> {
    this.#next ??= createInstance(this.#settings)
    await this.#next.catch(() => {
      this.#next = null
    })
  }
}
