import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { AtRest } from './at-rest-process.js'
import { childScript, NATIVE } from './script.js'

/** What every process is given, whatever the host's environment is. */
export function environment(folder: string): NodeJS.ProcessEnv {
  return {
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    HOME: folder,
    TMPDIR: folder,
    // Node ends when it is not allowed to read a configuration that is there.
    ...(process.platform === 'linux' ? { OPENSSL_CONF: '/dev/null' } : {}),
    // DuckDB's allocator keeps the address space that it has freed, which counts towards the cap of later
    // statements.
    DUCKDB_JE_MALLOC_CONF: 'retain:false',
  }
}

const STARTS_WITHIN_MS = 30_000
let measured: Promise<AtRest> | null = null

/**
 * What a Node process is before it takes work, measured once, by a process that ends at once. What it maps,
 * 50 MB for Node 22 and 570 MB for Node 24, since V8 reserves address space for code, is added to every cap.
 */
export function atRest(): Promise<AtRest> {
  measured ??= measure().catch(cause => {
    measured = null // the next process tries again
    throw cause
  })
  return measured
}

async function measure(): Promise<AtRest> {
  const script = fileURLToPath(childScript('./at-rest-process.js', import.meta.url))
  const options = { env: environment(tmpdir()), timeout: STARTS_WITHIN_MS }
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...NATIVE], options)
  const found = JSON.parse(stdout) as AtRest
  if (!(found.mappedBytes > 0)) throw new Error(`a Node process reported ${stdout.slice(0, 100)}`)
  return found
}
