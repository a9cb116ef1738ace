import { readFileSync } from 'node:fs'

/**
 * Bytes that count towards this process's cap: mapped data on Linux, where that is capped; else resident
 * memory. An idle Node 24 has 570 MB of mapped data, since V8 reserves address space for code in advance;
 * Node 22 has 50 MB.
 */
export function mappedBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  // Not the shorter `statm`, which counts pages, whose size depends on the machine.
  return Number(/^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) * 1024
}

let atRest = 0

/** Records what this process has mapped before it takes work, and returns it in bytes. */
export function restsHere(): number {
  atRest = mappedBytes()
  return atRest
}

/** Bytes that this process has mapped since {@link restsHere}. */
export function heldBytes(): number {
  return Math.max(0, mappedBytes() - atRest)
}
