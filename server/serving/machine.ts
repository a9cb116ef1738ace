import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { availableMemory, neededMemory, resolveEngine, workersOf } from 'foldgate/internal'
import { Refusal } from '../input/refusal.js'
import type { Log } from '../operation/log.js'
import type { ServerConfig } from '../settings/config.js'
import { writeSize } from '../settings/parsers.js'
import type { DataFolder } from '../snapshots/data-folder.js'

/** What the machine, the container and the service manager let this process have. */
export interface Machine {
  memory: { bytes: number; isContainer: boolean }
  /** Files and sockets that it may have open; null when not known. */
  descriptors: number | null
  /** Processes and threads that may run together with it; null when not limited or not known. */
  tasks: number | null
}

/** Whether one thing of the machine suffices for the settings, and what to change if it does not. */
export interface Finding {
  what: 'memory' | 'descriptors' | 'processes' | 'disk'
  state: 'ok' | 'warning' | 'failed'
  message: string
}

/** Files that a server has open while it loads its modules, and without a caller. */
const OWN_DESCRIPTORS = 384
/** Channels and pipes of a process, and files that are moved for its job. */
const DESCRIPTORS_PER_PROCESS = 4
/** Below this many for callers, connections can be refused. */
const DESCRIPTORS_OF_CALLERS = 1024
/** Threads of an engine process, with its launcher, and of the server. */
const TASKS_PER_PROCESS = 16
const OWN_TASKS = 32
const GUARDS = 2
const RESULT_BYTES = 2 * 1024 ** 3
const MIB = 1024 ** 2

/** Reads the limits of this process; files of the system are looked for below `root`. */
export async function readMachine(root = '/'): Promise<Machine> {
  const read = (path: string) => readFile(join(root, path), 'utf8').catch(() => '')
  const limits = await read('proc/self/limits')
  const limited = (name: string) => {
    const [, soft] = new RegExp(`^${name} +(\\d+)`, 'm').exec(limits) ?? []
    return soft === undefined ? null : Number(soft)
  }
  const ofGroups = await pidsOfGroups(await read('proc/self/cgroup'), read)
  const ofUser = process.getuid?.() === 0 ? null : limited('Max processes') // root is not held to it
  const tasks = [...ofGroups, ...(ofUser === null ? [] : [ofUser])]
  return {
    memory: availableMemory(),
    descriptors: limited('Max open files'),
    tasks: tasks.length === 0 ? null : Math.min(...tasks),
  }
}

/** The limits on processes of the control groups that this process is in, of both versions. */
async function pidsOfGroups(groups: string, read: (path: string) => Promise<string>): Promise<number[]> {
  const [, path = '/'] = /^\d+:pids:(.*)$/m.exec(groups) ?? /^0::(.*)$/m.exec(groups) ?? []
  const mount = /^\d+:pids:/m.test(groups) ? 'sys/fs/cgroup/pids' : 'sys/fs/cgroup'
  const parts = path.split('/').filter(part => part !== '')
  const files = Array.from({ length: parts.length + 1 }, (_, at) =>
    join(mount, ...parts.slice(0, at), 'pids.max'),
  )
  const found = await Promise.all(files.map(read))
  return found.map(text => Number.parseInt(text, 10)).filter(count => count > 0)
}

type Settings = Pick<
  ServerConfig,
  'connections' | 'residents' | 'spares' | 'memoryLimitBytes' | 'copiesBytes' | 'limits'
>

/** Compares settings with the machine; the settings that are not given are those that the engine chooses. */
export async function compareWith(
  machine: Machine,
  settings: Settings,
  folder: Pick<DataFolder, 'engine' | 'snapshots' | 'hasCopies'>,
): Promise<Finding[]> {
  const { connections: count, residents: kept, memoryLimitBytes: memory, spares } = settings
  const engine = resolveEngine({
    folder: folder.engine,
    spares,
    ...(count === null ? {} : { connections: count }),
    ...(kept === null ? {} : { residents: kept }),
    ...(memory === null ? {} : { memoryLimitBytes: memory }),
  })
  const running = workersOf(engine.connections) + spares + GUARDS
  const processes = Math.max(running, engine.residents + spares + GUARDS)
  return [
    memoryFinding(machine, engine),
    descriptorFinding(machine, running, processes),
    processFinding(machine, processes),
    await diskFinding(engine, settings, folder),
  ]
}

type Engine = ReturnType<typeof resolveEngine>

function memoryFinding({ memory }: Machine, engine: Engine): Finding {
  const { connections, memoryLimitBytes } = engine
  const size = `${connections} ${connections === 1 ? 'connection' : 'connections'} of ${writeSize(memoryLimitBytes)}`
  const there = `${inMiB(memory.bytes)} of the ${memory.isContainer ? 'container' : 'machine'}`
  const needed = neededMemory(engine)
  if (needed <= memory.bytes) return { what: 'memory', state: 'ok', message: `${size} fit ${there}` }
  const message =
    `${size} may take ${inMiB(needed)}, more than the ${there}: the kernel would end processes; lower connections ` +
    'or memoryLimit, or give it more memory'
  return { what: 'memory', state: 'warning', message }
}

/** `running` processes must start, and `processes` are there once many organizations call. */
function descriptorFinding({ descriptors }: Machine, running: number, processes: number): Finding {
  const needed = OWN_DESCRIPTORS + DESCRIPTORS_PER_PROCESS * running
  const enough = OWN_DESCRIPTORS + DESCRIPTORS_PER_PROCESS * processes + DESCRIPTORS_OF_CALLERS
  const raise = `raise the limit to ${enough} or more (ulimit -n, LimitNOFILE of systemd, nofile of a container)`
  if (descriptors === null) return { what: 'descriptors', state: 'ok', message: 'the system tells no limit' }
  const may = `${descriptors} files and sockets may be open`
  if (descriptors < needed)
    return { what: 'descriptors', state: 'failed', message: `${may}, and a start needs ${needed}: ${raise}` }
  if (descriptors >= enough) return { what: 'descriptors', state: 'ok', message: may }
  const left = `${may}, of which connections of callers have what ${processes} engine processes leave`
  return { what: 'descriptors', state: 'warning', message: `${left}: ${raise}` }
}

function processFinding({ tasks }: Machine, processes: number): Finding {
  const needed = OWN_TASKS + TASKS_PER_PROCESS * processes
  if (tasks === null) return { what: 'processes', state: 'ok', message: 'no limit on processes is known' }
  if (tasks >= needed)
    return { what: 'processes', state: 'ok', message: `${tasks} processes and threads may run` }
  const message =
    `${tasks} processes and threads may run, and ${processes} engine processes may have ${needed}: raise the limit ` +
    '(ulimit -u, TasksMax of systemd, pids_limit of a container), or lower residents and spares'
  return { what: 'processes', state: 'warning', message }
}

async function diskFinding(
  { connections, spillBytes, cacheBytes }: Engine,
  { limits, copiesBytes }: Settings,
  { engine, snapshots, hasCopies }: Pick<DataFolder, 'engine' | 'snapshots' | 'hasCopies'>,
): Promise<Finding> {
  const [disk, ofCopies] = await Promise.all([statfs(engine), statfs(snapshots).catch(() => null)])
  const free = disk.bavail * disk.bsize
  const working = workersOf(connections) * (spillBytes + limits.exportBytes)
  const warning = (message: string): Finding => ({ what: 'disk', state: 'warning', message })
  if (free < working)
    return warning(
      `${inMiB(free)} are free for the data folder, and statements may spill and export ${inMiB(working)} at once: free ` +
        'some, or lower connections, memoryLimit or exportBytes',
    )
  const bounded = cacheBytes + RESULT_BYTES
  if (disk.blocks * disk.bsize < bounded + working)
    return warning(
      `the disk of the data folder has ${inMiB(disk.blocks * disk.bsize)}, and the engine may keep ${inMiB(bounded)} ` +
        `there beside the ${inMiB(working)} of statements: enlarge it`,
    )
  if (hasCopies && ofCopies && ofCopies.blocks * ofCopies.bsize < copiesBytes)
    return warning(
      `copies of snapshots may take ${inMiB(copiesBytes)}, more than their disk has: lower snapshotCopies, or enlarge it`,
    )
  return { what: 'disk', state: 'ok', message: `${inMiB(free)} are free for the data folder` }
}

function inMiB(bytes: number): string {
  return `${Math.round(bytes / MIB).toLocaleString('en-US')} MiB`
}

/** Throws a Refusal when a server cannot work with one of these findings. */
export function refuseImpossible(findings: readonly Finding[]): void {
  const impossible = findings.find(({ state }) => state === 'failed')
  if (impossible) throw new Refusal(`The server cannot start here: ${impossible.message}`)
}

/** Logs warnings, and how the memory is used. */
export function tellFindings(log: Log, findings: readonly Finding[]): void {
  for (const { what, state, message } of findings) {
    if (state === 'warning') log.warn({ type: 'machine', what }, `${what}: ${message}`)
    else if (what === 'memory') log.info({ type: 'machine', what }, `${what}: ${message}`)
  }
}
