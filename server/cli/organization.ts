import type { Command } from 'commander'
import { formatInstant } from '../store/instants.js'
import { addOrganization, listOrganizations, type Organization } from '../store/organizations.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { print, printList } from './output.js'

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
  addCommand(group, 'list', 'List all organizations.').action((options: CommonOptions) =>
    withStore(options, async store => {
      const organizations = (await listOrganizations(store)).map(asJson)
      printList(options, organizations, {
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
