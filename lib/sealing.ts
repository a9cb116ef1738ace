/**
 * Seals, verifies and reads snapshots: what an application needs that prepares data, apart from the API that
 * serves it.
 *
 * @module foldgate/sealing
 */

import './node-version.js'

export type { CatalogueProblem } from './catalogue/catalogue-problem.js'
export { type CheckCatalogueOptions, checkCatalogue } from './duckdb/check/check-catalogue.js'
export type {
  EmptyTenant,
  FailedTenant,
  ManySealed,
  SealedTenant,
  SealManyRequest,
  StrayRows,
  TenantOutcome,
} from './duckdb/many-request.js'
export { SealError, SealerError } from './duckdb/seal-error.js'
export type { CheckedPackage, Partition } from './duckdb/seal-job.js'
export type { Sealer, SealRequest } from './duckdb/seal-request.js'
export { openSealer } from './duckdb/sealer.js'
export {
  type SealProblem,
  type SnapshotManifest,
  type StoredFile,
  type StoredTable,
  snapshotFiles,
  tableFiles,
} from './snapshots/manifest.js'
export type { PublishOptions, SnapshotStore, UnpublishedManifest } from './snapshots/store.js'
export { verifySnapshot } from './snapshots/verify.js'
export { type ArrowRows, fromArrow } from './sources/batches.js'
export { type CsvOptions, fromCsv, fromParquet } from './sources/bytes.js'
export { fromRows } from './sources/rows.js'
export type {
  SealSource,
  SourceOptions,
  SourceRequest,
  SourceRows,
  SourceSession,
  TableSource,
} from './sources/source.js'
export type { Supply } from './sources/supply.js'
