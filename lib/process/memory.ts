import { readFileSync } from 'node:fs'

/** Bytes that count towards this process's cap: mapped data on Linux, where that is capped; else resident memory. */
export function heldBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  // Not the shorter `statm`, which counts pages, whose size depends on the machine.
  return Number(/^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) * 1024
}
