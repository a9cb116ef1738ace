import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { s3ClusterFiles } from 'foldgate-s3'
import type { S3ClusterFiles } from '#s3/cluster-files.js'
import { sharedBucket } from '#s3/shared-bucket.js'
import { until } from '../../../../test/until.js'
import { BUCKET, Gateway } from './gateway.js'

const PREFIX = 'service/one/'
const PROJECT = '0a000000-0000-4000-8000-000000000001'

describe('files in S3 that a cluster reads', () => {
  let gateway: Gateway
  let client: S3Client
  let folder: string
  let files: S3ClusterFiles
  before(async function () {
    this.timeout(450_000)
    const opened = await Gateway.open('files in S3 that a cluster reads')
    if (!opened) return this.skip()
    gateway = opened
    client = gateway.client()
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    files = s3ClusterFiles({ client, bucket: BUCKET, prefix: PREFIX })
  })
  after(async () => {
    await gateway?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  async function keys(): Promise<string[]> {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }))
    return Contents.map(({ Key = '' }) => Key).sort()
  }

  it('are put below the location whole, and removed a folder at a time', async () => {
    const sealed = `${PREFIX}tables/${PROJECT}/sites.parquet`
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: sealed, Body: 'sealed' }))
    const path = join(folder, 'rows')
    await writeFile(path, 'some rows')
    for (const name of ['b_1/shares.parquet', 'b_1/paths.parquet', 'b_10/shares.parquet']) await files.put(name, path)
    assert.equal(files.location, `s3://${BUCKET}/${PREFIX}trino`)
    const Key = `${PREFIX}trino/b_1/shares.parquet`
    const found = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }))
    assert.equal(await found.Body?.transformToString(), 'some rows')
    await files.remove('b_1')
    assert.deepEqual(await keys(), [sealed, `${PREFIX}trino/b_10/shares.parquet`])
    await files.remove('b_1')
  })

  it('are not counted as snapshots by a server', async () => {
    const before = { ...process.env }
    Object.assign(process.env, gateway.environment(gateway.url))
    const cache = { folder: join(folder, 'copies'), bytes: 1 }
    const shared = sharedBucket('s3://shared', { bucket: BUCKET, prefix: PREFIX }, cache)
    const watch = shared.watch()
    try {
      const found = await until(() => watch.latest() ?? undefined, 'a measurement')
      assert.deepEqual([found.snapshotBytes, found.exportBytes], ['sealed'.length, 0])
    } finally {
      await watch.stop()
      shared.close()
      process.env = before
    }
  })

  it('are beside the snapshots, under the URL by which the cluster knows the bucket', () => {
    const snapshot = { projectId: PROJECT, snapshotId: '000012-0b000000-0000-4000-8000-000000000002' }
    const stored = { file: 'sites.parquet', sha256: '', bytes: 0 }
    const key = `tables/${PROJECT}/sites.parquet`
    assert.equal(files.fileLocation(snapshot, stored), `s3://${BUCKET}/${PREFIX}${key}`)
    const named = s3ClusterFiles({ client, bucket: BUCKET, prefix: PREFIX, location: 's3://alias/elsewhere/' })
    assert.equal(named.location, 's3://alias/elsewhere/trino')
    assert.equal(named.fileLocation(snapshot, stored), `s3://alias/elsewhere/${key}`)
    const whole = s3ClusterFiles({ client, bucket: BUCKET })
    assert.equal(whole.location, `s3://${BUCKET}/trino`)
  })
})
