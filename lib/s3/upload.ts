import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { workOfNobody } from '../call/work.js'
import { DamagedSnapshot } from '../snapshots/manifest.js'
import type { Bucket } from './bucket.js'

/** A larger file is uploaded in parts of this size; a part is in memory, so that the client can repeat it. */
const PART_BYTES = 16 * 1024 ** 2
const MOST_PARTS = 10_000

/** A file to upload. */
export interface Upload {
  key: string
  path: string
  /** Media type. */
  type?: string
  /** Digest that the file must have, hex. */
  sha256?: string
}

/**
 * Uploads a file, of which the store has all or nothing. Throws a {@link DamagedSnapshot} when the file does not have
 * the digest, which can be after it was stored.
 */
export async function upload(bucket: Bucket, file: Upload, signal: AbortSignal): Promise<void> {
  const { key, path, type, sha256 } = file
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const hash = createHash('sha256')
    const read = async (from: number, bytes: number) => {
      const part = await readFully(handle, from, bytes)
      hash.update(part)
      return part
    }
    const partBytes = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS))
    const check = () => {
      if (sha256 !== undefined && hash.digest('hex') !== sha256)
        throw new DamagedSnapshot(`${key.slice(key.lastIndexOf('/') + 1)} is not as it was sealed`)
    }
    if (size <= partBytes) {
      const content = await read(0, size)
      check()
      return await bucket.put(key, content, signal, type)
    }
    await inParts(bucket, file, signal, async function* () {
      for (let from = 0; from < size; from += partBytes) yield await read(from, Math.min(partBytes, size - from))
      check()
    })
  } finally {
    await handle.close()
  }
}

/** Uploads parts, which become the object when there are no more; when they end with a failure, nothing is stored. */
async function inParts(
  bucket: Bucket,
  { key, type }: Upload,
  signal: AbortSignal,
  read: () => AsyncIterable<Buffer>,
): Promise<void> {
  const created = { ...bucket.at(key), ...(type === undefined ? {} : { ContentType: type }) }
  const { UploadId, ...checksums } = await bucket.send(signal, async (client, options) => {
    const hasChecksums = (await client.config.requestChecksumCalculation?.()) === 'WHEN_SUPPORTED'
    const checksums = hasChecksums ? ({ ChecksumAlgorithm: 'CRC32' } as const) : {}
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...created, ...checksums }), options)
    return { UploadId, ...checksums }
  })
  const upload = { ...bucket.at(key), UploadId }
  try {
    const Parts: { PartNumber: number; ETag?: string; ChecksumCRC32?: string }[] = []
    for await (const Body of read()) {
      const PartNumber = Parts.length + 1
      const { ETag, ChecksumCRC32 } = await bucket.send(
        signal,
        (client, options) => client.send(new UploadPartCommand({ ...upload, ...checksums, PartNumber, Body }), options),
        true,
      )
      Parts.push({ PartNumber, ...(ETag ? { ETag } : {}), ...(ChecksumCRC32 ? { ChecksumCRC32 } : {}) })
    }
    const completed = { ...upload, MultipartUpload: { Parts } }
    await bucket.send(
      signal,
      (client, options) => client.send(new CompleteMultipartUploadCommand(completed), options),
      true,
    )
  } catch (cause) {
    await cancel(bucket, upload, workOfNobody().signal).catch(() => {}) // a sweep will
    throw cause
  }
}

function cancel(
  bucket: Bucket,
  upload: { Bucket: string; Key: string | undefined; UploadId: string | undefined },
  signal: AbortSignal,
): Promise<unknown> {
  return bucket.send(signal, (client, options) => client.send(new AbortMultipartUploadCommand(upload), options))
}

/** Cancels the uploads below `prefix` that were begun before a time and have not ended; at most 1,000 of them. */
export async function cancelUploads(
  bucket: Bucket,
  prefix: string,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  const { Bucket, Key: Prefix } = bucket.at(prefix)
  const { Uploads = [] } = await bucket.send(signal, (client, options) =>
    client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }), options),
  )
  for (const { Key, UploadId, Initiated } of Uploads)
    if (Initiated && Initiated.getTime() < before) await cancel(bucket, { Bucket, Key, UploadId }, signal)
}

async function readFully(file: FileHandle, from: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes)
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(buffer, at, bytes - at, from + at)
    if (bytesRead === 0) throw new Error('the file has become shorter while it was read')
    at += bytesRead
  }
  return buffer
}
