import { Command, Help, type Option } from 'commander'
import { version } from '../operation/version.js'
import { refuseUnknownVariables } from '../settings/variables.js'
import { assessmentCommands } from './assessment.js'
import { importCommand } from './import.js'
import { keyCommands } from './key.js'
import { organizationCommands } from './organization.js'
import { projectCommands } from './project.js'
import { demoCommand, serveCommand } from './serve.js'
import { snapshotCommands } from './snapshot.js'
import { storeCommands } from './store.js'
import { usageCommand } from './usage.js'
import { userCommands } from './user.js'
import { webhookCommands } from './webhook.js'

/** Creates the command line `foldgate`; parsing throws when commander would end the process. */
export function createProgram(): Command {
  const program = new Command('foldgate')
    .description('Open sealed analytics to customers: run the server, and manage what they may read.')
    .version(version(), '--version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .helpCommand('help [command]', 'Print the help of a command.')
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
    .showHelpAfterError('Add --help for usage.')
    .hook('preAction', () => refuseUnknownVariables())
  organizationCommands(program)
  userCommands(program)
  keyCommands(program)
  webhookCommands(program)
  projectCommands(program)
  assessmentCommands(program)
  snapshotCommands(program)
  importCommand(program)
  storeCommands(program)
  serveCommand(program)
  usageCommand(program)
  demoCommand(program)
  return program
}

/** Says in the help of a command which options it cannot do without. */
function describeOption(option: Option): string {
  const about = new Help().optionDescription(option)
  return option.mandatory ? `${about} Required.` : about
}
