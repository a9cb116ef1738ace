import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/**
 * Unique name of this process on its machine, even among earlier processes with the same id; null except on
 * Linux. It contains neither `~` nor `/`.
 */
export const OWN_NAME = nameOf(process.pid)

/** Whether the process of this name has ended; null when it is of another machine or container, and so unknown. */
export function hasEnded(name: string): boolean | null {
  const [machine, pid, started] = name.split('-')
  if (OWN_NAME === null || machine !== OWN_NAME.split('-')[0]) return null
  const found = startOf(Number(pid))
  return found === null ? !isRunning(Number(pid)) : found !== started
}

/** Whether there is a process with this id: /proc may hide those of other users. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function nameOf(pid: number): string | null {
  const machine = machineName()
  const started = startOf(pid)
  return machine && started ? `${machine}-${pid}-${started}` : null
}

/** Identifies this boot of the machine and the PID namespace: a container sees only its own processes. */
function machineName(): string | null {
  try {
    const seen = [
      readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'),
      readlinkSync('/proc/self/ns/pid'),
    ]
    return createHash('sha256').update(seen.join()).digest('hex').slice(0, 16)
  } catch {
    return null // only Linux has these files
  }
}

/** When a process started, in clock ticks since boot; null when there is no such process. */
function startOf(pid: number): string | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The process name before it is in parentheses and may contain any character.
    return status.replace(/^.*\) /s, '').split(' ')[19] ?? null
  } catch {
    return null
  }
}
