import { readFileSync } from 'node:fs'
import { childrenOf } from '../bombs/watch.js'

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Processor time in ms of this process, and of its children, including ended ones. */
export function spentCpuMs(): { host: number; children: number } {
  const [host = 0, ended = 0] = timesOf(process.pid)
  const alive = childrenOf(process.pid).flatMap(timesOf)
  return { host, children: alive.reduce((sum, time) => sum + time, ended) }
}

/** A process's own time, and the time of its children that have ended. */
export function timesOf(pid: number): number[] {
  try {
    // The name before them is in brackets and may contain any characters.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return [(user + system) * TICK_MS, (endedUser + endedSystem) * TICK_MS]
  } catch {
    return []
  }
}
