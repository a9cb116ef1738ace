import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childScript } from './script.js'

/** A script that runs in a process of its own. */
export interface CappedScript {
  /** The file of the script. */
  script: URL
  /** Its arguments. Default: none. */
  args?: readonly string[]
  /** Its working directory, HOME and TMPDIR. */
  folder: string
  /** Variables that it needs beyond those that every process has. Default: none. */
  env?: NodeJS.ProcessEnv
  /** What it may take beyond what Node itself maps, in bytes. A quarter of it is for JavaScript. */
  memoryLimitBytes: number
}

/**
 * Starts a Node process without the host's environment, whose memory is capped. Rejects when Node cannot be started.
 * Only Linux applies RLIMIT_DATA to mapped memory; elsewhere a process that calls `serveJobs` watches its own size.
 */
export async function spawnCapped(
  { script, args = [], folder, env: own = {}, memoryLimitBytes }: CappedScript,
  options: Pick<SpawnOptions, 'stdio' | 'serialization'>,
): Promise<ChildProcess> {
  const isLinux = process.platform === 'linux'
  const env = {
    ...own,
    ...environment(folder),
    ...(isLinux ? {} : { FOLDGATE_WATCH_BYTES: String(memoryLimitBytes) }),
  }
  const heapMiB = Math.floor(memoryLimitBytes / 4 / 1024 ** 2)
  const node = [`--max-old-space-size=${heapMiB}`, fileURLToPath(script), ...args]
  const spawning = { ...options, cwd: folder, env, windowsHide: true }
  if (!isLinux) return spawn(process.execPath, node, spawning)
  const capKiB = Math.floor(((await mappedAtRest(folder)) + memoryLimitBytes) / 1024)
  const shell = `ulimit -d ${capKiB} && ulimit -c 0 && exec "$0" "$@"`
  return spawn('/bin/sh', ['-c', shell, process.execPath, ...node], spawning)
}

function environment(folder: string): NodeJS.ProcessEnv {
  return {
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    HOME: folder,
    TMPDIR: folder,
    // DuckDB's allocator keeps the address space that it has freed, which counts towards the cap of later statements.
    DUCKDB_JE_MALLOC_CONF: 'retain:false',
  }
}

const STARTS_WITHIN_MS = 30_000
let atRest: Promise<number> | null = null

/**
 * What Node maps before a script does anything, in bytes: 50 MB for Node 22, 570 MB for Node 24, since V8 reserves
 * address space for code. It is measured once, by a process that ends at once, and added to every cap.
 */
function mappedAtRest(folder: string): Promise<number> {
  atRest ??= measure(folder).catch(cause => {
    atRest = null // the next process tries again
    throw cause
  })
  return atRest
}

async function measure(folder: string): Promise<number> {
  const script = fileURLToPath(childScript('./at-rest.js', import.meta.url))
  const options = { env: environment(folder), cwd: folder, timeout: STARTS_WITHIN_MS }
  const { stdout } = await promisify(execFile)(process.execPath, [script], options)
  const bytes = Number(stdout)
  if (!(bytes > 0)) throw new Error(`a Node process reported ${stdout.slice(0, 100)} bytes of mapped memory`)
  return bytes
}
