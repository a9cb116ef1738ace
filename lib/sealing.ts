/**
 * Seals, verifies and reads snapshots: what an application needs that prepares data, apart from the API that
 * serves it.
 *
 * @module foldgate/sealing
 */

import './node-version.js'

export type { CatalogueProblem } from './catalogue/catalogue-problem.js'
export { checkCatalogue } from './duckdb/check/check-catalogue.js'
export type { SealProblem } from './model.js'
export { SealError, SealerError } from './seal/error.js'
export type { InspectRequest, ManySealed, Sealer, SealManyRequest, SealRequest } from './seal/request.js'
export { openSealer } from './seal/sealer.js'
export {
  type SnapshotManifest,
  type StoredTable,
  snapshotFiles,
  tableFiles,
} from './snapshots/manifest.js'
export type { SnapshotStore } from './snapshots/store.js'
export { fromArrow } from './sources/batches.js'
export { fromCsv, fromParquet } from './sources/bytes.js'
export { fromFile, fromFolder } from './sources/files.js'
export { fromRows } from './sources/rows.js'
export type { TableSource, TenantVersions } from './sources/source.js'
