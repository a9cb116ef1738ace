import { Command, Help, type Option } from 'commander'
import { nearest } from 'foldgate/internal'
import { additions, missingAdditions } from '../input/installed.js'
import { Refusal } from '../input/refusal.js'
import { version } from '../operation/version.js'
import { ALL_SETTINGS, FROM_SETTING } from '../settings/flags.js'
import type { Setting, SettingAddition } from '../settings/setting.js'
import { holdings } from '../store/holdings.js'
import { assessmentCommands } from './assessment.js'
import { auditCommand } from './audit.js'
import { backupCommands } from './backup.js'
import { checkCommand } from './check.js'
import type { CommandAddition } from './command.js'
import { doctorCommand } from './doctor.js'
import { keyCommands } from './key.js'
import { organizationCommands } from './organization.js'
import { projectCommands } from './project.js'
import { runningCommands } from './running.js'
import { sealCommand } from './seal.js'
import { demoCommand, serveCommand } from './serve.js'
import { snapshotCommands } from './snapshot.js'
import { storeCommands } from './store.js'
import { usageCommand } from './usage.js'
import { userCommands } from './user.js'

const PREFIX = 'FOLDGATE_'
/** Variables of our deployment, examples and tests, which a command may find in its environment. */
const NO_SETTINGS = ['SITE', 'SECRET', 'URL', 'KEY', 'SEED', 'MODEL_KEY']
const OF_TESTS = /^TEST_/
/** What Kubernetes sets in every container for a service whose name begins with "foldgate". */
const OF_KUBERNETES = /(^|_)SERVICE_(HOST|PORT)(_|$)|(^|_)PORT_\d+_(TCP|UDP|SCTP)(_|$)/
const ADDRESS_OF_KUBERNETES = /^(tcp|udp|sctp):\/\//

/**
 * Creates the command line `foldgate`, with the commands of packages that are installed; parsing throws when commander
 * would end the process.
 */
export async function createProgram(): Promise<Command> {
  const added = await additions<CommandAddition & SettingAddition>()
  const settings = added.flatMap(each => each.settings ?? [])
  const missing = await missingAdditions()
  const notInstalled = `Not installed: ${missing.join(', ')}`
  const lacking = missing.length === 0 ? '' : `. ${notInstalled}`
  const program = new Command('foldgate')
    .description('Open sealed analytics to customers: run the server, and manage what they may read.')
    .version(version(), '--version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .helpCommand('help [command]', 'Print the help of a command.')
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
    .showHelpAfterError(`Add --help for usage${lacking}.`)
    .addHelpText('after', missing.length === 0 ? '' : `\n${notInstalled}`)
    .hook('preAction', () => refuseUnknownVariables(process.env, settings, lacking))
  organizationCommands(program)
  userCommands(program, await holdings())
  keyCommands(program)
  projectCommands(program)
  assessmentCommands(program)
  snapshotCommands(program)
  checkCommand(program)
  sealCommand(program)
  storeCommands(program)
  backupCommands(program)
  serveCommand(program, settings)
  doctorCommand(program)
  usageCommand(program)
  runningCommands(program)
  auditCommand(program)
  demoCommand(program)
  for (const { addCommands } of added) addCommands?.(program)
  return program
}

/** Says in the help of a command which options it cannot do without. */
function describeOption(option: Option): string {
  const about = new Help().optionDescription(option)
  return option.mandatory ? `${about} Required.` : about
}

/**
 * Throws a Refusal when a variable that begins with `FOLDGATE_` is not a setting, since a misspelt name would
 * leave the setting at its default. An empty variable counts as not set. The message never contains a value:
 * it may be secret.
 */
export function refuseUnknownVariables(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  added: readonly Setting[] = [],
  lacking = '',
): void {
  const known = [...ALL_SETTINGS, FROM_SETTING, ...added].map(setting =>
    setting.variable.slice(PREFIX.length),
  )
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || !value) continue
    const name = variable.slice(PREFIX.length)
    if (known.includes(name) || NO_SETTINGS.includes(name) || OF_TESTS.test(name)) continue
    if (OF_KUBERNETES.test(name) || ADDRESS_OF_KUBERNETES.test(value)) continue
    const meant = nearest(name, known)
    throw new Refusal(
      meant === null
        ? `${variable} is not a setting: unset it, or set one that "foldgate serve --help" lists${lacking}`
        : `${variable} is not a setting: did you mean ${PREFIX}${meant}? "foldgate serve --help" lists all${lacking}`,
    )
  }
}
