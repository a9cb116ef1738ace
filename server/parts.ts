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
export { counted, print, reportWarnings, table } from './cli/print.js'
export type { StoreChanges } from './database/changes.js'
export { codeOf, type Dialect, importIsRunning } from './database/dialect.js'
export type { PostgresTables, StoreDriver, WithTables } from './database/driver.js'
export type { Migration } from './database/migrations.js'
export type { Report } from './database/report.js'
export type { AssessmentState } from './database/schema.js'
export type { Store, StoreAddition, StoreEvent } from './database/store.js'
export { formatInstant, parseInstant } from './input/instants.js'
export { checkName, isUuid, quoted } from './input/names.js'
export { ifRefused, Refusal } from './input/refusal.js'
export { assetRoutes } from './pages/asset-routes.js'
export { dayOf } from './pages/dates.js'
export { MAX_FORM_BYTES, PageError } from './pages/form.js'
export type { PageLink } from './pages/layout.js'
export { type PageAddition, type PageOptions, type PageRoutes, show } from './pages/routing.js'
export { CATALOGUE_SETTING } from './settings/flags.js'
export { parseSetting, whole } from './settings/parsers.js'
export { type Words, wordsOf } from './settings/words.js'
export type { DataFolder } from './snapshots/data-folder.js'
export { type DiskUsage, LongestWaiting, slowly, watchUsage } from './snapshots/disk-usage.js'
export {
  type CheckSummary,
  filesOf,
  type Packages,
  PROJECT_COLUMN,
  REGISTERS,
  unfitForPackages,
} from './snapshots/folder-tables.js'
export { ofTable, type PackageProblem, packageRefusal, problemLines } from './snapshots/problems.js'
export { withScratch } from './snapshots/scratch.js'
export type { OpenSharedBucket, Place, Shared } from './snapshots/shared.js'
export { inspectSnapshots, type StartSealer, withSealer } from './snapshots/with-sealer.js'
export {
  type Assessment,
  endAssessment,
  findRunningAssessment,
  listAssessments,
  startAssessment,
} from './store/assessments.js'
export { digestOf } from './store/digest.js'
export { countKeys, createKey, MOST_KEYS } from './store/keys.js'
export { newestSnapshot, recordSealed, setNewestSnapshot } from './store/newest-snapshots.js'
export { addOrganization, checkOrganizationKey, listOrganizations } from './store/organizations.js'
export {
  addProject,
  checkProjectId,
  findProject,
  type Project,
  projectsInOrder,
  refuseHalfRemoved,
  requireProject,
} from './store/projects.js'
export {
  findSavedQuery,
  type ListedQuery,
  listSavedQueries,
  removeSavedQuery,
  saveQuery,
} from './store/saved-queries.js'
export { MAX_SAVED_PARAMETERS_BYTES, MAX_SAVED_SQL_BYTES } from './store/saved-statement.js'
