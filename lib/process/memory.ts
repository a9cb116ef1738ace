import { readFileSync } from 'node:fs'

/** What counts against this process's cap, in bytes: the data that it has mapped where that is capped, else what is resident. */
export function heldBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  // In kB, whatever the size of a page: `statm`, which is shorter, counts pages.
  return Number(/^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) * 1024
}
