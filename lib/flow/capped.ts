import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { atRest, environment } from '../sandbox/at-rest.js'
import { NO_SANDBOX, type Sandbox, shellArguments } from '../sandbox/sandbox.js'
import type { Room } from '../sandbox/world.js'
import { type ProcessBounds, watchBounds } from './bounds.js'
import { CHANNEL } from './channel.js'

/** A worker with 16 projects of 256 relations each has 4096 files open. */
const MOST_DESCRIPTORS = 6144
/** What a process may have in memory that does not count towards the cap: code, and the stack of its first thread. */
const NOT_COUNTED_BYTES = 64 * 1024 ** 2

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
  /** Bounds on resources other than memory. Default: as {@link ProcessBounds} has it. */
  bounds?: Omit<ProcessBounds, 'memoryBytes'>
  /** The walls that it runs behind, and what it is shown. Default: none. */
  behind?: { sandbox: Sandbox; room: Room }
}

/**
 * Starts a Node process with a channel and without the host's environment, whose memory is capped. Rejects when Node
 * cannot be started. Only Linux applies RLIMIT_DATA to mapped memory, and ends a process that takes more all the same,
 * which emits an `error` with the reason; elsewhere a process that calls `serveJobs` watches its own size.
 */
export async function spawnCapped(
  { script, args = [], folder, env: own = {}, memoryLimitBytes, bounds, behind }: CappedScript,
  stderr: 'pipe' | 'inherit' | 'ignore',
): Promise<ChildProcess> {
  const stdio: Stdio[] = ['ignore', 'ignore', stderr]
  stdio[CHANNEL] = process.platform === 'win32' ? 'overlapped' : 'pipe' // elsewhere the same
  const isLinux = process.platform === 'linux'
  const env = {
    ...own,
    ...environment(folder),
    // Signals of a terminal reach the host alone, which decides whether a job may finish.
    ...(isLinux ? { FOLDGATE_OWN_GROUP: '1' } : { FOLDGATE_WATCH_BYTES: String(memoryLimitBytes) }),
  }
  const heapMiB = Math.floor(memoryLimitBytes / 4 / 1024 ** 2)
  const node = [`--max-old-space-size=${heapMiB}`, fileURLToPath(script), ...args]
  const spawning = { cwd: folder, env, windowsHide: true, detached: isLinux }
  if (!isLinux) return spawn(process.execPath, node, { ...spawning, stdio })
  const capBytes = (await atRest()).mappedBytes + memoryLimitBytes
  // The limit on descriptors is left where it is lower.
  const limits = `{ ulimit -n ${MOST_DESCRIPTORS} 2>&-; ulimit -d ${Math.floor(capBytes / 1024)} && ulimit -c 0; }`
  const command = [process.execPath, ...node]
  const nothing = openSync('/dev/null', 'r')
  try {
    const covered = covering(inheritedDescriptors(), stdio, nothing)
    const child = spawn('/bin/sh', shellArguments(behind, command, limits), { ...spawning, stdio: covered })
    const watched = {
      child,
      sandbox: behind?.sandbox ?? NO_SANDBOX,
      own: behind?.room.own ?? null,
      bounds: { ...bounds, memoryBytes: capBytes + NOT_COUNTED_BYTES },
      end: () => killCapped(child),
    }
    if (child.pid !== undefined) watchBounds(watched)
    return child
  } finally {
    closeSync(nothing)
  }
}

/**
 * Ends a process that {@link spawnCapped} has started, with its whole group: a process that bubblewrap has just forked
 * is not yet set to die with its parent, and would wait for it for good.
 */
export function killCapped(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    if (process.platform === 'linux') process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended, or this runtime starts no groups.
  }
  child.kill('SIGKILL')
}

type Stdio = Exclude<StdioOptions, string>[number]

/** What a process is started with, when `nothing` takes the place of what it would inherit. */
function covering(inherited: readonly number[], stdio: readonly Stdio[], nothing: number): Stdio[] {
  const length = Math.max(stdio.length, ...inherited.map(each => each + 1))
  return Array.from({ length }, (_, at) => stdio[at] ?? (inherited.includes(at) ? nothing : 'ignore'))
}

let inherited: number[] | null = null

/**
 * File descriptors that this process was started with and that every program it starts would inherit, as from
 * a shell or a service manager. Node closes its own when it starts one, and these up to the first gap after 15.
 */
function inheritedDescriptors(): number[] {
  inherited ??= readdirSync('/proc/self/fd')
    .map(Number)
    .filter(each => each > 2 && !isClosedAtStart(each))
  return inherited
}

const O_CLOEXEC = 0o2000000

function isClosedAtStart(descriptor: number): boolean {
  try {
    const about = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    return (Number.parseInt(/^flags:\s+(\d+)/m.exec(about)?.[1] ?? '0', 8) & O_CLOEXEC) !== 0
  } catch {
    return true // the descriptor with which the folder was read
  }
}
