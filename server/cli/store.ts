import type { Command } from 'commander'
import { copyStore } from '../store/copy.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { print } from './output.js'

/** `foldgate store …` */
export function storeCommands(program: Command): void {
  const group = addGroup(program, 'store', 'The control store itself.')
  addCommand(
    group,
    'copy <file>',
    'Copy the embedded control store into a new file, also beside a running server.',
  ).action((file: string, options: CommonOptions) =>
    withStore(options, async store => {
      await copyStore(store, file)
      print(options, { file }, file)
    }),
  )
}
