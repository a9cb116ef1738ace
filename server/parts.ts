/**
 * What packages for one audience share with the server, which finds them by their names. It is not part of any public
 * face: any version may change it.
 *
 * @module foldgate-server/parts
 * @internal
 */

export {
  addCommand,
  type CommandAddition,
  type CommonOptions,
  settingOption,
  withSnapshots,
} from './cli/command.js'
export { interruptible } from './cli/interrupt.js'
export { counted, print, table } from './cli/print.js'
export type { StoreChanges } from './database/changes.js'
export { codeOf, type Dialect, importIsRunning } from './database/dialect.js'
export type { PostgresTables, StoreDriver, WithTables } from './database/driver.js'
export type { Migration } from './database/migrations.js'
export type { Report } from './database/report.js'
export type { Store, StoreAddition, StoreEvent } from './database/store.js'
export { quoted } from './input/names.js'
export { Refusal } from './input/refusal.js'
export type { PageAddition } from './pages/routing.js'
export { CATALOGUE_SETTING } from './settings/flags.js'
export { parseSetting, whole } from './settings/parsers.js'
export { wordsOf } from './settings/words.js'
export type { DataFolder } from './snapshots/data-folder.js'
export { type DiskUsage, LongestWaiting, slowly, watchUsage } from './snapshots/disk-usage.js'
export { withScratch } from './snapshots/scratch.js'
export type { OpenSharedBucket, Place, Shared } from './snapshots/shared.js'
export { projectsInOrder, requireProject } from './store/projects.js'
