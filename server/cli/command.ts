import { type Command, Option } from 'commander'
import { DATA_SETTING, readSetting, type Setting } from '../config.js'
import { type DataFolder, openDataFolder } from '../store/data-folder.js'
import { openStore, type Store } from '../store/store.js'

/** What every command takes. */
export interface CommonOptions {
  data?: string
  json?: boolean
}

/** A command of a group with the options that all have. */
export function addCommand(
  group: Command,
  usage: string,
  about: string,
  data: Option = settingOption(DATA_SETTING),
): Command {
  return group.command(usage).description(about).addOption(data).option('--json', 'Print JSON for programs.')
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

/** Runs `work` on the store of the data folder that the options name. */
export async function withStore(
  options: CommonOptions,
  work: (store: Store, folder: DataFolder) => Promise<void>,
): Promise<void> {
  const folder = await openDataFolder(dataOf(options))
  const store = await openStore(folder.control)
  try {
    await work(store, folder)
  } finally {
    await store.close()
  }
}

function dataOf({ data }: CommonOptions): string {
  // The setting has a default, so there is always a value.
  return readSetting(DATA_SETTING, data) ?? ''
}
