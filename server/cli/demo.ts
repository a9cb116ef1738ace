import { type Command, Option } from 'commander'
import { PORT_SETTING, readSetting } from '../config.js'
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
  // The environment is not asked for folder or store: what it names may hold real data.
  const data = new Option('--data <folder>', 'Folder of the demonstration; made when missing.').default(
    './foldgate-demo',
  )
  addCommand(program, 'demo', 'Prepare assessed projects, serve them, and call every method once.', [data])
    .option('--from <folder>', 'Package to import; without it a made-up group of companies.')
    .addOption(settingOption(PORT_SETTING))
    .option('--once', 'Stop after the calls.')
    .action(async ({ from, data: dataFolder, port, once, json }: DemoOptions) => {
      // Loaded here, so that the other commands do not wait for the web framework.
      const { runDemo } = await import('../demo/run.js')
      await runDemo({
        ...(from === undefined ? {} : { from }),
        dataFolder,
        // The setting has a default, so there is always a value.
        port: readSetting(PORT_SETTING, port) ?? 0,
        once: once ?? false,
        json: json ?? false,
      })
    })
}
