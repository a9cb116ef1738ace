import type { Launcher } from '#lib/sandbox/launchers.js'
import { Host } from './host.js'
import { type Available, isPrivileged, type Kind, programAlone, withoutProgram } from './launchers.js'

/** What became of a try: null when it was possible, else the code of the error. */
type Outcome = string | null

/** What a process tried, without walls, behind all walls of each launcher, and behind those of one kind. */
export interface Tried {
  what: string
  without: Outcome
  behind: Partial<Record<Launcher['name'], Outcome>>
  alone: Partial<Record<Kind, Outcome>>
}

/** What only the administrator of a machine may do, or anybody only on some machines. */
const PRIVILEGED = [
  ...['open the store by its handle', 'read memory of a process of the host', 'trace a process of the host'],
  ...['open the memory of a process of the host, JavaScript', 'open the memory of a process of the host, openat'],
  ...['mount a file system', 'prepare a file system', 'change its root', 'create a device', 'create a BPF map'],
  ...['leave its namespaces, unshare', 'enter namespaces, setns', 'create a user namespace', 'fork, clone3'],
  ...['leave its namespaces of time, unshare', 'write memory of a process of the host'],
  ...['take a descriptor of a process of the host', 'compare itself with the host', 'name the machine'],
  ...['set where cores are dumped', 'set how memory is overcommitted', 'set how a network forwards'],
  ...['set which cores take interrupts', 'set how the kernel uses pages', 'write to the log of the kernel'],
  ...['read the log of the kernel', 'read where pages lie in memory', 'read what the kernel has allocated'],
  ...[
    'read any file of /proc that others may not, except settings',
    'write to any file of /sys',
    'run in real time',
    'raise its priority',
  ],
]
/** What some kernels do not have, or keep from everybody. */
const OF_SOME_KERNELS = [
  ...['set up io_uring', 'handle page faults', 'observe performance events', 'use the keyring'],
  ...['load a kernel module', 'open the store by its handle', 'compare itself with the host', 'add a key'],
  ...['raise its limit on data', 'raise its limit on descriptors', 'raise its limit on core files'],
  ...['set what loads modules', 'set which cores take interrupts', 'set how the kernel uses pages', 'write a SysRq'],
  ...['read the memory of the kernel', 'read where pages lie in memory', 'read what the kernel has allocated'],
  ...[
    'read any file of /proc that others may not, except settings',
    'read /etc/passwd through the root of the first process',
  ],
  ...['use quotas of disks', 'watch file systems, fanotify', 'open a queue of messages', 'lock its memory'],
  ...['create a segment of shared memory', 'take a descriptor of a process of the host', 'open a terminal'],
  ...['leave its namespaces of time, unshare'],
]
/** What a process is not started with, whether there are walls or not. */
export const NOT_AT_ITS_START: readonly string[] = [
  ...['find the environment of the host', 'find a file of the host open', 'type into the terminal of the host'],
]

/** Whether something is possible on every machine where the tests run as they do here. */
export function isPossibleHere(what: string): boolean {
  if (OF_SOME_KERNELS.includes(what) || NOT_AT_ITS_START.includes(what)) return false
  return isPrivileged() || !PRIVILEGED.includes(what)
}

/** Has processes try everything, behind all that is available. */
export async function prove(launchers: Available): Promise<Tried[]> {
  const { bubblewrap, setpriv } = launchers
  const { TRIES } = (await import(new URL('./tries.mjs', import.meta.url).href)) as { TRIES: object }
  const rows = Object.keys(TRIES).map((what): Tried => ({ what, without: null, behind: {}, alone: {} }))
  const fill = async (launcher: Launcher | null, set: (row: Tried, outcome: Outcome) => void) => {
    const host = await Host.open(launcher)
    try {
      for (const row of rows) set(row, await host.try(row.what))
    } finally {
      await host.close()
    }
  }
  await fill(null, (row, outcome) => {
    row.without = outcome
  })
  for (const launcher of [bubblewrap, setpriv])
    if (launcher)
      await fill(launcher, (row, outcome) => {
        row.behind[launcher.name] = outcome
      })
  const kinds: [Kind, Launcher | null][] = [
    ['N', bubblewrap && withoutProgram(bubblewrap)],
    ['L', setpriv && withoutProgram(setpriv)],
    ['S', programAlone(launchers)],
  ]
  for (const [kind, launcher] of kinds)
    if (launcher)
      await fill(launcher, (row, outcome) => {
        row.alone[kind] = outcome
      })
  return rows
}

/** The proof as a table in Markdown. */
export function markdown(rows: readonly Tried[]): string {
  const cell = (outcome: Outcome | undefined, possible: string) => (outcome === undefined ? '?' : (outcome ?? possible))
  return [
    [
      'A process tries to',
      'Without walls',
      'bubblewrap',
      'Landlock',
      'Namespaces alone',
      'Landlock alone',
      'seccomp alone',
    ],
    Array(7).fill('---'),
    ...rows.map(({ what, without, behind, alone }) => [
      what,
      cell(without, 'possible'),
      ...[behind.bubblewrap, behind.setpriv].map(outcome => cell(outcome, '**POSSIBLE**')),
      ...[alone.N, alone.L, alone.S].map(outcome => cell(outcome, 'possible')),
    ]),
  ]
    .map(cells => `| ${cells.join(' | ')} |\n`)
    .join('')
}
