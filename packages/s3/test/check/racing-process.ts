import { S3Client } from '@aws-sdk/client-s3'
import { snapshotFiles } from 'foldgate/sealing'
import { s3Snapshots } from 'foldgate-s3'
import { scriptArguments } from '../../../../test/script.js'
import { publishTables } from './shared-tables.js'

/** Publishes a number of snapshots that share files; or removes all but the newest one, until it is told to end. */
const NAMES = ['URL', 'BUCKET', 'PREFIX', 'FOLDER', 'PROJECT', 'COUNT'] as const
const [url, bucket, prefix, folder, projectId, count] = scriptArguments(import.meta.url, ...NAMES)
const client = new S3Client({ endpoint: url, forcePathStyle: true })
const snapshots = s3Snapshots({ client, bucket, prefix, cache: { folder, bytes: 1e9 } })
let isOver = false
process.stdin.once('data', () => {
  isOver = true
})

let [done, shared] = [0, 0]
let known: string[] = []
for (; count === '' && !isOver; done++) await snapshots.prune(projectId, 1)
for (; done < Number(count); done++) {
  // Two of three tables have one of a few contents, which are removed and come again.
  const tables = { always: 'the same', often: `${done % 3}`, seldom: `${done % 2}` }
  const manifest = await publishTables(snapshots, projectId, tables)
  const { snapshotId } = manifest
  const files = snapshotFiles(manifest).map(({ file }) => file)
  shared += files.filter(file => known.includes(file)).length
  known = files
  const problems = await snapshots.verify(projectId, snapshotId)
  const ids = await snapshots.list(projectId, new AbortController().signal)
  if (problems.length > 0 && ids.includes(snapshotId)) throw new Error(`${snapshotId}: ${problems}`)
}
process.stdin.destroy()
client.destroy()
snapshots.close()
process.stdout.write(JSON.stringify({ done, shared }))
