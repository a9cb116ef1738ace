/**
 * Calls a service from Node or a browser.
 *
 * @module foldgate/client
 */

export type { NamedExportParams, NamedQueryParams } from '../call/named-query-params.js'
export type { PageParams } from '../call/page-params.js'
export type { DescribeParams, ExportParams, ListParams, QueryParams } from '../call/params.js'
export type { DescribedCatalogue, DescribedColumn, DescribedRelation } from '../catalogue-document.js'
export type { ErrorClass } from '../errors.js'
export type {
  CallAnswer,
  Column,
  ExportFormat,
  KeptSnapshot,
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
} from '../model.js'
export type { Answered, Described, DryRun, RowsAnswer } from './answered.js'
export type { CallOptions, Ownership, ParamsFor, RowsOptions, WithColumns } from './call-options.js'
export {
  type Client,
  type ClientOptions,
  createClient,
} from './client.js'
export type { ClientSocket, ClientSocketConstructor } from './connection.js'
export type { Download, DownloadOptions, ExportLink, Progress } from './download.js'
export {
  AnalyticsClientError,
  AnalyticsConnectionError,
  type Failure,
  type FailureData,
  SnapshotReplacedError,
  type ToldFailure,
  type WarnedData,
} from './errors.js'
export type { NamedQueries } from './named-queries.js'
export type { RetryOptions } from './retry.js'
export type { WebSocketTransport } from './socket.js'
