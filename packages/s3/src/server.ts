/**
 * What the reference server finds in this package: snapshots and exports that several servers share in a bucket.
 *
 * @module foldgate-s3/server
 * @internal
 */

import type { OpenSharedBucket } from 'foldgate-server/parts'
import { sharedBucket } from './shared-bucket.js'

export const openSharedBucket: OpenSharedBucket = sharedBucket
