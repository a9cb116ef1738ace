import assert from 'node:assert/strict'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { Bucket } from '#s3/bucket.js'
import { cancelUploads } from '#s3/upload.js'

const { signal } = new AbortController()
/** Uploads of a page, so that listings have several. */
const PAGE = 3

/** A bucket whose store answers with this function. */
function bucketOf(answer: (command: unknown) => unknown): Bucket {
  const client = { send: async (command: unknown) => answer(command) } as unknown as S3Client
  return new Bucket({ client, bucket: 'analytics', prefix: 'a/', timeoutMs: 100 })
}

function failure(status: number, name = 'UnknownError', message = 'UnknownError'): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } })
}

describe('requests to S3', () => {
  /** Fails as often as there are failures, then succeeds. */
  function failing(failures: readonly Error[]) {
    const sent: unknown[] = []
    const bucket = bucketOf(command => {
      sent.push(command)
      const cause = failures[sent.length - 1]
      if (cause) throw cause
      return {}
    })
    return { sent, remove: (end = signal) => bucket.delete(['tables/p/x'], end) }
  }

  it('are repeated while the store throttles them, or connections break', async () => {
    const broken = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    const { sent, remove } = failing([failure(503, 'SlowDown'), failure(429), broken, failure(503)])
    await remove()
    assert.equal(sent.length, 5)
    assert.ok(sent.every(command => command instanceof DeleteObjectCommand))
  })

  it('are named with their key in the end, after three timeouts', async () => {
    const throttled = Array.from({ length: 100 }, () => failure(503, 'SlowDown', 'Please reduce your request rate.'))
    const { sent, remove } = failing(throttled)
    const startedAt = performance.now()
    await assert.rejects(remove(), {
      message: 'DeleteObject of tables/p/x: throttled by the store for 0 s: Please reduce your request rate.',
    })
    const ms = performance.now() - startedAt
    assert.ok(ms > 200 && ms < 1000, `${ms} ms`)
    assert.ok(sent.length >= 6, `${sent.length} requests`)
  })

  it('are not repeated for another failure', async () => {
    const { sent, remove } = failing([failure(403)])
    await assert.rejects(remove(), { message: 'DeleteObject of tables/p/x: the store answered 403' })
    assert.equal(sent.length, 1)
  })

  it('end at once when they are aborted between two attempts', async () => {
    const leaving = new AbortController()
    const throttled = failing([failure(503), failure(503)])
    const removing = throttled.remove(leaving.signal)
    const reason = new Error('enough')
    setImmediate(() => leaving.abort(reason))
    await assert.rejects(removing, reason)
    assert.equal(throttled.sent.length, 1)
  })

  /** Puts a text once and again; tells what was answered and which keys were put. */
  async function putTwice(answer: (key: string, isNew: boolean) => void) {
    const keys: string[] = []
    const bucket = bucketOf(command => {
      if (!(command instanceof PutObjectCommand)) return {}
      const { Key = '', IfNoneMatch } = command.input
      assert.equal(IfNoneMatch, '*')
      const isNew = !keys.includes(Key)
      keys.push(Key)
      answer(Key, isNew)
      return {}
    })
    const answers = [await bucket.put('a', 'text', signal), await bucket.put('a', 'text', signal)]
    return { answers, keys: keys.map(key => key.replace(/clock\/.*/, 'clock')) }
  }

  it('put a text once, after the store has shown that it honours conditions', async () => {
    const refuse = (_: string, isNew: boolean) => {
      if (!isNew) throw failure(412)
    }
    const { answers, keys } = await putTwice(refuse)
    assert.deepEqual(
      [answers, keys],
      [
        [true, false],
        ['a/clock', 'a/clock', 'a/a', 'a/a'],
      ],
    )
  })

  it('put no text into a store that ignores conditions', async () => {
    await assert.rejects(
      putTwice(() => {}),
      /the store ignores If-None-Match/,
    )
  })

  it('are repeated when two of them collided', async () => {
    let collisions = 0
    const collide = (key: string, isNew: boolean) => {
      if (key.startsWith('a/clock') && !isNew) throw failure(412)
      if (key === 'a/a' && collisions++ < 2) throw failure(409)
    }
    assert.deepEqual((await putTwice(collide)).answers, [true, true])
  })

  it('try the conditions of a store again for the next caller when the first has left', async () => {
    const leaving = new AbortController()
    const waiting: (() => void)[] = []
    const seen = new Set<string | undefined>()
    const bucket = bucketOf(async command => {
      if (!(command instanceof PutObjectCommand)) return {}
      if (seen.size === 0) await new Promise<void>(resolve => waiting.push(resolve))
      if (seen.has(command.input.Key)) throw failure(412)
      seen.add(command.input.Key)
      return {}
    })
    const [first, second] = [bucket.put('a', 'one', leaving.signal), bucket.put('b', 'two', signal)]
    leaving.abort(new Error('enough'))
    await assert.rejects(first, /enough/)
    for (const pass of waiting) pass()
    assert.equal(await second, true)
  })

  it('cancel old uploads on all pages', async () => {
    const [old, young] = [new Date(0), new Date()]
    const uploads = Array.from({ length: 8 }, (_, at) => ({
      Key: `a/tables/${at}`,
      UploadId: String(at),
      Initiated: at === 4 ? young : old,
    }))
    const cancelled: (string | undefined)[] = []
    const bucket = bucketOf(command => {
      if (command instanceof AbortMultipartUploadCommand) return cancelled.push(command.input.UploadId)
      assert.ok(command instanceof ListMultipartUploadsCommand)
      const { KeyMarker, UploadIdMarker, Prefix } = command.input
      assert.deepEqual([Prefix, KeyMarker], ['a/tables/', UploadIdMarker && `a/tables/${UploadIdMarker}`])
      const begin = UploadIdMarker === undefined ? 0 : Number(UploadIdMarker) + 1
      const last = uploads[begin + PAGE - 1]
      return {
        Uploads: uploads.slice(begin, begin + PAGE),
        ...(last ? { IsTruncated: true, NextKeyMarker: last.Key, NextUploadIdMarker: last.UploadId } : {}),
      }
    })
    await cancelUploads(bucket, ['tables/'])
    assert.deepEqual(cancelled, ['0', '1', '2', '3', '5', '6', '7'])
  })
})
