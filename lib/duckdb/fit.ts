import { availableParallelism, totalmem } from 'node:os'
import { MemoryGroup } from '../flow/cgroup.js'

const MIB = 1024 ** 2
/** What Node itself takes in an engine process. */
const NODE_BYTES = 80 * MIB
/** What the host, its guard and processes without work take. */
const BESIDE_BYTES = 512 * MIB
/** Memory limits that are tried, the largest first. */
const MEMORY_LIMITS = [1024 * MIB, 768 * MIB, 512 * MIB]

/** How many queries run at once, and what the process of each may take. */
export interface EngineSize {
  connections: number
  memoryLimitBytes: number
}

/** The memory that this process and those that it starts can have together. */
export interface Memory {
  bytes: number
  /** Whether a container, or another control group, limits it below that of the machine. */
  isContainer: boolean
}

/** The memory of the container, or of the machine where no limit is lower. */
export function availableMemory(): Memory {
  const bytes = MemoryGroup.of('self')?.limitBytes ?? totalmem()
  return { bytes, isContainer: bytes < totalmem() }
}

/** Engine processes that may be at work at once: with several connections, one runs a job beyond them. */
export function workersOf(connections: number): number {
  return connections === 1 ? 1 : connections + 1
}

/** What a service of this size takes while all its connections work, in bytes. */
export function neededMemory({ connections, memoryLimitBytes }: EngineSize): number {
  return workersOf(connections) * (memoryLimitBytes + NODE_BYTES) + BESIDE_BYTES
}

/**
 * The size of an engine for this memory, of which a quarter is left to resident processes. Given values stay as they are.
 * There are fewer connections first, and less memory for each only when two with more do not fit. When nothing fits, it is
 * the smallest size.
 */
export function fittingSize(
  given: Partial<EngineSize>,
  { bytes }: Pick<Memory, 'bytes'> = availableMemory(),
  cores = availableParallelism(),
): EngineSize {
  const most = Math.max(2, cores)
  const memoryLimits = given.memoryLimitBytes == null ? MEMORY_LIMITS : [given.memoryLimitBytes]
  const descending = Array.from({ length: most }, (_, at) => most - at)
  const sizes = (connections: readonly number[]) =>
    memoryLimits.flatMap(memoryLimitBytes =>
      connections.map(count => ({ connections: count, memoryLimitBytes })),
    )
  const tried =
    given.connections == null
      ? [...sizes(descending.filter(count => count > 1)), ...sizes([1])]
      : sizes([given.connections])
  const found = tried.find(size => neededMemory(size) <= (bytes * 3) / 4)
  return found ?? (tried.at(-1) as EngineSize)
}
