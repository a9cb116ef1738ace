import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Infer } from '../json-schema.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { RECYCLED } from './messages.js'

/** How a child process ended. */
export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Why it failed to start, else the last 4096 characters of its stderr; for the host only. */
  stderr: string
  /** Whether its memory cap or the kernel's out-of-memory killer ended it. */
  outOfMemory: boolean
  /** Why it ended itself after a job; null when it did not. */
  recycled: Recycled | null
  /** What it sent that its host does not take, for which the host has ended it; null when that was not so. */
  breach: string | null
}

/** Why a process that did not fail should serve no further job, and what it held after the last one. */
export type Recycled = Infer<typeof RECYCLED>

/** Exit status of a process that ended itself because it was over its memory limit. */
export const MEMORY_EXIT_STATUS = 86

/** How the reason begins for which the host has ended a process that took more than its bounds. */
export const ENDED_BY_HOST = 'ended by its host: '

/** After this long without `close`, a process that has exited counts as closed. */
const CLOSES_WITHIN_MS = 1_000
const OUT_OF_MEMORY = /out of memory|bad_alloc|Allocation failed|allocation failure/i

type Ending = [code: number | null, signal: NodeJS.Signals | null]

/** Resolves when a process has ended, with its status and signal. */
export function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise(resolve => {
    let closing: NodeJS.Timeout | undefined
    child.once('close', (code, signal) => {
      clearTimeout(closing)
      resolve(ending(code, signal)) // after the last message and the end of stderr
    })
    // Deno 2.9 neither emits `close` nor closes the channel if a message is sent to a process that has just
    // ended.
    child.once('exit', (code, signal) => {
      closing = setTimeout(resolve, CLOSES_WITHIN_MS, ending(code, signal))
    })
  })
}

/** Bubblewrap ends with 128 and the number of the signal that has ended its process. */
function ending(code: number | null, signal: NodeJS.Signals | null): Ending {
  const number = (code ?? 0) - 128
  const [name] = Object.entries(constants.signals).find(([, each]) => each === number) ?? []
  return name ? [null, name as NodeJS.Signals] : [code, signal]
}

/**
 * The id of a process that has started, as the host sees it: bubblewrap is its parent's parent. Without a list
 * of children in /proc, it is bubblewrap's own, whose end is the end of both.
 */
export function programOf({ pid }: ChildProcess, { launcher }: Sandbox): number | undefined {
  let found = pid
  for (let level = 0; launcher?.name === 'bubblewrap' && level < 2; level++) {
    try {
      const [child] = readFileSync(`/proc/${found}/task/${found}/children`, 'latin1').split(' ')
      if (!child) return found
      found = Number(child)
    } catch {
      return found
    }
  }
  return found
}

/** How a process ended, for the host. */
export function describeExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  stderr: string,
  { recycled = null, breach = null }: Partial<Pick<ProcessExit, 'recycled' | 'breach'>> = {},
): ProcessExit {
  const said = breach === null ? stderr : `${ENDED_BY_HOST}${breach}`
  // A SIGKILL that we did not send is from the kernel's out-of-memory killer; callers of kill() know of
  // theirs, and other reasons of ours say so.
  const isKilled = signal === 'SIGKILL' && recycled === null && !said.startsWith(ENDED_BY_HOST)
  const outOfMemory = code === MEMORY_EXIT_STATUS || isKilled || OUT_OF_MEMORY.test(said)
  return { code, signal, stderr: said, outOfMemory, recycled, breach }
}
