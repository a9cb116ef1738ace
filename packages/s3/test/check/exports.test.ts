import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HeadObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { s3Exports } from 'foldgate-s3'
import type { S3Exports } from '#s3/exports.js'
import { TestClock } from '../../../../test/service/ports.js'
import { until } from '../../../../test/until.js'
import { BUCKET, Gateway } from './gateway.js'
import { FaultyStore } from './proxy.js'

const HOUR_MS = 3_600_000
const TIMEOUT_MS = 500
/** For parts of 16 MB, which take longer than that on a busy machine. */
const PATIENT_MS = 30_000
const SOCKETS = 4
const { signal } = new AbortController()

describe('exports in a store of S3 that fails', () => {
  let gateway: Gateway
  let store: FaultyStore
  let folder: string
  let prefix: string
  let clock: TestClock
  let exports: S3Exports

  before(async function () {
    this.timeout(450_000)
    const found = await Gateway.open('faults of exports in S3')
    if (!found) return this.skip()
    gateway = found
    store = await FaultyStore.before(gateway.url)
  })
  after(async () => {
    await store?.close()
    await gateway?.close()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-exports-'))
    prefix = `${randomUUID()}/`
    clock = new TestClock()
    exports = open(TIMEOUT_MS)
  })
  const open = (timeoutMs: number) => {
    const requestHandler = { httpAgent: new Agent({ keepAlive: true, maxSockets: SOCKETS }) }
    const client = gateway.client({ endpoint: store.url, requestHandler })
    return s3Exports({ client, bucket: BUCKET, prefix, retentionMs: HOUR_MS, timeoutMs, clock })
  }
  afterEach(async () => {
    store.heal()
    exports.close()
    await rm(folder, { recursive: true })
  })

  async function put(content: Buffer, wanted = signal): Promise<string> {
    const exportId = randomUUID()
    const path = join(folder, exportId)
    await writeFile(path, content)
    await exports.put({ exportId, path, bytes: content.length, format: 'csv' }, wanted)
    return exportId
  }
  async function read(exportId: string): Promise<Buffer> {
    const stored = await exports.open(exportId, signal)
    assert.ok(stored)
    const chunks: Uint8Array[] = []
    for await (const chunk of stored.body()) chunks.push(chunk)
    assert.equal(Buffer.concat(chunks).length, stored.bytes)
    return Buffer.concat(chunks)
  }
  const stored = async () => {
    const { Contents = [] } = await gateway.client().send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix }))
    return Contents.map(({ Key = '' }) => Key)
  }
  const unfinished = async () => {
    const asked = { Bucket: BUCKET, Prefix: prefix }
    return ((await gateway.client().send(new ListMultipartUploadsCommand(asked))).Uploads ?? []).length
  }

  it('stores a large file in parts, and says what it is', async () => {
    exports.close()
    exports = open(PATIENT_MS)
    const content = randomBytes(40_000_000)
    const exportId = await put(content)
    assert.ok(content.equals(await read(exportId)))
    const parts = store.seen.filter(({ query }) => query.includes('partNumber'))
    assert.equal(parts.length, 3)
    const Key = `${prefix}exports/${exportId}`
    const { ContentType } = await gateway.client().send(new HeadObjectCommand({ Bucket: BUCKET, Key }))
    assert.match(ContentType ?? '', /^text\/csv/)
  })

  it('repeats a part that fails, and keeps nothing of a file that cannot be stored', async () => {
    let failures = 2
    store.fate = ({ query }) => (query.includes('partNumber=2') && failures-- > 0 ? 'unavailable' : 'pass')
    const content = randomBytes(20_000_000)
    assert.ok(content.equals(await read(await put(content))))
    const before = await stored()
    store.fate = ({ query }) => (query.includes('partNumber=2') ? 'unavailable' : 'pass')
    await assert.rejects(put(content))
    assert.deepEqual(await stored(), before)
    await until(async () => (await unfinished()) === 0, 'the upload is cancelled')
  })

  it('keeps nothing of a file whose link nobody gets', async () => {
    for (const bytes of [1000, 20_000_000]) {
      store.fate = ({ method }) => (method === 'PUT' ? 'hang' : 'pass')
      store.seen = []
      const leaving = new AbortController()
      const putting = put(randomBytes(bytes), leaving.signal)
      await until(() => store.seen.some(({ method }) => method === 'PUT'), 'an upload')
      leaving.abort(new Error('enough'))
      await assert.rejects(putting, /enough/)
      await until(() => store.seen.some(({ method }) => method === 'DELETE'), 'the removal')
      store.heal()
      assert.deepEqual(await stored(), [])
      await until(async () => (await unfinished()) === 0, 'the upload is cancelled')
    }
  })

  it('ends a download that stalls or is cut, and waits for no store that hangs', async () => {
    const content = randomBytes(1_000_000)
    const exportId = await put(content)
    for (const fate of ['stall', 'cut', 'hang', 'unavailable'] as const) {
      store.fate = ({ method }) => (method === 'GET' ? fate : 'pass')
      await assert.rejects(read(exportId))
    }
    store.fate = () => 'hang'
    await assert.rejects(exports.open(exportId, signal), /no answer within/)
    store.heal()
    assert.ok(content.equals(await read(exportId)))
  })

  it('waits for a reader who takes its time', async () => {
    const content = randomBytes(5_000_000)
    const reader = (await exports.open(await put(content), signal))?.body().getReader()
    assert.ok(reader)
    const chunks = [(await reader.read()).value as Uint8Array]
    const resumed = performance.now() + 2 * TIMEOUT_MS
    await until(() => performance.now() > resumed, 'the reader goes on')
    for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value)
    assert.ok(content.equals(Buffer.concat(chunks)))
  })

  it('frees the connection of a download that is cancelled, at whatever time', async () => {
    const exportId = await put(randomBytes(5_000_000))
    for (let round = 0; round < 4 * SOCKETS; round++) {
      const reader = (await exports.open(exportId, signal))?.body().getReader()
      assert.ok(reader)
      const reading = round % 2 === 0 ? reader.read() : Promise.resolve()
      if (round % 4 < 2) await reading
      await reader.cancel()
      await Promise.resolve(reading).catch(() => {})
    }
    assert.equal((await read(exportId)).length, 5_000_000)
  })

  it('serves nothing whose retention is over, though it is still stored, and removes it', async () => {
    const exportId = await put(randomBytes(10))
    clock.advance(HOUR_MS - 5000)
    await exports.sweep()
    assert.ok(await exports.open(exportId, signal))
    clock.advance(7000) // the store counts seconds
    assert.equal(await exports.open(exportId, signal), null)
    assert.equal((await stored()).length, 1)
    await exports.sweep()
    assert.deepEqual(await stored(), [])
  })

  it('says that a bucket is missing, and not that the export is', async () => {
    const client = gateway.client()
    const other = s3Exports({ client, bucket: 'no-such-bucket', retentionMs: HOUR_MS })
    await assert.rejects(other.open(randomUUID(), signal), { name: 'NoSuchBucket' })
    other.close()
  })
})
