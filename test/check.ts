import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * Runs the suites of test/check. Those of the two lanes measure no time, so they run beside each other: some wait for
 * installers and compilers, the others compute. All other suites run after them, one after the other.
 */
const LANES = [
  [
    ...['callers', 'description', 'generators', 'hosts', 'libraries', 'readers'].map(allIn),
    ...['mcp/clients', 'operation/kubernetes'].map(suite),
  ],
  [
    ...['client', 'contracts', 'documents', 'explore', 'mounts', 'property'].map(allIn),
    ...['hostile/answers', 'hostile/fuzz', 'hostile/strings', 'hostile/unguarded'].map(suite),
    ...['server/catalogue', 'server/examples', 'server/values'].map(suite),
  ],
]
const TIMEOUT_MS = 300_000

const root = fileURLToPath(new URL('..', import.meta.url))
const program = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))

function allIn(folder: string): string {
  return `test/check/${folder}/**/*.test.ts`
}

function suite(name: string): string {
  return `test/check/${name}.test.ts`
}

function mocha(files: readonly string[], left: readonly string[], stdio: 'inherit' | 'pipe'): ChildProcess {
  const ignored = left.flatMap(pattern => ['--ignore', pattern])
  const args = [program, ...files, ...ignored, '--timeout', String(TIMEOUT_MS)]
  return spawn(process.execPath, args, { cwd: root, stdio: ['ignore', stdio, stdio] })
}

/** Prints what a lane has printed once it has ended, and returns whether it passed. */
async function lane(files: readonly string[]): Promise<boolean> {
  const child = mocha(files, [], 'pipe')
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => printed.push(data))
  const [status] = await once(child, 'close')
  process.stdout.write(Buffer.concat(printed))
  return status === 0
}

const passed = await Promise.all(LANES.map(lane))
const [status] = await once(mocha([allIn('**')], LANES.flat(), 'inherit'), 'close')
process.exitCode = status === 0 && passed.every(Boolean) ? 0 : 1
