/**
 * What packages for one audience share with the server, which finds them by their names. It is not part of any public
 * face: any version may change it.
 *
 * @module foldgate-server/parts
 * @internal
 */

export {
  addCommand,
  addGroup,
  type CommandAddition,
  type CommonOptions,
  chosenCatalogue,
  organizationOption,
  settingOption,
  withSnapshots,
  withStore,
} from './cli/command.js'
export { confirmRemoval, listCounts, withYes } from './cli/confirm.js'
export { interruptible } from './cli/interrupt.js'
export { counted, instantOrNull, print, printList, reportWarnings, table } from './cli/print.js'
export type { StoreChanges } from './database/changes.js'
export { codeOf, type Dialect, EMBEDDED, importIsRunning } from './database/dialect.js'
export type { PostgresTables, StoreDriver, WithTables } from './database/driver.js'
export type { StoreEvent } from './database/events.js'
export type { AssessmentState, StoreSchema } from './database/schema.js'
export type { Going, Store, StoreAddition } from './database/store.js'
export { formatInstant, parseInstant } from './input/instants.js'
export { checkName, isUuid, quoted } from './input/names.js'
export { ifRefused, Refusal } from './input/refusal.js'
export type { Log, Report } from './operation/log.js'
export { assetRoutes } from './pages/asset-routes.js'
export { COPY_ASSET } from './pages/assets.js'
export { day, dayOf, minute } from './pages/dates.js'
export {
  checked,
  described,
  NOT_READ,
  organizationChoices,
  problem,
  problemOfOrganizations,
  wrong,
} from './pages/fields.js'
export { MAX_FORM_BYTES, PageError } from './pages/form.js'
export { copyButton } from './pages/key-pages.js'
export { organization } from './pages/keys.js'
export { notice, type PageLink, type ServerPage, tokenField } from './pages/layout.js'
export { flag } from './pages/login.js'
export { unseenKeys } from './pages/once.js'
export {
  type PageAddition,
  type PageOptions,
  type PageRoutes,
  redirect,
  show,
  type UserVisit,
} from './pages/routing.js'
export type { Visit } from './pages/session.js'
export type { Gauged, Measures } from './serving/metrics.js'
export type { Running, ServingAddition } from './serving/start.js'
export { readSetting } from './settings/config.js'
export { CATALOGUE_SETTING } from './settings/flags.js'
export { type Parser, parseSetting, whole } from './settings/parsers.js'
export { type Setting, type SettingAddition, setting } from './settings/setting.js'
export { type ServerWords, wordsOf } from './settings/words.js'
export type { DataFolder } from './snapshots/data-folder.js'
export { type DiskUsage, LongestWaiting, slowly, watchUsage } from './snapshots/disk-usage.js'
export {
  type CheckSummary,
  filesOf,
  ofProjects,
  type Packages,
  PROJECT_COLUMN,
  REGISTERS,
  unfitForPackages,
} from './snapshots/folder-tables.js'
export { ofTable, type PackageProblem, packageRefusal, problemLines } from './snapshots/problems.js'
export { sealProjects, withoutRows } from './snapshots/seal-projects.js'
export type { BucketPlace, OpenSharedBucket, Shared } from './snapshots/shared.js'
export { inspectFiles, type StartSealer, withSealer } from './snapshots/with-sealer.js'
export {
  type Assessment,
  endAssessment,
  findRunningAssessment,
  listAssessments,
  startAssessment,
} from './store/assessments.js'
export { inBatches } from './store/chores.js'
export { digestOf } from './store/digest.js'
export { countKeys, createKey, MOST_KEYS } from './store/keys.js'
export { newestSnapshot, recordSealed, setNewestSnapshot } from './store/newest-snapshots.js'
export {
  addOrganization,
  checkOrganizationKey,
  listOrganizations,
  type Organization,
} from './store/organizations.js'
export {
  addProject,
  checkProjectId,
  findProject,
  type Project,
  projectsInOrder,
  refuseHalfRemoved,
  requireProject,
} from './store/projects.js'
export { newToken } from './store/sessions.js'
export { GRANT, requireReader, type User } from './store/users.js'
