import type { Command } from 'commander'
import type { CallerLimits } from 'foldgate'
import { formatInstant, parseInstant } from '../input/instants.js'
import {
  describeLimits,
  namesOf,
  readLimits,
  type WrittenLimits,
  warningOfValues,
} from '../input/key-limits.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { CATALOGUE_SETTING } from '../settings/flags.js'
import { mapped } from '../store/in-pages.js'
import type { ApiKey } from '../store/key-rows.js'
import { createKey, keysInOrder, revokeKey } from '../store/keys.js'
import {
  addCommand,
  addGroup,
  type CommonOptions,
  chosenCatalogue,
  organizationOption,
  settingOption,
  withStore,
} from './command.js'
import { instantOrNull, print, printList } from './print.js'

interface KeyOptions extends CommonOptions {
  user: string
  organization: string[]
  name?: string
  expires?: string
  onlyProject?: string[]
  onlyMethod?: string[]
  onlyQuery?: string[]
  onlyRelation?: string[]
  parameter?: string[]
  onlyRows?: string[]
}

/** The flag of each limit, and its option. */
const LIMITS = {
  projects: { flag: '--only-project <id>', option: 'onlyProject', about: 'Project that the key reads.' },
  methods: {
    flag: '--only-method <name>',
    option: 'onlyMethod',
    about: 'Method that the key calls, such as query.',
  },
  queries: {
    flag: '--only-query <name>',
    option: 'onlyQuery',
    about: 'Named query that the key runs, as name or name@version. Without --only-method, it sends no SQL.',
  },
  relations: {
    flag: '--only-relation <name>',
    option: 'onlyRelation',
    about: 'Relation that statements of the key read.',
  },
  parameters: {
    flag: '--parameter <name=value>',
    option: 'parameter',
    about: 'Value of a parameter of named queries, which the key cannot send; as JSON or as it is.',
  },
  rows: {
    flag: '--only-rows <name=value,...>',
    option: 'onlyRows',
    about: 'Row limit of the catalogue, and its values: relations have only rows of these.',
  },
} as const satisfies Record<keyof WrittenLimits, { flag: string; option: keyof KeyOptions; about: string }>

/** `foldgate key …` */
export function keyCommands(program: Command): void {
  const group = addGroup(program, 'key', 'Manage API keys: every call needs one.')
  const create = addCommand(group, 'create', 'Create an API key and print it once: only its hash is stored.')
    .requiredOption('--user <email>', 'Owner of the key.')
    .addOption(organizationOption('Organization that the key reads as long as its owner does.'))
    .option('--name <name>', 'Name of the key, shown in lists.')
    .option('--expires <time>', 'When the key expires, as RFC 3339, for example 2027-01-31T09:00:00Z.')
    .addOption(settingOption(CATALOGUE_SETTING))
  for (const { flag, about } of Object.values(LIMITS))
    create.option(flag, `${about} May be repeated.`, (each: string, others: string[] = []) => [
      ...others,
      each,
    ])
  create
    .addHelpText('after', '\nWithout a limit of a kind, the key can do whatever its organizations allow.')
    .action((options: KeyOptions) =>
      withStore(options, async store => {
        const { user, organization: organizations, name, expires } = options
        const limits = await limitsOf(options)
        const { key, ...created } = await createKey(store, {
          user,
          organizations,
          limits,
          ...(name === undefined ? {} : { name }),
          ...(expires === undefined ? {} : { expiresAt: checkExpiry(expires) }),
        })
        const warning = warningOfValues(created.limits)
        if (warning) process.stderr.write(`Warning: ${warning}\n`)
        print(options, { ...asJson(created), key }, key)
      }),
    )
  addCommand(group, 'list', 'List all keys, what each reads, and its last use.').action(
    (options: CommonOptions) =>
      withStore(options, async store => {
        await printList(options, mapped(keysInOrder(store), asJson), {
          ID: each => each.id,
          NAME: each => each.name,
          USER: each => each.user,
          READS: each => each.reads.join(', ') || '-',
          CREATED: each => each.createdAt,
          EXPIRES: each => each.expiresAt ?? '-',
          REVOKED: each => each.revokedAt ?? '-',
          'LAST USED': each => each.lastUsedAt ?? '-',
          LIMITS: each =>
            describeLimits(each.limits ?? {})
              .map(inShort)
              .join('; ') || '-',
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

/** Reads the flags of limits; names of relations, queries and row limits are those of the catalogue. */
async function limitsOf(options: KeyOptions): Promise<CallerLimits | null> {
  const refuse = (limit: keyof WrittenLimits, message: string): never => {
    throw new Refusal(`${LIMITS[limit].flag.split(' ')[0]}: ${message}`)
  }
  // An unset variable of a script leaves an empty flag: without this limit, its key could do everything.
  const written = (limit: keyof WrittenLimits) => {
    const values = options[LIMITS[limit].option] ?? []
    const isEmpty = values.some(value => value.trim() === '')
    return isEmpty
      ? refuse(limit, 'It needs a value, so no key was created. To limit nothing, leave the flag out')
      : values
  }
  const lists: WrittenLimits = {
    projects: written('projects'),
    methods: written('methods'),
    queries: written('queries'),
    relations: written('relations'),
    parameters: written('parameters'),
    rows: written('rows'),
  }
  const named = [...lists.relations, ...lists.queries, ...lists.rows]
  const known = named.length > 0 ? namesOf(await chosenCatalogue(options)) : undefined
  return readLimits(lists, refuse, known)
}

function inShort([limit, items]: [limit: string, items: string[]]): string {
  return `${limit} ${items.join(', ')}`
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
