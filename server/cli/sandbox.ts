import type { Command } from 'commander'
import { openSandbox, stateOf, WALLS, type Wall } from 'foldgate/internal'
import { Refusal } from '../input/refusal.js'
import { addCommand, type CommonOptions } from './command.js'
import { print, table } from './print.js'

/** What each wall keeps a process from. */
const ABOUT: Readonly<Record<Wall, string>> = {
  files: 'files other than its own and those that it is given',
  network: 'sockets',
  programs: 'starting a program or another process',
  processes: 'seeing, signalling and reading other processes',
  calls: 'system calls that it does not need',
}

/** `foldgate sandbox` */
export function sandboxCommand(program: Command): void {
  addCommand(program, 'sandbox', 'Try the walls around processes that run SQL or read packages.', [])
    .addHelpText(
      'after',
      '\nEnds with status 1 when a wall is missing, without which serve --sandbox required ends.',
    )
    .action(async (options: CommonOptions) => {
      const state = stateOf(await openSandbox('auto'))
      const { launcher, walls, missing } = state
      const rows = WALLS.map(wall => [wall, walls.includes(wall) ? 'holds' : 'missing', ABOUT[wall]])
      const by = launcher === null ? 'Nothing puts up walls here.' : `The walls are put up by ${launcher}.`
      print(options, state, `${by}\n${table([['WALL', 'STATE', 'KEEPS A PROCESS FROM'], ...rows])}`)
      if (missing !== null) throw new Refusal(`Walls are missing: ${missing}`)
    })
}
