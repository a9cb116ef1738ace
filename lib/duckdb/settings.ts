import { availableParallelism, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { EXTRA_FUNCTIONS } from '../guard/extras.js'
import { FUNCTIONS } from '../guard/inventory.js'
import type { EngineOptions } from '../options.js'
import { RESIDENT_BYTES } from './workers.js'

const GIB = 1024 ** 3
const MOST_RESIDENTS = 64
const LEAST_MEMORY_BYTES = GIB / 2

/** As many idle workers as fit into a quarter of the memory there is, but at least 1 and at most 64. */
function defaultResidents(): number {
  // A container's limit where there is one; without, the system reports a number far above any memory.
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.max(1, Math.min(MOST_RESIDENTS, Math.floor(memoryBytes / 4 / RESIDENT_BYTES)))
}

/** The engine's options with defaults filled in; throws a TypeError that names a value out of bounds. */
export function resolveEngine(options: EngineOptions) {
  const memoryLimitBytes = options.memoryLimitBytes ?? GIB
  const { folder } = options
  if (typeof folder !== 'string' || folder === '')
    throw new TypeError("duckdbEngine() needs a folder for its files: { folder: 'data/engine' }")
  const settings = {
    connections: options.connections ?? Math.max(2, availableParallelism()),
    residents: options.residents ?? defaultResidents(),
    threads: options.threads ?? 1,
    memoryLimitBytes,
    spillBytes: options.spillBytes ?? 4 * memoryLimitBytes,
    cacheBytes: options.cacheBytes ?? 10 * GIB,
    resultBytes: options.resultBytes ?? 2 * GIB,
  }
  for (const [name, value] of Object.entries(settings)) {
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`engine.${name} must be a whole number above 0`)
  }
  if (memoryLimitBytes < LEAST_MEMORY_BYTES)
    throw new TypeError(`engine.memoryLimitBytes must be at least ${LEAST_MEMORY_BYTES} (512 MiB)`)
  return { ...settings, functions: addedFunctions(options.guard?.functions ?? []), folder: resolve(folder) }
}

/** Names as the guard compares them. Throws a TypeError for one that is not reviewed. */
function addedFunctions(names: readonly string[]): string[] {
  if (!Array.isArray(names)) throw new TypeError("engine.guard.functions must be a list of names: ['decode']")
  return names.map(name => {
    const folded = String(name).toLowerCase()
    if (EXTRA_FUNCTIONS.has(folded) || FUNCTIONS.has(folded)) return folded
    throw new TypeError(
      `engine.guard.functions has "${name}", which cannot be added. Those that can: ${[...EXTRA_FUNCTIONS].join(', ')}`,
    )
  })
}

/** What {@link resolveEngine} returns. */
export type ResolvedEngine = ReturnType<typeof resolveEngine>
