import { DuckDBInstance, type Instance } from '../../process/duckdb.js'
import type { EngineSettings } from '../jobs.js'

const CREATION = {
  errors_as_json: 'true',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
}

/** Empty engines in memory, not locked yet; one takes ten milliseconds to make, so the next is made while nobody waits. */
export class FreshInstances {
  readonly #settings: EngineSettings
  #next: Promise<Instance> | null = null

  constructor(settings: EngineSettings) {
    this.#settings = settings
  }

  /** One that nothing has run in. */
  take(): Promise<Instance> {
    const next = this.#next ?? this.#create()
    this.#next = null
    return next
  }

  /** Sees to it that there is one; without memory for it, whoever takes the next one finds out. */
  async refill(): Promise<void> {
    if (this.#next) return
    const next = this.#create()
    this.#next = next
    await next.catch(() => {
      if (this.#next === next) this.#next = null
    })
  }

  #create(): Promise<Instance> {
    const { threads, memoryLimitBytes } = this.#settings
    const memoryLimit = `${Math.floor(memoryLimitBytes / 2 / 1024)}KiB`
    return DuckDBInstance.create(':memory:', { ...CREATION, threads: String(threads), memory_limit: memoryLimit })
  }
}
