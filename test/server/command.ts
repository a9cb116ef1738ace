import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const ENTRY = fileURLToPath(new URL('../../server/bin/foldgate.js', import.meta.url))

/** How a command ended. */
export interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/** Starts `foldgate` with these arguments, in `folder`, where its data folder is `foldgate-data` unless told otherwise. */
export function start(folder: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [ENTRY, ...args], { cwd: folder, env: { PATH: process.env.PATH, ...environment } })
}

/** Runs `foldgate` to its end. */
export async function run(
  folder: string,
  args: readonly string[],
  given: { input?: string; environment?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const child = start(folder, args, given.environment)
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  child.stdin?.end(given.input ?? '')
  const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map(stream => (stream ? text(stream) : '')))
  return { status: await ended, stdout: stdout ?? '', stderr: stderr ?? '' }
}

/** Runs `foldgate` and gives what it prints, which has to be a success. */
export async function output(folder: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(folder, args)
  if (status !== 0) throw new Error(`foldgate ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout.trimEnd()
}

/** The same with `--json`, parsed. */
export async function outputJson<Value>(folder: string, ...args: string[]): Promise<Value> {
  return JSON.parse(await output(folder, ...args, '--json')) as Value
}

/** An empty folder for the tests of one suite, removed after them. */
export function scratchFolder(): { readonly path: string } {
  let path = ''
  before(async () => {
    path = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  after(() => rm(path, { recursive: true, force: true }))
  return {
    get path() {
      return path
    },
  }
}
