import { readFileSync } from 'node:fs'
import { until } from '../until.js'

/** What a process takes of a processor that runs a statement, and one that waits does not, in hundredths of a second. */
const AT_WORK = 20

/** Time of a processor that a process has taken, in hundredths of a second; undefined if it has ended. */
function ticksOf(pid: number): number | undefined {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ').slice(11, 13) ?? []
    return Number(user) + Number(system)
  } catch {
    return undefined
  }
}

/** Sends a signal to the one of these processes that runs a statement, once it does, and waits until it has ended. */
export async function endAtWork(pids: () => readonly number[], signal: NodeJS.Signals): Promise<void> {
  const first = new Map<number, number>()
  const isAtWork = (pid: number) => {
    const ticks = ticksOf(pid)
    if (ticks === undefined) return false
    if (!first.has(pid)) first.set(pid, ticks)
    return ticks > (first.get(pid) ?? 0) + AT_WORK
  }
  const pid = await until(() => pids().find(isAtWork), 'a process is at work')
  process.kill(pid, signal)
  await until(() => ticksOf(pid) === undefined, 'its end')
}
