/**
 * What the reference server finds in this package: commands that import packages, move projects and compare snapshots.
 *
 * @module foldgate-transfer/server
 * @internal
 */

import type { CommandAddition } from 'foldgate-server/parts'

export const addition = {
  addCommands() {},
} satisfies Partial<CommandAddition>
