import { resolve } from 'node:path'
import { EXTRA_FUNCTIONS } from '../guard/extras.js'
import { FUNCTIONS } from '../guard/inventory.js'
import type { SandboxMode } from '../sandbox/sandbox.js'
import { checkOptions } from '../values/known-options.js'
import { availableMemory, fittingSize } from './fit.js'
import { RESIDENT_BYTES } from './workers.js'

const GIB = 1024 ** 3
const MOST_RESIDENTS = 64
const LEAST_MEMORY_BYTES = GIB / 2

/** Options of `duckdbEngine`, whose processes run DuckDB. */
export interface EngineOptions {
  /**
   * Folder for caches and scratch files, created when missing, even if it is removed later. Services that run
   * at the same time may share it: each uses a part with its own cache, but may get another part when it
   * restarts. Give services that always run side by side separate folders, so that each keeps its cache.
   */
  folder: string
  /**
   * Maximum number of queries that run at once, each in its own engine process. With 2 or more, one extra
   * query may run while a single organization or project uses all of them and another one waits. Default: the
   * number of CPU cores, at least 2; fewer where the memory of the machine or container does not hold as many.
   */
  connections?: number
  /**
   * Maximum number of resident engine processes. Each serves one organization only and keeps its data loaded
   * for later queries. A value below `connections + 1` is raised to it, unless `connections` is 1. Default:
   * as many as fit in a quarter of the memory of the machine or container at 128 MiB each, at most 64.
   */
  residents?: number
  /**
   * Number of engine processes that are started in advance, beside the residents, for organizations that have
   * none: as many can get their first answers at once without waiting for a start. With one organization, 1 is
   * enough. Default: 4.
   */
  spares?: number
  /**
   * Memory limit of one engine process, in bytes. At least 512 MiB. Default: 1 GiB; less where the memory of the machine
   * or container does not hold two connections with as much.
   */
  memoryLimitBytes?: number
  /** DuckDB threads per engine process. Default: 1. */
  threads?: number
  /**
   * Disk space to which one query may spill, in bytes; also what the rows of a workbook may take as XML,
   * before they are compressed. Default: four times `memoryLimitBytes`.
   */
  spillBytes?: number
  /** Disk space for built relations, in bytes. Default: 10 GiB. */
  cacheBytes?: number
  /**
   * Whether engine processes run behind walls of the operating system, which keep them from all files but
   * their own, the network, other programs and other processes: `auto` where the machine has such walls,
   * `required` or the engine does not start, `off` never. Only Linux has them; see docs/security.md. Default:
   * `auto`.
   */
  sandbox?: SandboxMode
  /**
   * What shares an engine process. `reach`: callers of an organization with equal row limits, and no others, so that
   * what a statement reads from the memory of its process is its caller's own. `organization`: all callers of an
   * organization; names alone keep rows apart then, and thousands of callers need fewer processes. Default: `reach`.
   */
  isolation?: 'reach' | 'organization'
  /** What the check of statements accepts. */
  guard?: GuardSettings
}

/** What shares an engine process. */
export type Isolation = NonNullable<EngineOptions['isolation']>

/** What the check of statements accepts beyond its defaults. */
export interface GuardSettings {
  /**
   * Functions that queries may call besides those that are there by default, such as `decode`. They were
   * reviewed, but few queries need them, and each one is a way into the engine. A name that was not reviewed
   * throws a TypeError, which lists those that can be added. Default: none.
   */
  functions?: readonly string[]
}

/** As many idle workers as fit into a quarter of the memory there is, but at least 1 and at most 64. */
function defaultResidents(): number {
  return Math.max(1, Math.min(MOST_RESIDENTS, Math.floor(availableMemory().bytes / 4 / RESIDENT_BYTES)))
}

/** The engine's options with defaults filled in; throws a TypeError that names a value out of bounds. */
export function resolveEngine(options: EngineOptions) {
  const { folder } = options
  if (typeof folder !== 'string' || folder === '')
    throw new TypeError("duckdbEngine() needs a folder for its files: { folder: 'data/engine' }")
  const { connections, memoryLimitBytes } = fittingSize(options)
  const settings = {
    connections,
    residents: options.residents ?? defaultResidents(),
    spares: options.spares ?? 4,
    threads: options.threads ?? 1,
    memoryLimitBytes,
    spillBytes: options.spillBytes ?? 4 * memoryLimitBytes,
    cacheBytes: options.cacheBytes ?? 10 * GIB,
  }
  checkOptions('duckdbEngine', options, {
    ...settings,
    folder: true,
    sandbox: true,
    guard: true,
    isolation: true,
  })
  checkOptions('guard', options.guard, { functions: true })
  for (const [name, value] of Object.entries(settings)) {
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`engine.${name} must be a whole number above 0`)
  }
  if (memoryLimitBytes < LEAST_MEMORY_BYTES)
    throw new TypeError(`engine.memoryLimitBytes must be at least ${LEAST_MEMORY_BYTES} (512 MiB)`)
  const isolation = options.isolation ?? 'reach'
  if (isolation !== 'reach' && isolation !== 'organization')
    throw new TypeError(`engine.isolation is "reach" or "organization", not ${JSON.stringify(isolation)}`)
  const sandbox = sandboxMode(options.sandbox ?? 'auto', 'engine.sandbox')
  const functions = addedFunctions(options.guard?.functions ?? [], 'engine.guard.functions')
  return { ...settings, isolation, sandbox, functions, folder: resolve(folder) }
}

/** Checks a mode that JavaScript, or an operator, has given; the TypeError names the option. */
export function sandboxMode(mode: string, option: string): SandboxMode {
  if (mode === 'auto' || mode === 'required' || mode === 'off') return mode
  throw new TypeError(`${option} is "auto", "required" or "off", not ${JSON.stringify(mode)}`)
}

/** Names as the guard compares them. Throws a TypeError, which names the option, for one that is not reviewed. */
export function addedFunctions(names: readonly string[], option: string): string[] {
  if (!Array.isArray(names)) throw new TypeError(`${option} must be a list of names: ['decode']`)
  return names.map(name => {
    const folded = String(name).toLowerCase()
    if (EXTRA_FUNCTIONS.has(folded) || FUNCTIONS.has(folded)) return folded
    throw new TypeError(
      `${option} has "${name}", which cannot be added. Those that can: ${[...EXTRA_FUNCTIONS].join(', ')}`,
    )
  })
}

/** What {@link resolveEngine} returns. */
export type ResolvedEngine = ReturnType<typeof resolveEngine>
