import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Sandbox } from '../sandbox/sandbox.js'
import { type TreeSize, treeSize } from '../sandbox/tree-size.js'
import { MemoryGroup } from './cgroup.js'
import { ENDED_BY_HOST, programOf } from './exit.js'

/** Threads of a process whose engine has one, of which it has 11 without work. */
export const MOST_THREADS = 64

/** What a process may take that the system itself does not limit. */
export interface ProcessBounds {
  /** Memory that is resident, in bytes, with that of page tables but without files. */
  memoryBytes: number
  /** Threads. Default: {@link MOST_THREADS}. */
  threads?: number
  /** What the files in its folder take, in bytes. Default: no bound. */
  diskBytes?: number
}

/** Files and folders in its folder, and how deep they are. A spill of a gigabyte has fewer than ten. */
const MOST_ENTRIES = 4_000
const MOST_LEVELS = 16

const LOOK_EVERY_MS = 200
/** Its folder is measured once per second, or less often while that takes long. */
const MEASURE_EVERY_MS = 1_000
const MEASURE_LEAST_EVERY_MS = 5_000

const MIB = 1024 ** 2
interface WatchedProcess {
  child: ChildProcess
  sandbox: Sandbox
  own: string | null
  bounds: ProcessBounds
  /** Ends it; it emits an `error` with the reason before. */
  end: () => void
  pid: number | null
  measureAt: number
  /** Its resident memory at the last look, as its bound counts that. */
  heldBytes: number
  group: MemoryGroup | null
}

const watched = new Set<WatchedProcess>()
/** Also those that have ended, for whoever asks why. */
const known = new WeakMap<ChildProcess, WatchedProcess>()
let groupOfHost: MemoryGroup | null | undefined
let timer: NodeJS.Timeout | null = null

/**
 * Ends a process that takes more than its bounds, which only code of an attacker in it does: RLIMIT_DATA counts no memory
 * that can no longer be written, and no limit counts the threads of one process, or the files of one folder. `own` is
 * the folder that it writes to, if it has one of its own.
 */
export function watchBounds(
  about: Pick<WatchedProcess, 'child' | 'sandbox' | 'own' | 'bounds' | 'end'>,
): void {
  groupOfHost ??= MemoryGroup.of('self')
  const measureAt = performance.now() + MEASURE_EVERY_MS
  const each: WatchedProcess = { ...about, pid: null, measureAt, heldBytes: 0, group: groupOfHost }
  watched.add(each)
  known.set(each.child, each)
  timer ??= setInterval(look, LOOK_EVERY_MS).unref()
  each.child.once('exit', () => {
    watched.delete(each)
    if (watched.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  })
}

/** What the last look at a process has found, also after its end; undefined for one that is not watched. */
export function lastLook(child: ChildProcess): Pick<WatchedProcess, 'heldBytes' | 'group'> | undefined {
  return known.get(child)
}

function look(): void {
  for (const group of new Set([...watched].map(each => each.group))) group?.look()
  for (const each of watched) {
    const reason = reasonToEnd(each)
    if (reason !== null) end(each, reason)
    else if (each.own !== null && performance.now() >= each.measureAt) void measure(each, each.own)
  }
}

function end({ child, end }: WatchedProcess, reason: string): void {
  child.emit('error', new Error(`${ENDED_BY_HOST}${reason}`))
  end()
}

/** Why a process has to end, as far as the kernel tells at once. */
function reasonToEnd(each: WatchedProcess): string | null {
  const { memoryBytes, threads: mostThreads = MOST_THREADS } = each.bounds
  const status = statusOf(each)
  const count = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  const residentBytes = (count('RssAnon') + count('RssShmem') + count('VmPTE')) * 1024
  if (residentBytes > 0) each.heldBytes = residentBytes // a process that has just ended holds nothing
  if (residentBytes > memoryBytes)
    return `out of memory, ${Math.round(residentBytes / MIB)} MiB of ${Math.round(memoryBytes / MIB)}`
  const threads = count('Threads')
  return threads > mostThreads ? `it runs ${threads} threads, more than ${mostThreads}` : null
}

/** The status of the process itself, which a launcher may have started by way of others; empty when it has ended. */
function statusOf(each: WatchedProcess): string {
  try {
    const pid = each.pid ?? programOf(each.child, each.sandbox)
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const isStarting = each.sandbox.launcher?.name === 'bubblewrap' && /^Name:\s+(sh|bwrap)$/m.test(status)
    if (!isStarting && each.pid === null && pid !== undefined) {
      each.pid = pid
      const group = MemoryGroup.of(pid)
      if (group && group.events !== each.group?.events) each.group = group
    }
    return status
  } catch {
    return ''
  }
}

async function measure(each: WatchedProcess, own: string): Promise<void> {
  const startedAt = performance.now()
  each.measureAt = Number.POSITIVE_INFINITY
  const { diskBytes = Number.POSITIVE_INFINITY } = each.bounds
  const most: TreeSize = { entries: MOST_ENTRIES, levels: MOST_LEVELS, bytes: diskBytes }
  const found = await treeSize(own, most)
  const now = performance.now()
  const pauseMs = Math.max(MEASURE_EVERY_MS, 4 * (now - startedAt))
  each.measureAt = now + Math.min(MEASURE_LEAST_EVERY_MS, pauseMs)
  if (!watched.has(each)) return
  const { entries, levels, bytes } = found
  if (bytes > diskBytes)
    end(each, `its files take ${Math.round(bytes / MIB)} MiB, more than ${Math.round(diskBytes / MIB)}`)
  else if (entries > MOST_ENTRIES) end(each, `it has made more than ${MOST_ENTRIES} files and folders`)
  else if (levels > MOST_LEVELS) end(each, `it has made more than ${MOST_LEVELS} folders in each other`)
}
