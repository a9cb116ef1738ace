import type { Command } from 'commander'
import { checkCatalogue } from 'foldgate/sealing'
import { Refusal } from '../input/refusal.js'
import { readSetting } from '../settings/config.js'
import { CATALOGUE_SETTING, SANDBOX_SETTING, SETTINGS } from '../settings/flags.js'
import { addCommand, type CommonOptions, chosenCatalogue, settingOption } from './command.js'
import { interruptible } from './interrupt.js'
import { counted, print } from './print.js'

/** `foldgate check` */
export function checkCommand(program: Command): void {
  addCommand(program, 'check', 'Find the mistakes in a catalogue: run its SQL over tables without rows.', [
    settingOption(CATALOGUE_SETTING),
  ])
    .addHelpText('after', '\nMistakes are printed one per line, and the command then ends with status 1.')
    .action(async (options: CommonOptions) => {
      const catalogue = await chosenCatalogue(options)
      const functions = readSetting(SETTINGS.functions, undefined) ?? []
      const sandbox = readSetting(SANDBOX_SETTING, undefined) ?? 'auto'
      const notes: string[] = []
      const onNote = (note: string) => notes.push(note)
      const problems = await interruptible(
        signal => checkCatalogue(catalogue, { guard: { functions }, sandbox, signal, onNote }),
        'the check is incomplete',
      )
      for (const note of notes) process.stderr.write(`Note: ${note}\n`)
      const lines = problems.map(({ place, message }) => `${place}: ${message}`)
      const { size } = catalogue.relations
      const sound = `The catalogue is right: ${counted(size, 'relation', 'relations')} and ${counted(
        catalogue.examples.length,
        'example',
        'examples',
      )} were tried`
      print(options, { problems, notes }, lines.length === 0 ? sound : lines.join('\n'))
      if (problems.length > 0)
        throw new Refusal(
          `The catalogue has ${counted(problems.length, 'mistake', 'mistakes')}: correct it, then check it again`,
        )
    })
}
