import type { Command } from 'commander'
import { formatInstant } from '../input/instants.js'
import { quoted } from '../input/names.js'
import {
  addOrganization,
  listOrganizations,
  type Organization,
  renameOrganization,
} from '../store/organizations.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { print, printList } from './print.js'
import { removeOrganizationCommand } from './remove.js'

/** `foldgate organization …` */
export function organizationCommands(program: Command): void {
  const group = addGroup(program, 'organization', 'Manage organizations: each project belongs to one.')
  addCommand(group, 'add <key>', 'Add an organization; callers see its key.')
    .requiredOption('--name <name>', 'Display name.')
    .action((key: string, options: CommonOptions & { name: string }) =>
      withStore(options, async store => {
        const organization = await addOrganization(store, { key, name: options.name })
        print(options, asJson(organization), organization.key)
      }),
    )
  addCommand(
    group,
    'rename <key> <name>',
    'Change the display name of an organization; its key stays.',
  ).action((key: string, name: string, options: CommonOptions) =>
    withStore(options, async store => {
      const organization = await renameOrganization(store, key, name)
      print(options, asJson(organization), `The organization ${key} is named ${quoted(organization.name)}`)
    }),
  )
  removeOrganizationCommand(group)
  addCommand(group, 'list', 'List all organizations.').action((options: CommonOptions) =>
    withStore(options, async store => {
      const organizations = (await listOrganizations(store)).map(asJson)
      await printList(options, organizations, {
        KEY: each => each.id,
        NAME: each => each.name,
        CREATED: each => each.createdAt,
      })
    }),
  )
}

function asJson(organization: Organization) {
  return { id: organization.key, name: organization.name, createdAt: formatInstant(organization.createdAt) }
}
