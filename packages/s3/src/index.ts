/**
 * Snapshots and exports in a bucket of S3 or of a store that is compatible with it.
 *
 * @module foldgate-s3
 */

export { s3ClusterFiles } from './cluster-files.js'
export { type S3Exports, s3Exports } from './exports.js'
export { type S3Snapshots, s3Snapshots } from './snapshots.js'
