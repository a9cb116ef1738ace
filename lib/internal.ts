/**
 * What the packages of this repository share with the library. It is not part of its public face: any version
 * may change it.
 *
 * @module foldgate/internal
 * @internal
 */

export { cutWhenUnread } from './adapters/node-exchange.js'
export { checkCaller, MOST_ROW_LIMIT_VALUES, mayCall, mayRun } from './call/caller.js'
export { type LimitOptions, MAX_SQL_BYTES, resolveLimits } from './call/limits.js'
export { PATHS } from './call/paths-and-headers.js'
export {
  type CountedHolder,
  type LimitedHolder,
  leftOf,
  limitedHolders,
  payingHolders,
  type QuotaLimits,
  tightestState,
} from './call/quota-levels.js'
export { UnsentBytes } from './call/unsent.js'
export type { FoundProblem, ProblemKind } from './catalogue/catalogue-problem.js'
export { isType, typeName } from './catalogue/column-types.js'
export type { RelationDefinition } from './catalogue/definitions.js'
export { typedValues } from './catalogue/query-values.js'
export { rowLimitsOf } from './catalogue/row-limits.js'
export { isPublishable } from './description/protected-resource.js'
export { findProblems } from './duckdb/check/check-catalogue.js'
export { knowSound } from './duckdb/check/sound-catalogue.js'
export type { DuckdbEngine } from './duckdb/engine.js'
export { availableMemory, type EngineSize, fittingSize, neededMemory, workersOf } from './duckdb/fit.js'
export type { GivenColumn, GivenRows, GivenType } from './duckdb/given-rows.js'
export { type Home, moveFile, openHome } from './duckdb/home.js'
export { closure, type PlannedRelation, Planner } from './duckdb/plan.js'
export { type GuardSettings, resolveEngine } from './duckdb/settings.js'
export { noConnection, rowTooLarge } from './engine/failure.js'
export type { BoundResult, ExportedFile, PageRange } from './engine/port.js'
export { RowsLeftOut } from './engine/rows-before.js'
export { type ExportOptions, objectExports, type StoredExports } from './exports/objects.js'
export { linesOf, scanCsv } from './files/csv.js'
export { MalformedCsv } from './files/csv-scanner.js'
export { ifMissing } from './files/missing.js'
export { isNoSpace, NoSpace, namingSpace, noSpaceIn } from './files/no-space.js'
export { ABANDONED_MS, makeOwnFolder, removeLeft } from './files/own-folder.js'
export {
  chunksOf,
  digestOfFile,
  openRegular,
  type RegularFile,
  readInChunks,
  readRegular,
  UnusableFile,
} from './files/regular.js'
export { spawnCapped } from './flow/capped.js'
export { Breach, Channel, cloneIn, type Frame } from './flow/channel.js'
export { processSettings, serveJobs } from './flow/child.js'
export { describeExit, whyEnded } from './flow/death.js'
export { inParallel } from './flow/in-parallel.js'
export type { FromJson, Outcome } from './flow/messages.js'
export { checked, JobFailed, JobProcess, ProcessDied } from './flow/parent.js'
export { Places } from './flow/places.js'
export { RecentMap } from './flow/recent.js'
export { SingleFlight } from './flow/single-flight.js'
export { TimeIsOver, waitForWork } from './flow/waiting.js'
export type { Phase } from './flow/work.js'
export { Turn, workOfNobody } from './flow/work.js'
export { EXTRA_FUNCTIONS } from './guard/extras.js'
export { locate } from './guard/refusal.js'
export type { Endpoint } from './http/endpoint.js'
export { Html, html, pageHeaders } from './http/html.js'
export type { Infer } from './json-schema.js'
export { projectState } from './methods/list.js'
export type { ExportFormat } from './model.js'
export { METHOD_NAMES } from './model.js'
export { folderObjects } from './objects/folder.js'
export {
  digestIn,
  listAll,
  type ObjectStore,
  type StorableFile,
  type StoredObject,
  textOf,
} from './objects/store.js'
export type { QuotaLevel } from './ports.js'
export { removeTree } from './sandbox/remove-tree.js'
export { openSandbox, SandboxMissing, type SandboxMode, stateOf } from './sandbox/sandbox.js'
export { type SandboxState, WALLS, type Wall } from './sandbox/walls.js'
export { World } from './sandbox/world.js'
export {
  choice,
  count,
  either,
  flag,
  listOf,
  nullable,
  object,
  optional,
  pairOf,
  recordOf,
  recursive,
  type Schema,
  text,
} from './schema.js'
export { refusedColumn } from './snapshots/codecs.js'
export { Copies } from './snapshots/copies.js'
export { isSnapshotId } from './snapshots/ids.js'
export {
  DamagedSnapshot,
  FILE_NAME,
  isSameSnapshot,
  manifestIn,
  manifestText,
  parseManifest,
  type StoredFile,
} from './snapshots/manifest.js'
export { manifestKey, tableKey } from './snapshots/manifests.js'
export { objectSnapshots } from './snapshots/objects.js'
export { SnapshotReader } from './snapshots/reader.js'
export type { PublishOptions } from './snapshots/store.js'
export { MANIFEST_FILE, readManifest, verifyFolder } from './snapshots/verify.js'
export type { SourceRequest, SourceRows, SourceSession } from './sources/source.js'
export { checkOptions } from './values/known-options.js'
export { nearest } from './values/nearest.js'
export { parseType } from './values/parameter-types.js'
export { readParameters } from './values/parameters.js'
export { fileLiteral, identifier, literal, withoutPattern } from './values/quote.js'
export { expectedOf } from './values/read-scalar.js'
export { UnsupportedType, uniqueNames } from './values/types.js'
export { decodeUtf8 } from './values/utf8.js'
