import type { Command } from 'commander'
import { knowSound, openSandbox, type SandboxState, stateOf, WALLS, type Wall } from 'foldgate/internal'
import { checkCatalogue } from 'foldgate/sealing'
import { withControl } from '../database/store.js'
import { Refusal } from '../input/refusal.js'
import { loggedReason } from '../operation/event-log.js'
import { compareWith, type Finding, readMachine } from '../serving/machine.js'
import { readConfig, type ServerConfig } from '../settings/config.js'
import { ALL_SETTINGS, PLACE_SETTINGS } from '../settings/flags.js'
import { loadCatalogue } from '../settings/load-catalogue.js'
import { type DataFolder, openDataFolder } from '../snapshots/data-folder.js'
import { requireSharedFolder } from '../snapshots/marker.js'
import { problemLines } from '../snapshots/problems.js'
import { addCommand, type CommonOptions, givenFlags, settingOption } from './command.js'
import { print, table } from './print.js'

/** What each wall keeps a process from. */
const ABOUT: Readonly<Record<Wall, string>> = {
  files: 'files other than its own and those that it is given',
  network: 'sockets',
  programs: 'starting a program or another process',
  processes: 'seeing, signalling and reading other processes',
  calls: 'system calls that it does not need',
}
const CHECK_MS = 60_000

/** The outcome of one check. */
interface Checked {
  check: string
  state: Finding['state']
  message: string
}

/** `foldgate doctor` */
export function doctorCommand(program: Command): void {
  const command = addCommand(
    program,
    'doctor',
    'Check the machine, the sandbox, the store, snapshots, the catalogue and the engine for foldgate serve.',
  )
  for (const setting of ALL_SETTINGS)
    if (!(setting.flag in PLACE_SETTINGS)) command.addOption(settingOption(setting))
  command
    .addHelpText('after', '\nTakes the flags and variables of foldgate serve, and may run beside a server.')
    .addHelpText('after', 'Ends with status 1 when a check has failed.')
    .action(async (options: CommonOptions) => {
      const checks = await examine(readConfig(givenFlags(command)))
      const rows = checks.map(({ check, state, message }) => [check, state, message])
      print(options, { checks }, table([['CHECK', 'STATE', 'FOUND'], ...rows]))
      const failed = checks.filter(({ state }) => state === 'failed').map(({ check }) => check)
      if (failed.length > 0) throw new Refusal(`Checks have failed: ${failed.join(', ')}`)
    })
}

async function examine(config: ServerConfig): Promise<Checked[]> {
  const { node } = process.versions
  const checks: Checked[] = [{ check: 'node', state: 'ok', message: `${node}; 24 is recommended` }]
  /** Runs a check; what it throws is its failure, after which the checks that need its result are left out. */
  async function attempt<Result>(
    check: string,
    work: () => Promise<Result>,
    told: (result: Result) => string,
  ): Promise<Result | null> {
    try {
      const result = await work()
      checks.push({ check, state: 'ok', message: told(result) })
      return result
    } catch (cause) {
      const message = cause instanceof Refusal ? cause.message : loggedReason(cause)
      checks.push({ check, state: 'failed', message: message.replaceAll('\n', ' ') })
      return null
    }
  }
  checks.push(...wallsFound(config, stateOf(await openSandbox(config.sandbox === 'off' ? 'off' : 'auto'))))
  const catalogue = await attempt(
    'catalogue',
    () => loadCatalogue(config.catalogue),
    () => config.catalogue ?? 'the reference catalogue',
  )
  if (!catalogue) return checks
  const folder = await attempt(
    'data folder',
    () => openDataFolder(config.data, { ...config, catalogue }),
    ({ name }) => name,
  )
  if (!folder) return checks
  try {
    for (const { what, ...found } of await compareWith(await readMachine(), config, folder))
      checks.push({ check: what, ...found })
    const written = await attempt(
      'store',
      () => withControl(folder, store => store.requireWritable()),
      () =>
        `${config.store === null ? 'the file in the data folder' : 'PostgreSQL'} answers and takes writes`,
    )
    const { shared } = folder
    if (written !== null)
      await attempt(
        'snapshots',
        () => withControl(folder, store => requireSharedFolder(store, folder).then(() => shared.probe())),
        () => `the ${shared.what} can be listed and written, also for exports`,
      )
    await attempt(
      'engine',
      () => answerOnce(config, folder),
      () => 'processes start, and answer the statements of the catalogue',
    )
  } finally {
    folder.shared.close()
  }
  return checks
}

/** Builds the folds of the catalogue over tables without rows, and runs its statements. */
async function answerOnce({ functions, sandbox }: ServerConfig, folder: DataFolder): Promise<void> {
  const { catalogue } = folder
  const signal = AbortSignal.timeout(CHECK_MS)
  const guard = { functions: functions ?? [] }
  const problems = await checkCatalogue(catalogue, { folder: folder.scratch, guard, sandbox, signal })
  if (problems.length > 0)
    throw new Refusal(`the catalogue has mistakes: ${problemLines(problems).join('; ')}`)
  knowSound(catalogue)
}

function wallsFound({ sandbox }: ServerConfig, { launcher, walls, missing }: SandboxState): Checked[] {
  const lacking = sandbox === 'required' ? 'failed' : 'warning'
  const found = (check: string, holds: boolean, message: string): Checked => ({
    check,
    state: holds ? 'ok' : lacking,
    message,
  })
  const by = launcher === null ? 'nothing puts up walls here' : `the walls are put up by ${launcher}`
  return [
    found('sandbox', missing === null, missing === null ? by : `${by}: ${missing}`),
    ...WALLS.map(wall =>
      walls.includes(wall)
        ? found(`wall ${wall}`, true, `keeps processes from ${ABOUT[wall]}`)
        : found(`wall ${wall}`, false, `missing: nothing keeps processes from ${ABOUT[wall]}`),
    ),
  ]
}
