/**
 * Calls a service from Node or a browser.
 *
 * @module foldgate/client
 */

export type { ExportParams, QueryParams } from '../call/params.js'
export type { DescribedCatalogue } from '../catalogue-document.js'
export type {
  Column,
  ExportFormat,
  Hint,
  OwnershipView,
  Page,
  ParameterValue,
  ProjectDescription,
  ProjectExport,
  ProjectSummary,
  RelationSummary,
  Row,
  RowPage,
  Warning,
} from '../model.js'
export type { Answered, DryRun, RowsAnswer } from './answered.js'
export { type Client, type ClientOptions, createClient } from './client.js'
export type { Download } from './download.js'
export {
  AnalyticsClientError,
  AnalyticsConnectionError,
  Failure,
  type FailureData,
  SnapshotReplacedError,
} from './errors.js'
