/**
 * The API over the ports of a host, the catalogue, and the ports and the engine that come with the library.
 *
 * @module foldgate
 */

import './node-version.js'

export {
  type AdapterApi,
  type AnalyticsApi,
  createAnalyticsApi,
  type ServiceHealth,
  type ServiceStats,
} from './api.js'
export { type BudgetLimits, memoryBudget } from './call/budget.js'
export { LIMITS, type Limits } from './call/limits.js'
export { memoryQuota } from './call/memory-quota.js'
export type { MethodTypes } from './call/params.js'
export type { CallFilter, RunningCall } from './call/running.js'
export { type Catalogue, defineCatalogue } from './catalogue/catalogue.js'
export { defineFold, defineTable, defineTables, measureOf } from './catalogue/define.js'
export type { FoldDefinition, TableDefinition } from './catalogue/definitions.js'
export { defineQuery, type QueryDefinition } from './catalogue/queries.js'
export { defineRule } from './catalogue/rules.js'
export { duckdbEngine } from './duckdb-engine.js'
export { AnalyticsError, ERROR_CLASSES, type ErrorClass } from './errors.js'
export type { AnalyticsEvent } from './events.js'
export { directoryExports } from './exports/directory.js'
export type { HttpAnswer, HttpRequest } from './http/exchange.js'
export type { MethodName, QueryExample } from './model.js'
export type { AnalyticsOptions } from './options.js'
export type {
  BudgetPort,
  BudgetState,
  Caller,
  CallerLimits,
  Clock,
  ExportPort,
  KeyPort,
  ProjectPort,
  ProjectRecord,
  QuotaPort,
  QuotaState,
  SnapshotLease,
  SnapshotPort,
  StoredExport,
  TakenBudget,
  UsagePort,
  UsageRecord,
} from './ports.js'
export { type DirectorySnapshots, directorySnapshots } from './snapshots/directory.js'
