import { randomUUID } from 'node:crypto'
import { Bucket } from '#s3/bucket.js'
import { testDriver } from '../../../../test/unit/objects/driver.js'
import { testKills } from '../../../../test/unit/objects/killed.js'
import { BUCKET, Gateway } from './gateway.js'

const TWO_DAYS_MS = 2 * 86_400_000

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

  testDriver(async () => ({ store: newBucket(), close: async () => {} }))

  describe('of snapshots', () =>
    testKills(async () => ({
      ...{ store: newBucket(), now: Date.now, close: async () => {} },
      pass: () => gateway.age(TWO_DAYS_MS),
    })))
})
