/**
 * Experimental: an engine for Foldgate that runs statements on a Trino that you operate.
 *
 * @module foldgate-trino
 */

export { trinoEngine } from './engine.js'
export type { TrinoEngineOptions } from './options.js'
export type { TrinoAuth } from './protocol/client.js'
export type { SharedBucket, SharedFolder, SnapshotPlace } from './relations/shared-places.js'
