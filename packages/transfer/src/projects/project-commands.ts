import type { Command } from 'commander'
import { addCommand, type CommonOptions, interruptible, print, withSnapshots } from 'foldgate-server/parts'
import { exportProject } from './export-project.js'
import { importProject } from './import-project.js'

/** `foldgate project export` and `foldgate project import` */
export function projectCommands(group: Command): void {
  addCommand(
    group,
    'export <project> <folder>',
    'Write a project with its snapshots to a new folder.',
  ).action((projectId: string, folder: string, options: CommonOptions) =>
    withSnapshots(options, async (store, data) => {
      const exported = await interruptible(
        signal => exportProject(store, data.shared.snapshots, { projectId, folder, signal }),
        'nothing was exported',
      )
      const { id, name } = exported.project
      const snapshots = exported.snapshots.map(({ snapshotId }) => snapshotId)
      print(options, { id, name, folder, snapshots }, folder)
    }),
  )
  addCommand(
    group,
    'import <folder>',
    'Add the project that "project export" wrote, with its ids; print its id.',
  ).action((folder: string, options: CommonOptions) =>
    withSnapshots(options, async (store, data) => {
      const { projectId: id, ...project } = await interruptible(signal =>
        importProject(store, data, { folder, signal }),
      )
      print(options, { id, name: project.name, organization: project.organization }, id)
    }),
  )
}
