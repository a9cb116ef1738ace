import { randomUUID } from 'node:crypto'
import { Bucket } from '#s3/bucket.js'
import { testKills } from '../../../../test/unit/objects/killed.js'
import { BUCKET, Gateway } from './gateway.js'

describe('the objects in a bucket', () => {
  let gateway: Gateway
  before(async function () {
    this.timeout(450_000)
    const opened = await Gateway.open('processes that are killed at each request to S3')
    if (!opened) return this.skip()
    gateway = opened
  })
  after(() => gateway?.close())

  const newBucket = () => new Bucket({ client: gateway.client(), bucket: BUCKET, prefix: `${randomUUID()}/` })

  describe('of snapshots', () =>
    testKills(async () => ({ store: newBucket(), now: Date.now, pass: null, close: async () => {} })))
})
