import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import {
  ABANDONED_MS,
  chunksOf,
  DamagedSnapshot,
  type RegularFile,
  type StorableFile,
  workOfNobody,
} from 'foldgate/internal'
import type { Send, Sent } from './requests.js'

/** A larger file is uploaded in parts of this size; a part is in memory, so that the client can repeat it. */
const PART_BYTES = 16 * 1024 ** 2
const MOST_PARTS = 10_000
/**
 * Requests that may take longer, since they send a part or wait until the store has put all parts together.
 */
const LONG = [PutObjectCommand, UploadPartCommand, CompleteMultipartUploadCommand]

/** A bucket, as far as uploads use it. */
interface UploadTarget {
  readonly config: S3Client['config']
  at(key: string): { Bucket: string; Key: string }
  send<Answer>(signal: AbortSignal, sent: Sent, send: Send<Answer>): Promise<Answer>
}

/** A file to upload, and its key. */
export type UploadedFile = StorableFile & { key: string }

/**
 * Uploads a file, whole or not at all. Throws a {@link DamagedSnapshot} when the file does
 * not have the digest.
 */
export async function upload(bucket: UploadTarget, file: UploadedFile, signal: AbortSignal): Promise<void> {
  const { key, path, type } = file
  const handle = await open(path)
  try {
    const bytes = (await handle.stat()).size
    const Body = Readable.from(checkedChunks({ handle, bytes }, file))
    const params = {
      ...bucket.at(key),
      Body,
      ContentLength: bytes,
      ...(type === undefined ? {} : { ContentType: type }),
    }
    const partSize = Math.max(PART_BYTES, Math.ceil(bytes / MOST_PARTS))
    await new Upload({ client: clientOf(bucket, key, signal), params, partSize, queueSize: 1 }).done()
  } finally {
    await handle.close()
  }
}

/**
 * The chunks of a file. When it does not have its digest, they end with a failure, before the last part is
 * sent.
 */
async function* checkedChunks(file: RegularFile, { key, sha256 }: UploadedFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of chunksOf(file)) {
    hash.update(chunk)
    yield chunk
  }
  if (sha256 !== undefined && hash.digest('hex') !== sha256)
    throw new DamagedSnapshot(`${key.slice(key.lastIndexOf('/') + 1)} is not as it was sealed`)
}

/**
 * What an `Upload` uses of a client. It passes no signal to its requests, and would wait for a store that
 * hangs: here each ends in time, and when the signal fires. After that, only the request that cancels the
 * upload is sent.
 */
function clientOf(bucket: UploadTarget, key: string, signal: AbortSignal): S3Client {
  const send: S3Client['send'] = (command: Parameters<S3Client['send']>[0]) => {
    const request = command.constructor.name.replace(/Command$/, '')
    const sent = { request, key, isLong: LONG.some(each => command instanceof each) }
    const sendUntil = (end: AbortSignal) =>
      bucket.send(end, sent, (client, options) => client.send(command, options))
    if (!(command instanceof AbortMultipartUploadCommand)) return sendUntil(signal)
    return sendUntil(workOfNobody().signal).catch(() => {}) // a sweep will
  }
  return { config: bucket.config, send } as S3Client
}

/** Cancels uploads below prefixes that have not ended, and were begun so long ago, by default a day. */
export async function cancelUploads(
  bucket: UploadTarget,
  prefixes: readonly string[],
  agoMs = ABANDONED_MS,
): Promise<void> {
  for (const prefix of prefixes) await cancelBelow(bucket, prefix, Date.now() - agoMs, workOfNobody().signal)
}

async function cancelBelow(
  bucket: UploadTarget,
  prefix: string,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  const { Bucket, Key: Prefix } = bucket.at(prefix)
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}
  for (let isLast = false; !isLast; ) {
    const asked = { Bucket, Prefix, ...from }
    const page = await bucket.send(
      signal,
      { request: 'ListMultipartUploads', key: prefix },
      (client, options) => client.send(new ListMultipartUploadsCommand(asked), options),
    )
    for (const { Key = '', UploadId, Initiated } of page.Uploads ?? [])
      if (Initiated && Initiated.getTime() < before)
        await bucket.send(signal, { request: 'AbortMultipartUpload', key: Key }, (client, options) =>
          client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), options),
        )
    from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    isLast = !page.IsTruncated
  }
}
