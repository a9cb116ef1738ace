import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { S3Client } from '@aws-sdk/client-s3'
import { createAnalyticsApi, duckdbEngine } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { fromFolder, openSealer } from 'foldgate/sealing'
import { s3Exports, s3Snapshots } from 'foldgate-s3'
import { catalogue } from './catalogue.js'
import { openDatabase } from './s3/database.js'

const DAY_MS = 86_400_000
const GIB = 1024 ** 3

/**
 * A host with keys and projects in its own database, snapshots and exports in S3; `folder` has database and
 * caches.
 */
export function createHost(options: {
  baseUrl: string
  folder: string
  secret: string
  s3: S3Client
  bucket: string
}) {
  const { baseUrl, folder, secret } = options
  const database = openDatabase(join(folder, 'host.db'))
  const place = { client: options.s3, bucket: options.bucket, prefix: 'foldgate/' }
  const cache = { folder: join(folder, 'copies'), bytes: 10 * GIB }
  const snapshots = s3Snapshots({ ...place, cache })
  const exports = s3Exports({ ...place, retentionMs: DAY_MS })
  const { keys, projects } = database
  const engine = duckdbEngine({ folder: join(folder, 'engine') })
  const api = createAnalyticsApi({
    baseUrl,
    secrets: [secret],
    catalogue,
    keys,
    projects,
    snapshots,
    exports,
    engine,
  })

  return {
    api,
    database,
    server: createServer(toNodeHandler(api)),
    /** Prepares new data: seals the tables in `source` on this machine and uploads them. */
    async refresh(projectId: string, source: string): Promise<void> {
      database.setState(projectId, 'running')
      const scratch = await mkdtemp(join(folder, 'sealing-'))
      const sealer = await openSealer({ catalogue, snapshots, folder: scratch })
      try {
        await sealer.seal({ projectId, tables: fromFolder(source) })
        database.setState(projectId, 'completed')
      } finally {
        await sealer.close()
        await rm(scratch, { recursive: true })
      }
    },
    async close(): Promise<void> {
      await api.close()
      exports.close()
      snapshots.close()
      database.close()
    },
  }
}
