import { readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
/** Field of `/proc/self/statm`: pages of data and stack, which is what RLIMIT_DATA is held against. */
const DATA_FIELD = 5

/** What counts against this process's cap, in bytes: what it has mapped where that is capped, else what is resident. */
export function heldBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  return Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[DATA_FIELD]) * PAGE_BYTES
}
