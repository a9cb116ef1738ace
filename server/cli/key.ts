import type { Command } from 'commander'
import { formatInstant, parseInstant } from '../input/instants.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { type ApiKey, createKey, listKeys, revokeKey } from '../store/keys.js'
import { addCommand, addGroup, type CommonOptions, organizationOption, withStore } from './command.js'
import { instantOrNull, print, printList } from './print.js'

interface KeyOptions extends CommonOptions {
  user: string
  organization: string[]
  name?: string
  expires?: string
}

/** `foldgate key …` */
export function keyCommands(program: Command): void {
  const group = addGroup(program, 'key', 'Manage API keys: every call needs one.')
  addCommand(group, 'create', 'Create an API key and print it once: only its hash is stored.')
    .requiredOption('--user <email>', 'Owner of the key.')
    .addOption(organizationOption('Organization that the key reads as long as its owner does.'))
    .option('--name <name>', 'Name of the key, shown in lists.')
    .option('--expires <time>', 'When the key expires, as RFC 3339, for example 2027-01-31T09:00:00Z.')
    .action((options: KeyOptions) =>
      withStore(options, async store => {
        const { user, organization: organizations, name, expires } = options
        const { key, ...created } = await createKey(store, {
          user,
          organizations,
          ...(name === undefined ? {} : { name }),
          ...(expires === undefined ? {} : { expiresAt: checkExpiry(expires) }),
        })
        print(options, { ...asJson(created), key }, key)
      }),
    )
  addCommand(group, 'list', 'List all keys, what each reads, and its last use.').action(
    (options: CommonOptions) =>
      withStore(options, async store => {
        const keys = (await listKeys(store)).map(asJson)
        printList(options, keys, {
          ID: each => each.id,
          NAME: each => each.name,
          USER: each => each.user,
          READS: each => each.reads.join(', ') || '-',
          CREATED: each => each.createdAt,
          EXPIRES: each => each.expiresAt ?? '-',
          REVOKED: each => each.revokedAt ?? '-',
          'LAST USED': each => each.lastUsedAt ?? '-',
        })
      }),
  )
  addCommand(group, 'revoke <id>', 'Revoke a key at once and for good.').action(
    (id: string, options: CommonOptions) =>
      withStore(options, async store => {
        const key = asJson(await revokeKey(store, id))
        print(options, key, `The key ${key.id} was revoked at ${key.revokedAt}`)
      }),
  )
}

function checkExpiry(text: string): number {
  const instant = parseInstant(text)
  if (instant !== null) return instant
  throw new Refusal(
    `--expires cannot be ${quoted(text)}: write it as RFC 3339, for instance 2027-01-31T09:00:00Z`,
  )
}

function asJson(key: ApiKey) {
  return {
    ...key,
    createdAt: formatInstant(key.createdAt),
    expiresAt: instantOrNull(key.expiresAt),
    revokedAt: instantOrNull(key.revokedAt),
    lastUsedAt: instantOrNull(key.lastUsedAt),
  }
}
