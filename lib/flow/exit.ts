import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Infer } from '../json-schema.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { RECYCLED } from './messages.js'

/** Why a process that did not fail should serve no further job, and what it held after the last one. */
export type Recycled = Infer<typeof RECYCLED>

/** Exit status of a process that ended itself because it was over its memory limit. */
export const MEMORY_EXIT_STATUS = 86

/** How the reason begins for which the host has ended a process that took more than its bounds. */
export const ENDED_BY_HOST = 'ended by its host: '

/** After this long without `close`, a process that has exited counts as closed. */
const CLOSES_WITHIN_MS = 1_000

/** The exit status or the signal with which a process ended. */
export type Ending = [code: number | null, signal: NodeJS.Signals | null]

/** What to raise when a process cannot be started, by the code of the error. */
const RAISE: Readonly<Record<string, string>> = {
  ENFILE: 'the system has no file descriptor left: raise its limit, fs.file-max',
  EAGAIN:
    'no further process or thread is allowed: raise the limit on processes (ulimit -u, TasksMax, pids_limit)',
  ENOMEM:
    'there is no memory for it: give the machine or container more, or set fewer connections and residents',
}
const FEW_DESCRIPTORS =
  'no file descriptor is left: raise the limit on open files (ulimit -n, LimitNOFILE, nofile)'

/** Why a process could not be started, and what to raise. */
export function whyNotStarted(cause: unknown): string {
  const { code = '' } = cause as NodeJS.ErrnoException
  // Node answers EINVAL where it finds no descriptor for the pipes of a process.
  const advice = code === 'EMFILE' || code === 'EINVAL' ? FEW_DESCRIPTORS : RAISE[code]
  const told = cause instanceof Error ? cause.message : String(cause)
  return advice === undefined ? told : `${told}: ${advice}`
}

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
