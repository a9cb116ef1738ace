import { readFileSync } from 'node:fs'
import { childrenOf } from '../bombs/watch.js'

/** Linux counts processor time in ticks of 10 ms. */
const TICK_MS = 10

/** Processor time in milliseconds of a server's own process, of its guards, and of its other children. */
export interface ProcessorTime {
  server: number
  guard: number
  engine: number
}

/** Reads the processor time up to now; the time of children that have ended counts as the engine's. */
export function processorTime(pid: number): ProcessorTime {
  const { ownMs, endedMs } = timesOf(pid)
  const time: ProcessorTime = { server: ownMs, guard: 0, engine: endedMs }
  for (const child of childrenOf(pid)) time[isGuard(child) ? 'guard' : 'engine'] += timesOf(child).ownMs
  return time
}

/** The processor time per call between two readings. */
export function perCall(before: ProcessorTime, after: ProcessorTime, calls: number): ProcessorTime {
  const of = (part: keyof ProcessorTime) => (after[part] - before[part]) / calls
  return { server: of('server'), guard: of('guard'), engine: of('engine') }
}

function isGuard(pid: number): boolean {
  return /\/child\/guard-main\.js/.test(read(pid, 'cmdline'))
}

/** Processor time of a process itself, and of its children that have ended. */
function timesOf(pid: number): { ownMs: number; endedMs: number } {
  // The name before the fields is in brackets and may contain any characters.
  const fields = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  const ms = (at: number) => ((fields[at] ?? 0) + (fields[at + 1] ?? 0)) * TICK_MS
  return { ownMs: ms(11), endedMs: ms(13) }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return '' // it has ended
  }
}
