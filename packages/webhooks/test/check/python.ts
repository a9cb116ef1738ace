import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Received } from '../receiver.js'

const INSTALL_MS = 120_000
const PINNED = ['standardwebhooks==1.1.0']
const PROGRAM = fileURLToPath(new URL('./verify.py', import.meta.url))
const run = promisify(execFile)

/** Installs the library of Standard Webhooks for Python into a folder. Returns the interpreter; null where it cannot be had. */
export async function installPython(folder: string): Promise<string | null> {
  const python = join(folder, 'python/bin/python')
  try {
    await run('python3', ['-m', 'venv', 'python'], { cwd: folder, timeout: INSTALL_MS / 2 })
    const given = ['--quiet', '--no-input', '--no-compile', '--disable-pip-version-check', '--retries', '1']
    await run(python, ['-m', 'pip', 'install', ...given, ...PINNED], { timeout: INSTALL_MS })
    return python
  } catch {
    console.log('Left out: a receiver of webhooks in Python, whose packages cannot be had.')
    return null
  }
}

/** Verifies deliveries in Python; returns the types of their events. */
export async function verifiedInPython(
  python: string,
  secret: string,
  received: readonly Received[],
): Promise<string[]> {
  const child = spawn(python, [PROGRAM, secret])
  const ended = once(child, 'close')
  child.stdin.end(received.map(each => `${JSON.stringify(each)}\n`).join(''))
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  if (status !== 0) throw new Error(errors)
  return printed.trimEnd().split('\n')
}
