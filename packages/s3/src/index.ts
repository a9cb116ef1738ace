/**
 * Snapshots and exports in a bucket of S3 or of a store that is compatible with it.
 *
 * @module foldgate-s3
 */

export { s3ClusterFiles } from './cluster-files.js'
export { s3Exports } from './exports.js'
export { s3Snapshots } from './snapshots.js'
