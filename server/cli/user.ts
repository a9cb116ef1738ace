import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { formatInstant } from '../store/instants.js'
import { addUser, grantOrganizations, listUsers, revokeOrganizations, setPassword, type User } from '../store/users.js'
import { addCommand, addGroup, type CommonOptions, organizationOption, withStore } from './command.js'
import { print, printList } from './output.js'

interface UserOptions extends CommonOptions {
  organization: string[]
  passwordStdin?: boolean
}

/** `foldgate user …` */
export function userCommands(program: Command): void {
  const group = addGroup(program, 'user', 'Manage users: they own keys and read organizations.')
  addCommand(group, 'add <email>', 'Add a user who reads these organizations.')
    .addOption(organizationOption('Organization that the user reads.'))
    .option('--password-stdin', 'Read a password from standard input; without it the user cannot log in.')
    .action((email: string, options: UserOptions) =>
      withStore(options, async store => {
        const password = options.passwordStdin ? { password: await readPassword() } : {}
        const user = await addUser(store, { email, organizations: options.organization, ...password })
        print(options, asJson(user), sentence(user))
      }),
    )
  addCommand(group, 'grant <email>', 'Let a user read more organizations.')
    .addOption(organizationOption('Organization that the user reads from now on.'))
    .action((email: string, options: UserOptions) =>
      withStore(options, async store => {
        const user = await grantOrganizations(store, email, options.organization)
        print(options, asJson(user), sentence(user))
      }),
    )
  addCommand(group, 'revoke <email>', 'Take organizations from a user, and so from their keys, at once.')
    .addOption(organizationOption('Organization that the user no longer reads.'))
    .action((email: string, options: UserOptions) =>
      withStore(options, async store => {
        const user = await revokeOrganizations(store, email, options.organization)
        print(options, asJson(user), sentence(user))
      }),
    )
  addCommand(group, 'password <email>', "Set a user's password from standard input, and end their sessions.").action(
    (email: string, options: CommonOptions) =>
      withStore(options, async store => {
        const user = await setPassword(store, email, await readPassword())
        print(options, asJson(user), `${user.email} has a new password`)
      }),
  )
  addCommand(group, 'list', 'List all users.').action((options: CommonOptions) =>
    withStore(options, async store => {
      const users = (await listUsers(store)).map(asJson)
      printList(options, users, {
        EMAIL: each => each.email,
        ORGANIZATIONS: each => each.organizations.join(', ') || '-',
        LOGIN: each => (each.hasPassword ? 'yes' : 'no'),
        CREATED: each => each.createdAt,
      })
    }),
  )
}

function asJson(user: User) {
  const { id, email, organizations, hasPassword, createdAt } = user
  return { id, name: email, email, organizations, hasPassword, createdAt: formatInstant(createdAt) }
}

function sentence({ email, organizations }: User): string {
  return `${email} reads ${organizations.length === 0 ? 'nothing' : organizations.join(', ')}`
}

/** Reads standard input to its end, without the line break that `echo` adds. */
async function readPassword(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}
