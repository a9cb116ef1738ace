import type { Command } from 'commander'
import { copyStore, moveStore } from '../database/copy-store.js'
import type { Store } from '../database/store.js'
import { database, parseSetting } from '../settings/parsers.js'
import { type DataFolder, lockDataFolder } from '../snapshots/data-folder.js'
import { addCommand, addGroup, type CommonOptions, withStore } from './command.js'
import { print } from './print.js'

/** `foldgate store …` */
export function storeCommands(program: Command): void {
  const group = addGroup(program, 'store', 'Maintain the control store.')
  addCommand(
    group,
    'copy <file>',
    'Copy the control store to a new file, as an embedded store; servers may run meanwhile.',
  ).action((file: string, options: CommonOptions) =>
    withStore(options, async store => {
      await copyStore(store, file)
      print(options, { file }, file)
    }),
  )
  addCommand(group, 'move <postgres-url>', 'Move the embedded control store to an empty PostgreSQL database.')
    .addHelpText(
      'after',
      '\nThe server must be stopped. The old file is kept, and can no longer be used as a store.',
    )
    .action((url: string, options: CommonOptions) => {
      const work = async (store: Store, folder: DataFolder) => {
        const rows = await move(store, folder, url)
        const named = withoutPassword(url)
        const tables = Object.entries(rows).map(([table, count]) => `${table}: ${count}`)
        print(
          options,
          { store: named, rows, oldFile: folder.control },
          `The control store is in PostgreSQL now, with all its rows (${tables.join(', ')}).\n` +
            `Set FOLDGATE_STORE=${named} for the server and every command from now on${
              named === new URL(url).href ? '' : ', with the password added'
            }.\n` +
            `The old file ${folder.control} is kept, but nothing uses it: remove it once the service runs.`,
        )
      }
      return withStore(options, work)
    })
}

async function move(store: Store, folder: DataFolder, url: string): Promise<Record<string, number>> {
  parseSetting('The URL of the new store', database, url)
  const lock = lockDataFolder(folder)
  try {
    return await moveStore(store, url)
  } finally {
    lock.release()
  }
}

function withoutPassword(text: string): string {
  const url = new URL(text)
  url.password = ''
  for (const name of [...url.searchParams.keys()]) if (/password/i.test(name)) url.searchParams.delete(name)
  return url.href
}
