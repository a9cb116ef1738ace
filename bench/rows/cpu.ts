import { readFileSync } from 'node:fs'
import { childrenOf } from '../bombs/watch.js'

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Processor time, ms, that this process has spent, and that those it started have, the ended ones too. */
export function spentCpuMs(): { host: number; children: number } {
  const [host = 0, ended = 0] = timesOf(process.pid)
  const alive = childrenOf(process.pid).flatMap(timesOf)
  return { host, children: alive.reduce((sum, time) => sum + time, ended) }
}

/** Its own time and that of its children that have ended. */
function timesOf(pid: number): number[] {
  try {
    // The name before them stands in brackets and may hold anything.
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
