export { type KoaContext, toKoaMiddleware } from './adapters/koa.js'
export { type NodeHandler, type NodeRequest, toNodeHandler } from './adapters/node.js'
export { type SocketHandler, type SocketOptions, type SocketServer, serveWebSocket } from './adapters/ws.js'
export type { Socket } from './adapters/ws-connection.js'
export {
  type AnalyticsApi,
  type CallOptions,
  createAnalyticsApi,
  type MessageOptions,
  type ServiceStats,
} from './api.js'
export {
  type Catalogue,
  defineCatalogue,
  defineFold,
  defineTable,
  defineTables,
  type FoldDefinition,
  type Hierarchy,
  type RelationDefinition,
  type TableDefinition,
} from './catalogue/catalogue.js'
export type { PoolStats } from './engine/pool.js'
export { AnalyticsError, ERROR_CLASSES, type ErrorClass, type ErrorData } from './errors.js'
export { type DirectoryExports, directoryExports } from './exports/directory.js'
export type { HttpAnswer, HttpRequest } from './http/exchange.js'
export type { ParsedBody } from './http/parsed.js'
export { projectState } from './methods/project.js'
export type * from './model.js'
export {
  type AnalyticsEvent,
  type AnalyticsOptions,
  type CorsOptions,
  type EngineOptions,
  LIMITS,
  type LimitName,
  type LimitOptions,
  type Limits,
} from './options.js'
export type * from './ports.js'
export { memoryQuota, type QuotaWindow } from './quota.js'
export type { SealProblem } from './sealing/jobs.js'
export { openSealer, SealError, type Sealer, type SealRequest } from './sealing/sealer.js'
export { type DirectorySnapshots, directorySnapshots } from './snapshots/directory.js'
export type { SnapshotManifest, StoredTable } from './snapshots/manifest.js'
export { PHASES, type Phase } from './work.js'
