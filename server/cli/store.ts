import type { Command } from 'commander'
import { copyStore } from '../store/copy.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { print } from './output.js'

/** `foldgate store …` */
export function storeCommands(program: Command): void {
  const group = addGroup(program, 'store', 'Maintain the control store.')
  addCommand(group, 'copy <file>', 'Copy the embedded control store to a new file; a server may run meanwhile.').action(
    (file: string, options: CommonOptions) =>
      withStore(options, async store => {
        await copyStore(store, file)
        print(options, { file }, file)
      }),
  )
}
