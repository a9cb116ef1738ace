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
export { LIMITS, type Limits } from './call/limits.js'
export { memoryQuota, type QuotaWindow } from './call/memory-quota.js'
export type { NamedExportParams, NamedQueryParams, QueryMethod } from './call/named-query-params.js'
export type { PageParams } from './call/page-params.js'
export type {
  DescribeParams,
  ExportParams,
  ListParams,
  MethodTypes,
  QueryParams,
} from './call/params.js'
export type { QuotaHolder, QuotaLimits } from './call/quota-levels.js'
export { type Catalogue, defineCatalogue } from './catalogue/catalogue.js'
export type { CatalogueProblem } from './catalogue/catalogue-problem.js'
export { defineFold, defineTable, defineTables } from './catalogue/define.js'
export type {
  ColumnDefinition,
  ColumnMeaning,
  FoldDefinition,
  Hierarchy,
  RelationDefinition,
  TableColumnDefinition,
  TableDefinition,
  ValueRange,
} from './catalogue/definitions.js'
export {
  defineQuery,
  type QueryDefinition,
  type QueryParameter,
  type QueryValue,
} from './catalogue/queries.js'
export { type CatalogueRule, defineRule } from './catalogue/rules.js'
export type { DescribedCatalogue, DescribedColumn, DescribedRelation } from './catalogue-document.js'
export { type DuckdbEngine, duckdbEngine } from './duckdb/engine.js'
export type { GivenColumn, GivenForm, GivenRows, GivenType } from './duckdb/given-rows.js'
export type { EngineOptions, GuardSettings } from './duckdb/settings.js'
export { AnalyticsError, ERROR_CLASSES, type ErrorClass, type ErrorData } from './errors.js'
export type { AnalyticsEvent } from './events.js'
export { type DirectoryExports, directoryExports } from './exports/directory.js'
export type { CorsOptions } from './http/cors.js'
export type { HttpAnswer, HttpRequest } from './http/exchange.js'
export type { McpEndpoint } from './http/mcp-endpoint.js'
export type { CallOptions, InProcess } from './methods/in-process.js'
export type {
  CallAnswer,
  Column,
  ExportFormat,
  KeptSnapshot,
  MethodName,
  OwnershipView,
  Page,
  ParameterValue,
  ProjectDescription,
  ProjectExport,
  ProjectState,
  ProjectSummary,
  QueryExample,
  ReadRelation,
  RelationSummary,
  Row,
  RowPage,
  TypedValue,
  Warning,
} from './model.js'
export type { AnalyticsOptions } from './options.js'
export type * from './ports.js'
export type { SandboxMode } from './sandbox/sandbox.js'
export type { SandboxState, Wall } from './sandbox/walls.js'
export { type DirectorySnapshots, directorySnapshots } from './snapshots/directory.js'
