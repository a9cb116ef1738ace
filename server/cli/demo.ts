import { type Command, Option } from 'commander'
import { PORT_SETTING, readSetting } from '../settings/config.js'
import { addCommand, settingOption } from './command.js'

interface DemoOptions {
  from?: string
  data: string
  port?: string
  once?: boolean
  json?: boolean
}

/** `foldgate demo` */
export function demoCommand(program: Command): void {
  // Ignores the environment variables for the folder and the store: they may name real data.
  const data = new Option('--data <folder>', 'Data folder of the demo; created if missing.').default('./foldgate-demo')
  addCommand(program, 'demo', 'Import assessed projects, serve them, and call every method.', [data])
    .option('--from <folder>', 'Package to import. Default: a generated package of fictional companies.')
    .addOption(settingOption(PORT_SETTING))
    .option('--once', 'Exit after the calls.')
    .action(async ({ from, data: dataFolder, port, once, json }: DemoOptions) => {
      // Imported here so that other commands do not load the web framework.
      const { runDemo } = await import('../demo/run.js')
      await runDemo({
        ...(from === undefined ? {} : { from }),
        dataFolder,
        // Never null, since the setting has a default.
        port: readSetting(PORT_SETTING, port) ?? 0,
        once: once ?? false,
        json: json ?? false,
      })
    })
}
