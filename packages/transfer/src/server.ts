/**
 * What the reference server finds in this package: commands that import packages, move projects and compare snapshots.
 *
 * @module foldgate-transfer/server
 * @internal
 */

import type { Command } from 'commander'
import type { CommandAddition, Packages } from 'foldgate-server/parts'
import { snapshotDiffCommand } from './comparison/diff-command.js'
import { importCommand } from './import/import-command.js'
import { importPackage } from './import/import-package.js'
import { checkPackage } from './import/package.js'
import { projectCommands } from './projects/project-commands.js'

export const addition = {
  addCommands(program) {
    importCommand(program)
    projectCommands(groupOf(program, 'project'))
    snapshotDiffCommand(groupOf(program, 'snapshot'))
  },
} satisfies Partial<CommandAddition>

export const packages: Packages = { checkPackage, importPackage }

/** A group of commands that the server has. */
function groupOf(program: Command, name: string): Command {
  const group = program.commands.find(each => each.name() === name)
  if (!group) throw new Error(`the server has no commands ${name}`)
  return group
}
