import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { dropStores, isEmbedded, storeAt } from './stores.js'

const ENTRY = fileURLToPath(new URL('../../server/bin/foldgate.js', import.meta.url))
const RUNNER = fileURLToPath(new URL('./runner.mjs', import.meta.url))
const RUNNER_STDIO = ['ignore', 'inherit', 'inherit', 'ipc'] as const

/** How a command ended. */
export interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/**
 * Starts `foldgate` with these arguments in `folder`; its data folder is `foldgate-data` there by default.
 * `wrapper` is a program with arguments that starts it.
 */
export function start(
  folder: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  wrapper: readonly string[] = [],
): ChildProcess {
  const [program = '', ...rest] = [...wrapper, process.execPath, ENTRY, ...args]
  return spawn(program, rest, { cwd: folder, env: { PATH: process.env.PATH, ...environment } })
}

/** The environment that names the store of a command's data folder; empty for the embedded store. */
export async function storeOf(
  folder: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<NodeJS.ProcessEnv> {
  if (isEmbedded) return {}
  const flag = args.indexOf('--data')
  const data = (flag < 0 ? environment.FOLDGATE_DATA : args[flag + 1]) ?? 'foldgate-data'
  return { FOLDGATE_STORE: await storeAt(join(resolve(folder, data), 'control.db')) }
}

/** Runs `foldgate` to its end in its own process. */
export async function run(
  folder: string,
  args: readonly string[],
  given: { input?: string; environment?: NodeJS.ProcessEnv; wrapper?: readonly string[] } = {},
): Promise<Ended> {
  const store = await storeOf(folder, args, given.environment)
  const child = start(folder, args, { ...store, ...given.environment }, given.wrapper)
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  child.stdin?.end(given.input ?? '')
  const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map(stream => (stream ? text(stream) : '')))
  return { status: await ended, stdout: stdout ?? '', stderr: stderr ?? '' }
}

/** A process that runs commands in a folder, how many it has still to run, and a promise that settles with the last. */
interface Runner {
  child: ChildProcess
  left: number
  idle: Promise<unknown>
}

/** Processes by the folder in which they run commands, and those that have no folder now. */
const runners = new Map<string, Runner>()
const free: ChildProcess[] = []

/**
 * Runs `foldgate` to its end in a process that is reused for the next command, which takes a tenth of the time. Variables
 * of the environment stay for the next command in this folder.
 */
export function ask(folder: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const runner = runners.get(folder) ?? startRunner(folder)
  runners.set(folder, runner)
  runner.left += 1
  const ended = runner.idle.then(async () => {
    const store = await storeOf(folder, args, environment)
    return askRunner(runner.child, args, { ...store, ...environment })
  })
  runner.idle = ended.then(
    () => {
      runner.left -= 1
    },
    () => {}, // it is not known what the process still does, so no other folder gets it
  )
  return ended
}

function startRunner(folder: string): Runner {
  const known = free.pop()
  const child = known?.connected
    ? known
    : fork(RUNNER, { env: { PATH: process.env.PATH }, execArgv: [], stdio: [...RUNNER_STDIO] })
  child.ref()
  child.channel?.ref()
  child.send({ folder: resolve(folder) })
  return { child, left: 0, idle: Promise.resolve() }
}

async function askRunner(child: ChildProcess, args: readonly string[], store: NodeJS.ProcessEnv): Promise<Ended> {
  const answered = new AbortController()
  const { signal } = answered
  const died = once(child, 'exit', { signal }).then(() => {
    throw new Error(`foldgate ${args.join(' ')} ended the process that ran it`)
  })
  try {
    child.send({ args, store })
    const [ended] = await Promise.race([once(child, 'message', { signal }), died])
    return ended as Ended
  } finally {
    answered.abort()
  }
}

/**
 * Frees the processes that ran commands in folders below this one for other folders; those whose last command has not ended
 * are ended. The others end with this process.
 */
export function freeRunners(below: string): void {
  for (const [folder, { child, left }] of runners) {
    if (!folder.startsWith(below)) continue
    runners.delete(folder)
    if (!child.connected) continue
    if (left > 0) {
      child.kill()
      continue
    }
    child.send({ folder: tmpdir() })
    child.unref()
    child.channel?.unref()
    free.push(child)
  }
}

/** Runs `foldgate` and returns its output; throws if it fails. */
export async function output(folder: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await ask(folder, args)
  if (status !== 0) throw new Error(`foldgate ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout.trimEnd()
}

/** Runs `foldgate --json` and returns its parsed output; throws if it fails. */
export async function outputJson<Value>(folder: string, ...args: string[]): Promise<Value> {
  return JSON.parse(await output(folder, ...args, '--json')) as Value
}

/** Creates an empty folder before the tests of a suite, and removes it after them. */
export function scratchFolder(): { readonly path: string } {
  let path = ''
  before(async () => {
    path = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  after(async () => {
    freeRunners(path)
    await dropStores(path)
    await rm(path, { recursive: true, force: true, maxRetries: 5 }) // a server may still be at work in it
  })
  return {
    get path() {
      return path
    },
  }
}
