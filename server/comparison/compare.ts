import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { spawnCapped } from 'foldgate/internal'
import { Refusal } from '../input/refusal.js'
import type { ComparisonJob, TableDifference } from './difference.js'

const SCRIPT = new URL('./process.js', import.meta.url)
const MEMORY_LIMIT_BYTES = 2 * 1024 ** 3

/**
 * Compares tables in a process of its own, with capped memory and without this one's environment. Throws a Refusal when
 * a file cannot be read or memory or disk run out. After an abort, throws once the process has ended.
 */
export async function compareTables(job: ComparisonJob, signal: AbortSignal): Promise<TableDifference[]> {
  if (job.tables.length === 0) return []
  const process = { script: SCRIPT, folder: job.scratch, memoryLimitBytes: MEMORY_LIMIT_BYTES }
  const child = await spawnCapped(process, { stdio: 'pipe' })
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>
  child.stdin?.on('error', () => {}) // it ended before it read the job
  child.stdin?.write(`${JSON.stringify(job)}\n`)
  try {
    const [[code, killedBy], stdout, stderr] = await Promise.all([ended, textOf(child.stdout), textOf(child.stderr)])
    signal.throwIfAborted()
    if (code !== 0) throw new Refusal(`The snapshots cannot be compared: ${reasonOf(stderr, code, killedBy)}`)
    return JSON.parse(stdout) as TableDifference[]
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

function textOf(stream: Readable | null): Promise<string> {
  return stream ? text(stream) : Promise.resolve('')
}

function reasonOf(stderr: string, code: number | null, signal: string | null): string {
  if (signal !== null || /out of memory|bad_alloc|allocation fail/i.test(stderr)) return 'the memory ran out'
  return stderr.split('\n')[0] || `its process ended with status ${code}`
}
