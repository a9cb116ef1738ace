import assert from 'node:assert/strict'
import { S3Client } from '@aws-sdk/client-s3'
import { TimeIsOver } from 'foldgate/internal'
import { Bucket } from '#s3/bucket.js'
import { refusal } from '#s3/shared-bucket.js'
import { type Throttle, ThrottlingStore } from './throttling-store.js'

const NAME = 's3://analytics/a'
const { signal } = new AbortController()

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('a bucket whose store throttles', () => {
  let store: ThrottlingStore
  let client: S3Client
  let bucket: Bucket
  before(async () => {
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
    store = await ThrottlingStore.open()
    const credentials = { accessKeyId: 'throttled', secretAccessKey: 'a secret of the store' }
    const endpoint = store.environment.AWS_ENDPOINT_URL_S3
    client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true, maxAttempts: 1 })
    bucket = new Bucket({ client, bucket: 'analytics', prefix: 'a/', timeoutMs: 400 })
  })
  after(async () => {
    client.destroy()
    await store.close()
  })

  const given: Throttle[] = ['SlowDown', 429, 'broken']

  it('reads, lists, writes and deletes after it was throttled or cut off several times', async () => {
    store.throttle(...given)
    assert.equal(await bucket.put('key', 'text', signal), true)
    assert.equal((await bucket.stat('key', signal))?.bytes, 4)
    const chunks = await bucket.get('key', signal)
    assert.ok(chunks)
    assert.equal((await all(chunks)).join(''), 'text')
    const pages = await all(bucket.list('', signal))
    assert.deepEqual(
      pages.flat().map(({ key }) => key),
      ['key'],
    )
    await bucket.delete(['key'], signal)
    assert.equal(await bucket.stat('key', signal), null)
    assert.deepEqual([...store.throttled.values()], [[], [], [], [], []])
  })

  it('gives up in the end, and says that it is throttled, by which request of which key', async () => {
    store.throttle(...Array.from({ length: 100 }, () => 'SlowDown' as const))
    const startedAt = performance.now()
    await assert.rejects(bucket.get('key', signal), {
      message: 'GetObject of key: throttled by the store for 1 s: Please reduce your request rate.',
    })
    assert.ok(performance.now() - startedAt > 800)
    store.throttle()
  })

  it('holds no call for longer than its signal says', async () => {
    store.throttle(...Array.from({ length: 100 }, () => 429 as const))
    const startedAt = performance.now()
    const reason = await bucket.get('key', AbortSignal.timeout(100)).catch(cause => cause)
    assert.equal(reason.name, 'TimeoutError')
    assert.ok(performance.now() - startedAt < 700)
    store.throttle()
  })
})

describe('the refusal of a shared bucket', () => {
  const SETTINGS = /AWS_REGION, the credentials/
  const answered = (status: number, name = 'UnknownError') =>
    Object.assign(new Error('for the account 0123'), { name, $metadata: { httpStatusCode: status } })

  it('advises on settings where the store refuses them or is not found', () => {
    const coded = (code: string) => Object.assign(new Error('connect'), { code })
    for (const cause of [
      answered(403, 'SignatureDoesNotMatch'),
      answered(301, 'PermanentRedirect'),
      answered(400),
      answered(404, 'NoSuchBucket'),
      coded('ECONNREFUSED'),
    ])
      assert.match(refusal(NAME, cause).message, SETTINGS)
    assert.match(refusal(NAME, answered(403, 'SignatureDoesNotMatch')).message, /used \(SignatureDoesNotMatch\)/)
  })

  it('says what happened where the settings are right', () => {
    const broken = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    for (const [cause, told] of [
      [answered(503, 'SlowDown'), /"s3:\/\/analytics\/a" is throttled by its store \(SlowDown\): try again later/],
      [answered(429), /is throttled by its store \(429\)/],
      [answered(500, 'InternalError'), /its store fails \(InternalError\)/],
      [broken, /cannot be reached \(ECONNRESET\): connections to its store break/],
      [new TimeIsOver('no answer within 10000 ms'), /does not answer in time/],
    ] as const) {
      const { message } = refusal(NAME, cause)
      assert.match(message, told)
      assert.doesNotMatch(message, /AWS_REGION|0123/)
    }
  })
})
