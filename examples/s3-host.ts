import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { S3Client } from '@aws-sdk/client-s3'
import { createAnalyticsApi, directorySnapshots, openSealer } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { catalogue } from './catalogue.js'
import { openBucket } from './s3/bucket.js'
import { openDatabase } from './s3/database.js'
import { bucketExports } from './s3/exports.js'
import { bucketSnapshots } from './s3/snapshots.js'

const DAY_MS = 86_400_000

/** A host with keys and projects in its own database, snapshots and exports in S3; `folder` has database and caches. */
export function createHost(options: { baseUrl: string; folder: string; secret: string; s3: S3Client; bucket: string }) {
  const { baseUrl, folder, secret } = options
  const bucket = openBucket(options.s3, options.bucket)
  const database = openDatabase(join(folder, 'host.db'))
  const snapshots = bucketSnapshots(bucket, join(folder, 'snapshots'))
  const exports = bucketExports(bucket, { retentionMs: DAY_MS })
  const sweeping = setInterval(() => exports.sweep().catch(console.error), 600_000).unref()
  const { keys, projects } = database
  const engine = { folder: join(folder, 'engine') }
  const api = createAnalyticsApi({ baseUrl, secrets: [secret], catalogue, keys, projects, snapshots, exports, engine })

  return {
    api,
    database,
    server: createServer(toNodeHandler(api)),
    /** Runs an assessment: seals the tables in `source` on this machine and uploads them. */
    async assess(projectId: string, source: string): Promise<void> {
      database.setState(projectId, 'running')
      const draft = await mkdtemp(join(folder, 'sealing-'))
      const sealed = directorySnapshots(join(draft, 'sealed'))
      const sealer = await openSealer({ catalogue, snapshots: sealed, folder: join(draft, 'scratch') })
      try {
        const { manifest } = await sealer.seal({ projectId, assessmentId: randomUUID(), source })
        await snapshots.publish(join(draft, 'sealed', projectId, manifest.snapshotId))
        database.setState(projectId, 'completed')
      } finally {
        await sealer.close()
        await rm(draft, { recursive: true })
      }
    },
    async close(): Promise<void> {
      clearInterval(sweeping)
      await api.close()
      database.close()
    },
  }
}
