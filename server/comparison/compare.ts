import { JobFailed, JobProcess, ProcessDied } from 'foldgate/internal'
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
  signal.throwIfAborted()
  const options = { script: SCRIPT, folder: job.scratch, settings: null, memoryLimitBytes: MEMORY_LIMIT_BYTES }
  const child = new JobProcess<string>(options)
  const kill = () => child.kill()
  signal.addEventListener('abort', kill)
  try {
    await child.ready
    return await child.run<TableDifference[]>(job)
  } catch (cause) {
    signal.throwIfAborted()
    throw new Refusal(`The snapshots cannot be compared: ${reasonOf(cause)}`, { cause })
  } finally {
    signal.removeEventListener('abort', kill)
    child.kill()
    await child.exited
  }
}

function reasonOf(cause: unknown): string {
  const exit = cause instanceof ProcessDied ? cause.exit : null
  const said = cause instanceof JobFailed ? String(cause.failure) : (exit?.stderr ?? String(cause))
  if (exit?.outOfMemory || exit?.signal || /out of memory|bad_alloc|allocation fail/i.test(said))
    return 'the memory ran out'
  return said.split('\n')[0] || `its process ended with status ${exit?.code}`
}
