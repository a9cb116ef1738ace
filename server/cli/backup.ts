import type { Command } from 'commander'
import { backUp } from '../snapshots/backup.js'
import { lockDataFolder } from '../snapshots/data-folder.js'
import { requireSharedFolder } from '../snapshots/marker.js'
import { restoreBackup } from '../snapshots/restore.js'
import { addCommand, type CommonOptions, withStore } from './command.js'
import { interruptible } from './interrupt.js'
import { counted, print } from './print.js'

/** `foldgate backup` and `foldgate restore` */
export function backupCommands(program: Command): void {
  addCommand(
    program,
    'backup <folder>',
    'Copy the control store and all snapshots to a folder, of its owner alone.',
  )
    .addHelpText(
      'after',
      '\nServers may run and seal meanwhile. With the folder of an earlier backup, only new files are copied; the earlier\n' +
        'backup is whole until the command has ended.',
    )
    .action((name: string, options: CommonOptions) =>
      withStore(options, async (store, folder) => {
        await requireSharedFolder(store, folder)
        const made = await interruptible(
          signal => backUp(store, folder.shared, { folder: name, signal }),
          'the backup is incomplete; run the command again to complete it',
        )
        const { snapshots, copiedFiles, keptFiles } = made
        print(
          options,
          { folder: name, ...made },
          `The store and ${counted(snapshots, 'snapshot', 'snapshots')} are in ${name}: ` +
            `${counted(copiedFiles, 'file was', 'files were')} copied, ${keptFiles} were there`,
        )
      }),
    )
  addCommand(
    program,
    'restore <folder>',
    'Restore a backup into an empty store and an empty shared folder or bucket.',
  )
    .addHelpText('after', '\nNo server may run on them. If the command is interrupted, run it again.')
    .action((name: string, options: CommonOptions) =>
      withStore(options, async (store, folder) => {
        const lock = lockDataFolder(folder)
        try {
          const { madeAt, version, snapshots } = await interruptible(
            signal => restoreBackup(store, folder, { folder: name, signal }),
            'nothing can be read yet; run the command again to go on',
          )
          print(
            options,
            { folder: name, madeAt, version, snapshots: snapshots.length },
            `The store and ${counted(snapshots.length, 'snapshot', 'snapshots')} of ${madeAt} are restored`,
          )
        } finally {
          lock.release()
        }
      }),
    )
}
