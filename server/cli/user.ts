import { text } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Holding } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import { removedField } from '../store/holdings.js'
import { type AlsoEnd, type EndedAccess, setPassword } from '../store/sessions.js'
import { resumeUser, suspendUser } from '../store/user-removal.js'
import {
  addUser,
  grantOrganizations,
  listUsers,
  renameUser,
  revokeOrganizations,
  type User,
} from '../store/users.js'
import { addCommand, addGroup, type CommonOptions, organizationOption, withStore } from './command.js'
import { counted, instantOrNull, print, printList } from './print.js'
import { removeUserCommand } from './remove.js'

interface UserOptions extends CommonOptions {
  organization: string[]
  passwordStdin?: boolean
}

interface PasswordOptions extends CommonOptions {
  revokeKeys?: boolean
}

/** `foldgate user …`; a password may end these holdings of packages too. */
export function userCommands(program: Command, held: readonly Holding[]): void {
  const endable = held
    .filter(({ removeOf }) => removeOf)
    .map(each => ({
      ...each,
      flag: new Option(`--remove-${each.field}`, `Remove all ${each.several} of the user too.`),
    }))
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
  const password = addCommand(
    group,
    'password <email>',
    "Set a user's password from standard input, and end their sessions.",
  ).option('--revoke-keys', 'Revoke all keys of the user too.')
  for (const { flag } of endable) password.addOption(flag)
  password.action((email: string, options: PasswordOptions) =>
    withStore(options, async store => {
      const also: AlsoEnd = { keys: options.revokeKeys ?? false }
      for (const { field, flag } of endable)
        also[field] = password.getOptionValue(flag.attributeName()) === true
      const { user, ended } = await setPassword(store, email, await readPassword(), also)
      const removed = endable.map(each => [ended[removedField(each)] ?? 0, each] as const)
      const words = `${user.email} has a new password${ofEnded(ended, removed)}`
      print(options, { ...asJson(user), ...ended }, words)
    }),
  )
  addCommand(group, 'rename <email> <new-email>', 'Change the address with which a user logs in.').action(
    (email: string, next: string, options: CommonOptions) =>
      withStore(options, async store => {
        const user = await renameUser(store, email, next)
        print(options, asJson(user), `The user ${user.id} has the address ${user.email}`)
      }),
  )
  addCommand(
    group,
    'suspend <email>',
    'Log a user out, refuse their logins and keys, and send them nothing, until "resume".',
  ).action((email: string, options: CommonOptions) =>
    withStore(options, async store => {
      const user = await suspendUser(store, email)
      print(options, asJson(user), `${user.email} is suspended`)
    }),
  )
  addCommand(
    group,
    'resume <email>',
    'End the suspension of a user: they can log in, and their keys are valid.',
  ).action((email: string, options: CommonOptions) =>
    withStore(options, async store => {
      const user = await resumeUser(store, email)
      print(options, asJson(user), `${user.email} is no longer suspended`)
    }),
  )
  removeUserCommand(group)
  addCommand(group, 'list', 'List all users.').action((options: CommonOptions) =>
    withStore(options, async store => {
      const users = (await listUsers(store)).map(asJson)
      await printList(options, users, {
        EMAIL: each => each.email,
        ORGANIZATIONS: each => each.organizations.join(', ') || '-',
        LOGIN: each => (each.hasPassword ? 'yes' : 'no'),
        CREATED: each => each.createdAt,
        SUSPENDED: each => each.suspendedAt ?? '-',
      })
    }),
  )
}

function asJson(user: User) {
  const { id, email, organizations, hasPassword, createdAt, suspendedAt } = user
  const instants = { createdAt: formatInstant(createdAt), suspendedAt: instantOrNull(suspendedAt) }
  return { id, name: email, email, organizations, hasPassword, ...instants }
}

function sentence({ email, organizations }: User): string {
  return `${email} reads ${organizations.length === 0 ? 'nothing' : organizations.join(', ')}`
}

function ofEnded(
  { revokedKeys }: EndedAccess,
  removed: readonly (readonly [count: number, Holding])[],
): string {
  const keys = revokedKeys > 0 ? `, ${counted(revokedKeys, 'key is', 'keys are')} revoked` : ''
  const held = removed.map(([count, { one, several }]) =>
    count > 0 ? `, ${counted(count, `${one} is`, `${several} are`)} removed` : '',
  )
  return keys + held.join('')
}

/** Reads standard input to its end, without the line break that `echo` adds. */
async function readPassword(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}
