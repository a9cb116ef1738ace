import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Refusal } from '../store/refusal.js'
import type { ComparisonJob, TableDifference } from './difference.js'

const SCRIPT = fileURLToPath(new URL('./process.js', import.meta.url))
const MEMORY_CAP_BYTES = 2 * 1024 ** 3
/** Far more than a result has, whose rows and values are bounded. */
const MOST_RESULT_BYTES = 1024 ** 3

/**
 * Compares tables in a process of its own, with capped memory and without this one's environment. Throws a Refusal when
 * a file cannot be read or memory or disk run out. After an abort, throws once the process has ended.
 */
export async function compareTables(job: ComparisonJob, signal: AbortSignal): Promise<TableDifference[]> {
  if (job.tables.length === 0) return []
  const [command, args] = capped([`--max-old-space-size=${MEMORY_CAP_BYTES / 4 / 1024 ** 2}`, SCRIPT])
  const running = promisify(execFile)(command, args, {
    cwd: job.scratch,
    env: { TZ: 'UTC', LANG: 'C.UTF-8', HOME: job.scratch, TMPDIR: job.scratch },
    signal,
    killSignal: 'SIGKILL',
    maxBuffer: MOST_RESULT_BYTES,
  })
  const ended = once(running.child, 'close').catch(() => {})
  running.child.stdin?.on('error', () => {}) // it ended before it read the job
  running.child.stdin?.write(`${JSON.stringify(job)}\n`)
  try {
    return JSON.parse((await running).stdout) as TableDifference[]
  } catch (cause) {
    signal.throwIfAborted()
    throw new Refusal(`The snapshots cannot be compared: ${reasonOf(cause)}`, { cause })
  } finally {
    await ended
  }
}

/** Only Linux applies RLIMIT_DATA to mapped memory; elsewhere, only the engine's own limit holds. */
function capped(node: string[]): [string, string[]] {
  if (process.platform !== 'linux') return [process.execPath, node]
  const limits = `ulimit -d ${MEMORY_CAP_BYTES / 1024} && ulimit -c 0 && exec "$0" "$@"`
  return ['/bin/sh', ['-c', limits, process.execPath, ...node]]
}

function reasonOf(cause: unknown): string {
  const { stderr = '', signal = null } = cause as { stderr?: string; signal?: string | null }
  if (signal !== null || /out of memory|bad_alloc|allocation fail/i.test(stderr)) return 'the memory ran out'
  return stderr.split('\n')[0] || String(cause)
}
