import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'

/** An object in a listing. */
interface Listed {
  key: string
  modifiedAt: number
}

/** The bucket operations that the ports need. A missing object is null. */
export function openBucket(s3: S3Client, Bucket: string) {
  return {
    async put(Key: string, body: string | { path: string }, abortSignal?: AbortSignal): Promise<void> {
      const upload = async () => {
        if (typeof body === 'string') return { Body: body }
        const { size } = await stat(body.path) // first: for a missing file, the stream would emit an unhandled error
        return { Body: createReadStream(body.path), ContentLength: size }
      }
      await s3.send(new PutObjectCommand({ Bucket, Key, ...(await upload()) }), abortSignal ? { abortSignal } : {})
    },
    async head(Key: string, abortSignal: AbortSignal): Promise<{ bytes: number; modifiedAt: number } | null> {
      const found = await s3.send(new HeadObjectCommand({ Bucket, Key }), { abortSignal }).catch(ifMissing)
      return found && { bytes: found.ContentLength ?? 0, modifiedAt: found.LastModified?.getTime() ?? 0 }
    },
    async get(Key: string, abortSignal?: AbortSignal): Promise<Readable | null> {
      const options = abortSignal ? { abortSignal } : {}
      const found = await s3.send(new GetObjectCommand({ Bucket, Key }), options).catch(ifMissing)
      return (found?.Body as Readable | undefined) ?? null
    },
    async list(Prefix: string, abortSignal?: AbortSignal): Promise<Listed[]> {
      const found: Listed[] = []
      const pages = paginateListObjectsV2({ client: s3 }, { Bucket, Prefix }, { abortSignal })
      for await (const { Contents = [] } of pages)
        for (const { Key = '', LastModified } of Contents)
          found.push({ key: Key, modifiedAt: LastModified?.getTime() ?? 0 })
      return found
    },
    async remove(Key: string): Promise<void> {
      await s3.send(new DeleteObjectCommand({ Bucket, Key }))
    },
  }
}

/** What {@link openBucket} returns. */
export type Bucket = ReturnType<typeof openBucket>

function ifMissing(cause: unknown): null {
  if (cause instanceof S3ServiceException && cause.$metadata.httpStatusCode === 404) return null
  throw cause
}
