import assert from 'node:assert/strict'
import {
  AbortMultipartUploadCommand,
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
function bucketOf(answer: (command: unknown) => unknown, isPatient = false): Bucket {
  const client = { send: async (command: unknown) => answer(command) } as unknown as S3Client
  return new Bucket({ client, bucket: 'analytics', prefix: 'a/', timeoutMs: 100 }, isPatient)
}

function failure(status: number, name = 'UnknownError', message = 'UnknownError'): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } })
}

describe('requests to S3', () => {
  /** Fails as often as there are failures, then succeeds. */
  function failing(failures: readonly Error[], isPatient: boolean) {
    const sent: unknown[] = []
    const bucket = bucketOf(command => {
      sent.push(command)
      const cause = failures[sent.length - 1]
      if (cause) throw cause
      return {}
    }, isPatient)
    return { sent, put: (end = signal) => bucket.putNew('numbers/p/000001', '\n', end) }
  }

  it('are repeated while the store throttles them, when they are patient', async () => {
    const { sent, put } = failing([failure(503, 'SlowDown'), failure(429), failure(503)], true)
    assert.equal(await put(), true)
    assert.equal(sent.length, 4)
    assert.ok(sent.every(command => command instanceof PutObjectCommand))
  })

  it('are named with their key in the end, when they are patient', async () => {
    const throttled = Array.from({ length: 100 }, () => failure(503, 'SlowDown', 'Please reduce your request rate.'))
    const { sent, put } = failing(throttled, true)
    await assert.rejects(put(), { message: 'PutObject of numbers/p/000001: Please reduce your request rate.' })
    assert.equal(sent.length, 7)
  })

  it('are not repeated for another failure', async () => {
    const { sent, put } = failing([failure(403)], true)
    await assert.rejects(put(), { message: 'PutObject of numbers/p/000001: the store answered 403' })
    assert.equal(sent.length, 1)
  })

  it('are not repeated while a call waits for them', async () => {
    const { sent, put } = failing([failure(503)], false)
    await assert.rejects(put(), { message: 'the store answered 503' })
    assert.equal(sent.length, 1)
  })

  it('end at once when they are aborted between two attempts', async () => {
    const leaving = new AbortController()
    const throttled = failing([failure(503), failure(503)], true)
    const putting = throttled.put(leaving.signal)
    const reason = new Error('enough')
    setImmediate(() => leaving.abort(reason))
    await assert.rejects(putting, reason)
    assert.equal(throttled.sent.length, 1)
  })

  it('cancel old uploads on all pages', async () => {
    const [old, young] = [new Date(0), new Date(10)]
    const uploads = Array.from({ length: 8 }, (_, at) => ({
      Key: `a/files/${at}`,
      UploadId: String(at),
      Initiated: at === 4 ? young : old,
    }))
    const cancelled: (string | undefined)[] = []
    const bucket = bucketOf(command => {
      if (command instanceof AbortMultipartUploadCommand) return cancelled.push(command.input.UploadId)
      assert.ok(command instanceof ListMultipartUploadsCommand)
      const { KeyMarker, UploadIdMarker, Prefix } = command.input
      assert.deepEqual([Prefix, KeyMarker], ['a/files/', UploadIdMarker && `a/files/${UploadIdMarker}`])
      const begin = UploadIdMarker === undefined ? 0 : Number(UploadIdMarker) + 1
      const last = uploads[begin + PAGE - 1]
      return {
        Uploads: uploads.slice(begin, begin + PAGE),
        ...(last ? { IsTruncated: true, NextKeyMarker: last.Key, NextUploadIdMarker: last.UploadId } : {}),
      }
    })
    await cancelUploads(bucket, 'files/', 5, signal)
    assert.deepEqual(cancelled, ['0', '1', '2', '3', '5', '6', '7'])
  })
})
