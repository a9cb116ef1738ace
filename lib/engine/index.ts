/**
 * What an engine is: it checks the statements of callers, and runs them over a sealed snapshot from a point
 * of view. The library has one, `duckdbEngine`; a package may bring another, which is built on what is here.
 *
 * @module foldgate/engine
 */

export { Phases, type Work } from '../flow/work.js'
export type { Snapshot } from '../snapshots/manifest.js'
export type { BoundParameter } from '../values/parameters.js'
export { cancelled, EngineFailure, type FailureKind } from './failure.js'
export type {
  Asker,
  ChunkRange,
  Engine,
  EngineHealth,
  EngineHost,
  EngineStats,
  OpenEngine,
  PointOfView,
  RowsPage,
  Statement,
  TimedWork,
  WrittenChunk,
} from './port.js'
