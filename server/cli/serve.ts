import { type Command, Option } from 'commander'
import { Refusal } from '../input/refusal.js'
import { readConfig, readSetting } from '../settings/config.js'
import { ALL_SETTINGS, CATALOGUE_SETTING, PLACE_SETTINGS, PORT_SETTING } from '../settings/flags.js'
import { ALL_LIMITS } from '../settings/limits.js'
import type { Setting } from '../settings/setting.js'
import { addCommand, type CommonOptions, givenFlags, settingOption } from './command.js'
import { untilStopped } from './interrupt.js'
import { print } from './print.js'

/** `foldgate serve`, with settings of packages. */
export function serveCommand(program: Command, added: readonly Setting[]): void {
  const command = addCommand(
    program,
    'serve',
    'Answer calls until SIGTERM or Ctrl-C; print the address once ready.',
  )
  for (const setting of [...ALL_SETTINGS, ...added])
    if (!(setting.flag in PLACE_SETTINGS)) command.addOption(settingOption(setting))
  command
    .addHelpText('after', '\nA flag overrides its environment variable (env), which overrides the default.')
    .addHelpText('after', limitsHelp)
    .action(async (options: CommonOptions) => {
      const stopped = untilStopped()
      const config = readConfig(givenFlags(command))
      for (const setting of added) config.read(setting) // refused now, not once the server runs
      // Imported here so that other commands do not load the web framework.
      const { startServer } = await import('../serving/start.js')
      const server = await startServer(config)
      const { url, metricsUrl } = server
      const metrics = metricsUrl === null ? '' : `\nIts metrics are at ${metricsUrl}`
      print(
        options,
        { url, ...(metricsUrl === null ? {} : { metricsUrl }) },
        `Foldgate answers at ${url}${metrics}`,
      )
      await stopped
      const cut = await server.close()
      if (cut > 0) throw new Refusal(`${cut} calls took longer than the limit drain and were cut off`)
    })
}

function limitsHelp(): string {
  const lines = ALL_LIMITS.map(({ name, parser, about, default: byDefault }) => {
    const inFile = byDefault === null ? '' : ` (default: ${byDefault})`
    return `  ${name} <${parser.placeholder}>: ${about}${inFile}`
  })
  return `\nLimits, in the file of --limits:\n${lines.join('\n')}`
}

interface DemoFlags {
  from?: string
  catalogue?: string
  data: string
  port?: string
  once?: boolean
  json?: boolean
}

/** `foldgate demo` */
export function demoCommand(program: Command): void {
  // Ignores the environment variables for the folder and the store: they may name real data.
  const data = new Option('--data <folder>', 'Data folder of the demo; created if missing.').default(
    './foldgate-demo',
  )
  addCommand(program, 'demo', 'Seal example projects, serve them, and call every method.', [data])
    .option(
      '--from <folder>',
      'Package to import, or the tables of one project. Default: a generated package of fictional companies.',
    )
    .addOption(settingOption(CATALOGUE_SETTING))
    .addOption(settingOption(PORT_SETTING))
    .option('--once', 'Exit after the calls.')
    .action(async ({ from, catalogue, data: dataFolder, port, once, json }: DemoFlags) => {
      // Imported here so that other commands do not load the web framework.
      const { runDemo } = await import('../demo/run.js')
      await runDemo({
        ...(from === undefined ? {} : { from }),
        catalogue: readSetting(CATALOGUE_SETTING, catalogue),
        dataFolder,
        // Never null, since the setting has a default.
        port: readSetting(PORT_SETTING, port) ?? 0,
        once: once ?? false,
        json: json ?? false,
      })
    })
}
