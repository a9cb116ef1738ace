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
]
/** What some kernels do not have, or keep from everybody. */
const OF_SOME_KERNELS = [
  ...['set up io_uring', 'handle page faults', 'observe performance events', 'use the keyring'],
  ...['load a kernel module', 'open the store by its handle'],
]

/** Whether something is possible on every machine where the tests run as they do here. */
export function isPossibleHere(what: string): boolean {
  return !OF_SOME_KERNELS.includes(what) && (isPrivileged() || !PRIVILEGED.includes(what))
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
