/**
 * Experimental: an engine for Foldgate that runs statements on a Trino that you operate.
 *
 * @module foldgate-trino
 */

export type { TrinoAuth } from './client.js'
export { trinoEngine } from './engine.js'
export type { TrinoEngineOptions } from './options.js'
export type { SharedFolder, SnapshotPlace } from './shared-files.js'
