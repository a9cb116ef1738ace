import type { ChildProcess } from 'node:child_process'
import { totalmem } from 'node:os'
import { lastLook } from './bounds.js'
import { ENDED_BY_HOST, type Ending, MEMORY_EXIT_STATUS, type Recycled } from './exit.js'

/**
 * What ended a process: its own memory limit; the kernel, because the container or the machine had no memory left; a
 * signal from outside, such as that of an operator; its host; or itself, by a crash or an exit.
 */
export type EndedBy = 'memory-limit' | 'container-limit' | 'killed' | 'host' | 'itself'

/** How a child process ended. */
export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Why it failed to start, else the last 4096 characters of its stderr; for the host only. */
  stderr: string
  endedBy: EndedBy
  /** Memory that was resident when the host last looked, at most 200 ms before; null where the host does not look. */
  heldBytes: number | null
  /** The memory of the container or the machine, if its end was for want of that; else the process's own limit. */
  limitBytes: number
  /** Why it ended itself after a job; null when it did not. */
  recycled: Recycled | null
  /** What it sent that its host does not take, for which the host has ended it; null when that was not so. */
  breach: string | null
}

/** What its host knows of a process that has ended. */
interface KnownOfProcess {
  /** Why it failed to start, or the end of its stderr. */
  stderr: string
  memoryLimitBytes: number
  /** Whether the host has ended it. */
  isKilled?: boolean
  recycled?: Recycled | null
  breach?: string | null
}

/** A process that held this part of its limit at the last look may have needed the rest of it. */
const FULL = 0.9
const OUT_OF_MEMORY = /out of memory|bad_alloc|Allocation failed|allocation failure/i
/** Signals that a process brings upon itself; a `kill` with one of them looks the same. */
const OF_CRASHES: ReadonlySet<string> = new Set([
  ...['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP'],
])

/** How a process ended, for the host; `child` is null when it could not be started. */
export function describeExit(
  child: ChildProcess | null,
  [code, signal]: Ending,
  { stderr, memoryLimitBytes, isKilled = false, recycled = null, breach = null }: KnownOfProcess,
): ProcessExit {
  const said = breach === null ? stderr : `${ENDED_BY_HOST}${breach}`
  const { heldBytes = null, group = null } = (child && lastLook(child)) ?? {}
  const endedBy = (): EndedBy => {
    if (code === MEMORY_EXIT_STATUS || OUT_OF_MEMORY.test(said)) return 'memory-limit'
    if (isKilled || recycled || said.startsWith(ENDED_BY_HOST)) return 'host'
    if (signal === null || OF_CRASHES.has(signal)) return 'itself'
    if (signal !== 'SIGKILL') return 'killed'
    if (group?.hasJustKilled()) return 'container-limit'
    const isFull = heldBytes !== null && heldBytes >= FULL * memoryLimitBytes
    return isFull ? 'memory-limit' : 'killed'
  }
  const exit = { code, signal, stderr: said, endedBy: endedBy(), heldBytes, recycled, breach }
  const ofGroup = exit.endedBy === 'container-limit' ? group?.limitBytes : undefined
  return { ...exit, limitBytes: ofGroup ?? memoryLimitBytes }
}

/**
 * Whether others than the process and its host have ended it: that says nothing about its job, which can be tried once
 * more.
 */
export function isByOthers({ endedBy }: ProcessExit): boolean {
  return endedBy === 'killed' || endedBy === 'container-limit'
}

/** Why a process ended, as words that follow its name, for the host: "was killed from outside by SIGKILL". */
export function whyEnded({ code, signal, stderr, endedBy, heldBytes, limitBytes }: ProcessExit): string {
  if (endedBy === 'killed') return `was killed from outside by ${signal}`
  if (endedBy === 'container-limit') {
    const of = limitBytes < totalmem() ? 'container' : 'machine'
    return `reached the limit of the ${of} (${mib(limitBytes)}), of which it held ${mib(heldBytes ?? 0)}`
  }
  if (stderr.startsWith(ENDED_BY_HOST)) return `was ${stderr}`
  if (endedBy === 'memory-limit') return `ran out of memory, of which it may have ${mib(limitBytes)}`
  return `ended with ${signal ?? `status ${code}`}`
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`
}
