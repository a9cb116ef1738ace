import { type Command, Option } from 'commander'
import { PLACE_SETTINGS, readSetting, type Setting } from '../config.js'
import { type DataFolder, openDataFolder } from '../store/data-folder.js'
import { type Store, withStoreAt } from '../store/store.js'

/** What every command takes. */
export interface CommonOptions {
  data?: string
  store?: string
  shared?: string
  json?: boolean
}

/** A command of a group with the options that all have; `places` are those that say where everything lies. */
export function addCommand(
  group: Command,
  usage: string,
  about: string,
  places: readonly Option[] = Object.values(PLACE_SETTINGS).map(settingOption),
): Command {
  const command = group.command(usage).description(about)
  for (const place of places) command.addOption(place)
  return command.option('--json', 'Print JSON for programs.')
}

/** A group of commands. */
export function addGroup(program: Command, name: string, about: string): Command {
  return program.command(name).description(about)
}

/** The flag of a setting; it is read by the configuration, so the environment and the default stand in its help only. */
export function settingOption({ flag, variable, form, default: byDefault, about }: Setting): Option {
  const notes = [byDefault === null ? '' : `default: ${byDefault}`, `env: ${variable}`].filter(note => note !== '')
  return new Option(`--${flag} <${form.placeholder}>`, `${about} (${notes.join(', ')})`)
}

/** `--organization`, which may come several times; at least once. */
export function organizationOption(about: string): Option {
  return new Option('--organization <key>', `${about} May come several times.`)
    .makeOptionMandatory()
    .argParser((key: string, keys: string[] | undefined) => [...(keys ?? []), key])
}

/** Runs `work` on the store and the folders that the options name. */
export async function withStore(
  options: CommonOptions,
  work: (store: Store, folder: DataFolder) => Promise<void>,
): Promise<void> {
  const { data, store: storeSetting, shared } = PLACE_SETTINGS
  // The data folder has a default, so there is always one.
  const folder = await openDataFolder(readSetting(data, options.data) ?? '', {
    store: readSetting(storeSetting, options.store),
    shared: readSetting(shared, options.shared),
  })
  await withStoreAt(folder.control, store => work(store, folder))
}
