import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Catalogue } from 'foldgate'
import { isNoSpace, NoSpace, noSpaceIn } from 'foldgate/internal'
import { type Store, withControl } from '../database/store.js'
import { Refusal } from '../input/refusal.js'
import { readSetting } from '../settings/config.js'
import { CATALOGUE_SETTING, LIMITS_SETTING, PLACE_SETTINGS, SANDBOX_SETTING } from '../settings/flags.js'
import { readLimits } from '../settings/limits.js'
import { loadCatalogue } from '../settings/load-catalogue.js'
import { parseBucket } from '../settings/parsers.js'
import type { Setting } from '../settings/setting.js'
import { type DataFolder, openDataFolder } from '../snapshots/data-folder.js'
import { requireSharedFolder } from '../snapshots/marker.js'

/** Options of every command. */
export interface CommonOptions {
  data?: string
  store?: string
  shared?: string
  catalogue?: string
  json?: boolean
}

/** What a package adds to the command line. */
export interface CommandAddition {
  /** Adds its commands to the program, or to groups of it. */
  addCommands(program: Command): void
}

/**
 * Adds a command with the options that all commands have; `places` are those that say where data is stored.
 */
export function addCommand(
  group: Command,
  usage: string,
  about: string,
  places: readonly Option[] = Object.values(PLACE_SETTINGS).map(settingOption),
): Command {
  const command = group.command(usage).description(about)
  for (const place of places) command.addOption(place)
  return command.option('--json', 'Print JSON instead of text.')
}

/** Adds a group of commands. */
export function addGroup(program: Command, name: string, about: string): Command {
  return program.command(name).description(about)
}

/**
 * Creates the flag of a setting. Its help names the environment variable and the
 * default; `config.ts` applies them.
 */
export function settingOption({ flag, variable, parser, default: byDefault, about }: Setting): Option {
  const notes = [byDefault === null ? '' : `default: ${byDefault}`, `env: ${variable}`].filter(
    note => note !== '',
  )
  return new Option(`--${flag} <${parser.placeholder}>`, `${about} (${notes.join(', ')})`)
}

/** The options of a command as the user gave them, by their flags. */
export function givenFlags(command: Command): Record<string, string | undefined> {
  const values = command.opts<Record<string, string | undefined>>()
  return Object.fromEntries(command.options.map(option => [option.name(), values[option.attributeName()]]))
}

/** Creates `--organization`, which is required and may be repeated. */
export function organizationOption(about: string): Option {
  return new Option('--organization <key>', `${about} May be repeated.`)
    .makeOptionMandatory()
    .argParser((key: string, keys: string[] | undefined) => [...(keys ?? []), key])
}

/** Loads the catalogue that the options or the environment name. */
export function chosenCatalogue({ catalogue }: CommonOptions): Promise<Catalogue> {
  return loadCatalogue(readSetting(CATALOGUE_SETTING, catalogue))
}

/** Opens the store and the folders that the options name, runs `work` on them, and closes the store. */
export async function withStore(
  options: CommonOptions,
  work: (store: Store, folder: DataFolder) => Promise<void>,
  catalogue?: Catalogue,
): Promise<void> {
  const { data, store: storeSetting, shared } = PLACE_SETTINGS
  // Never null, since the data folder has a default.
  const sharedName = readSetting(shared, options.shared)
  // Limits are of the server: a mistake in them must not keep an operator from revoking a key.
  const limitsFile =
    sharedName !== null && parseBucket(sharedName) ? readSetting(LIMITS_SETTING, undefined) : null
  const folder = await openDataFolder(readSetting(data, options.data) ?? '', {
    store: readSetting(storeSetting, options.store),
    shared: sharedName,
    copiesBytes: readLimits(limitsFile).copiesBytes,
    sandbox: readSetting(SANDBOX_SETTING, undefined) ?? 'auto',
    ...(catalogue ? { catalogue } : {}),
  })
  try {
    await withControl(folder, store => work(store, folder))
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause
    const { message } = await noSpaceIn([resolve(folder.name), folder.snapshots], cause)
    throw new Refusal(`${cause instanceof NoSpace ? cause.message : message}. Free some, and try again`, {
      cause,
    })
  } finally {
    folder.shared.close()
  }
}

/**
 * As {@link withStore}, for work on snapshots, with the catalogue that the options or the environment name.
 * Throws a Refusal when the shared folder belongs to another store.
 */
export async function withSnapshots(
  options: CommonOptions,
  work: (store: Store, folder: DataFolder) => Promise<void>,
): Promise<void> {
  const catalogue = await chosenCatalogue(options)
  const onceRequired = async (store: Store, folder: DataFolder) => {
    await requireSharedFolder(store, folder)
    await work(store, folder)
  }
  return withStore(options, onceRequired, catalogue)
}
