import { realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  JobFailed,
  JobProcess,
  openSandbox,
  ProcessDied,
  type SandboxMode,
  text,
  World,
  whyEnded,
} from 'foldgate/internal'
import { Refusal } from 'foldgate-server/parts'
import { type ComparisonJob, differencesOf, type TableDifference } from './difference.js'

const SCRIPT = { url: new URL('./process.js', import.meta.url), packages: ['foldgate', '@duckdb/node-api'] }
const MEMORY_LIMIT_BYTES = 2 * 1024 ** 3

/**
 * Compares tables in a process of its own, with capped memory, without this one's environment, and behind the
 * walls of a sandbox. `scratch` is an empty folder. Throws a Refusal when a file cannot be read or memory or
 * disk run out. After an abort, throws once the process has ended.
 */
export async function compareTables(
  { tables, limit }: ComparisonJob,
  scratch: string,
  signal: AbortSignal,
  mode: SandboxMode = 'auto',
): Promise<TableDifference[]> {
  if (tables.length === 0) return []
  const world = new World(await realpath(scratch))
  const sandbox = await openSandbox(mode)
  signal.throwIfAborted()
  const { own, given } = world
  const child = new JobProcess({
    script: SCRIPT,
    world,
    sandbox,
    settings: { own, given },
    memoryLimitBytes: MEMORY_LIMIT_BYTES,
    failures: text('What has failed.'),
  })
  const kill = () => child.kill()
  signal.addEventListener('abort', kill)
  try {
    await child.ready
    const files = new Map<string, string>()
    const nameIn = (side: string) => (path: string) => {
      const name = join(side, basename(path))
      files.set(name, path)
      return name
    }
    const pairs = tables.map(({ from, to, ...pair }) => {
      return { ...pair, from: [from].flat().map(nameIn('from')), to: [to].flat().map(nameIn('to')) }
    })
    for (const [name, path] of files) await world.give(name, path)
    const job = { tables: pairs, limit }
    const { value } = await child.run(job, differencesOf(job))
    return value.map((difference, at) => ({ name: tables[at]?.name ?? '', ...difference }))
  } catch (cause) {
    signal.throwIfAborted()
    throw new Refusal(`The snapshots cannot be compared: ${reasonOf(cause)}`, { cause })
  } finally {
    signal.removeEventListener('abort', kill)
    child.kill()
    await child.exited
    await world.clear()
  }
}

function reasonOf(cause: unknown): string {
  const exit = cause instanceof ProcessDied ? cause.exit : null
  const said = cause instanceof JobFailed ? String(cause.failure) : (exit?.stderr ?? String(cause))
  if (exit?.endedBy === 'memory-limit' || OUT_OF_MEMORY.test(said)) return 'the memory ran out'
  const [first = ''] = said.split('\n')
  return exit && (exit.signal || !first) ? `its process ${whyEnded(exit)}` : first
}

const OUT_OF_MEMORY = /out of memory|bad_alloc|allocation fail/i
