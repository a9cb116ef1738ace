import type { Command } from 'commander'
import { Refusal } from '../input/refusal.js'
import { ALL_SETTINGS, PLACE_SETTINGS, readConfig } from '../settings/config.js'
import { addCommand, type CommonOptions, settingOption } from './command.js'
import { untilStopped } from './interrupt.js'
import { print } from './output.js'

/** `foldgate serve` */
export function serveCommand(program: Command): void {
  const command = addCommand(program, 'serve', 'Answer calls until SIGTERM or Ctrl-C; print the address once ready.')
  for (const setting of ALL_SETTINGS) if (!(setting.flag in PLACE_SETTINGS)) command.addOption(settingOption(setting))
  command
    .addHelpText('after', '\nA flag overrides its environment variable (env), which overrides the default.')
    .action(async (options: CommonOptions) => {
      const stopped = untilStopped()
      const config = readConfig(givenFlags(command))
      // Imported here so that other commands do not load the web framework.
      const { startServer } = await import('../serving/serve.js')
      const server = await startServer(config)
      const { url, metricsUrl } = server
      const metrics = metricsUrl === null ? '' : `\nIts metrics are at ${metricsUrl}`
      print(options, { url, ...(metricsUrl === null ? {} : { metricsUrl }) }, `Foldgate answers at ${url}${metrics}`)
      await stopped
      const cut = await server.close()
      if (cut > 0) throw new Refusal(`${cut} calls went on for longer than --drain and were cut`)
    })
}

function givenFlags(command: Command): Record<string, string | undefined> {
  const values = command.opts<Record<string, string | undefined>>()
  return Object.fromEntries(command.options.map(option => [option.name(), values[option.attributeName()]]))
}
