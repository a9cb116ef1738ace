import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/**
 * Names this process among all of its machine, also those that had its id before; null where the system does not tell. A
 * name has neither `~` nor `/`.
 */
export const OWN_NAME = nameOf(process.pid)

/** Whether the process of this name has ended: of another machine or container nobody knows, which is false. */
export function hasEnded(name: string): boolean {
  const [machine, pid] = name.split('-')
  return OWN_NAME !== null && machine === OWN_NAME.split('-')[0] && nameOf(Number(pid)) !== name
}

function nameOf(pid: number): string | null {
  const machine = machineName()
  const started = startOf(pid)
  return machine && started ? `${machine}-${pid}-${started}` : null
}

/** This start of the machine, and which of its processes are seen from here: a container sees its own alone. */
function machineName(): string | null {
  try {
    const seen = [readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'), readlinkSync('/proc/self/ns/pid')]
    return createHash('sha256').update(seen.join()).digest('hex').slice(0, 16)
  } catch {
    return null // only Linux tells
  }
}

/** When a process started, in ticks of the machine; null when there is none. */
function startOf(pid: number): string | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before it stands in brackets and may hold anything.
    return status.replace(/^.*\) /s, '').split(' ')[19] ?? null
  } catch {
    return null
  }
}
