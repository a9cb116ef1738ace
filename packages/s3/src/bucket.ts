import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import {
  inParallel,
  type ObjectStore,
  SingleFlight,
  type StorableFile,
  type StoredObject,
  waitForWork,
  workOfNobody,
} from 'foldgate/internal'
import { Requests, type Send, type Sent, statusOf } from './requests.js'
import { upload } from './upload.js'

/** Where objects are, and how to reach them. */
export interface BucketOptions {
  /**
   * The client, with its region, credentials and retries; the host destroys it. The default of three attempts
   * suits: the more attempts, the longer it takes until calls fail when the store is down. Requests that the store
   * throttles (429 or 503), or whose connection breaks, are repeated beyond these, for three times `timeoutMs` or until
   * the call that waits for them ends.
   */
  client: S3Client
  /** Name of the bucket, which must exist. */
  bucket: string
  /**
   * Precedes every key, with a slash at its end unless it is empty; only Foldgate may write below it.
   * Default: none.
   */
  prefix?: string
  /**
   * How long the store may take to answer a request, with all attempts of the client, or to send more of a file, in
   * milliseconds; six times as long for a part of a file that is uploaded. Default: 10,000 (10 s).
   */
  timeoutMs?: number
}

/** Names of {@link BucketOptions}. */
export const BUCKET_OPTIONS = { client: true, bucket: true, prefix: true, timeoutMs: true }

const TIMEOUT_MS = 10_000
const CONFLICTS = 5

/** A bucket, or the part of one below a prefix, as a store of objects. Every request ends in time. */
export class Bucket implements ObjectStore {
  readonly #client: S3Client
  readonly #Bucket: string
  readonly #prefix: string
  readonly #timeoutMs: number
  readonly #requests: Requests
  readonly #trying = new SingleFlight<void>()
  #isConditional = false

  constructor({ client, bucket, prefix = '', timeoutMs = TIMEOUT_MS }: BucketOptions) {
    if (!(timeoutMs > 0)) throw new TypeError(`timeoutMs must be above 0, not ${timeoutMs}`)
    if (prefix !== '' && !prefix.endsWith('/')) throw new TypeError('a prefix must end with a slash')
    this.#client = client
    this.#Bucket = bucket
    this.#prefix = prefix
    this.#timeoutMs = timeoutMs
    this.#requests = new Requests(client, timeoutMs)
  }

  /** The configuration of the client, for code that makes requests itself. */
  get config(): S3Client['config'] {
    return this.#client.config
  }

  async get(key: string, signal: AbortSignal): Promise<AsyncGenerator<Buffer, void> | null> {
    const found = await this.send(signal, { request: 'GetObject', key }, (client, options) =>
      client.send(new GetObjectCommand(this.at(key)), options),
    ).catch(ifMissing)
    if (!found) return null
    const body = found.Body as Readable
    const leave = () => void body.destroy() // also when nobody has begun to read the body
    signal.addEventListener('abort', leave)
    body.once('close', () => signal.removeEventListener('abort', leave)).on('error', () => {})
    return this.#chunks(body, signal)
  }

  async stat(key: string, signal: AbortSignal): Promise<Omit<StoredObject, 'key'> | null> {
    const found = await this.send(signal, { request: 'HeadObject', key }, (client, options) =>
      client.send(new HeadObjectCommand(this.at(key)), options),
    ).catch(ifMissing)
    if (found) return { bytes: found.ContentLength ?? 0, modifiedAt: found.LastModified?.getTime() ?? 0 }
    // The answer to HEAD does not tell a missing object from a missing bucket.
    for await (const _ of (await this.get(key, signal)) ?? []) break
    return null
  }

  async put(key: string, what: string | StorableFile, signal: AbortSignal): Promise<boolean> {
    if (typeof what !== 'string') {
      await upload(this, { key, ...what }, signal)
      return true
    }
    if (!this.#isConditional) await this.#trying.join('', { signal }, () => this.#mustBeConditional())
    return this.#putText(key, what, signal)
  }

  /** Throws when the store writes an object that is there. The callers share this, and any of them may leave. */
  async #mustBeConditional(): Promise<void> {
    const { signal } = workOfNobody()
    const key = `clock/${randomUUID()}` // where a sweep removes it if this process is killed
    await this.#putText(key, '', signal)
    const isWritten = await this.#putText(key, '\n', signal)
    await this.delete([key], signal)
    if (isWritten)
      throw new Error('the store ignores If-None-Match, so snapshots could be lost: use another one')
    this.#isConditional = true
  }

  async #putText(key: string, body: string, signal: AbortSignal): Promise<boolean> {
    const ContentLength = Buffer.byteLength(body) // of an empty text, the client would send none, and warn
    const given = { ...this.at(key), Body: body, ContentLength, IfNoneMatch: '*' }
    for (let attempt = 1; ; attempt++) {
      try {
        await this.send(signal, { request: 'PutObject', key }, (client, options) =>
          client.send(new PutObjectCommand(given), options),
        )
        return true
      } catch (cause) {
        if (statusOf(cause) === 412) return false
        // Two requests for one key collided, and the store has accepted neither.
        if (statusOf(cause) !== 409 || attempt === CONFLICTS) throw cause
      }
    }
  }

  async *list(prefix: string, signal: AbortSignal, after?: string): AsyncGenerator<StoredObject[], void> {
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const start = isFirst && after !== undefined ? { StartAfter: this.#prefix + after } : {}
      const asked = {
        Bucket: this.#Bucket,
        Prefix: this.#prefix + prefix,
        ContinuationToken: token,
        ...start,
      }
      const page = await this.send(signal, { request: 'ListObjectsV2', key: prefix }, (client, options) =>
        client.send(new ListObjectsV2Command(asked), options),
      )
      token = page.NextContinuationToken
      yield (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified }) => ({
        key: Key.slice(this.#prefix.length),
        bytes: Size,
        modifiedAt: LastModified?.getTime() ?? 0,
      }))
    }
  }

  async delete(keys: readonly string[], signal: AbortSignal): Promise<void> {
    await inParallel(keys, async key => {
      await this.send(signal, { request: 'DeleteObject', key }, (client, options) =>
        client.send(new DeleteObjectCommand(this.at(key)), options),
      )
    })
  }

  /** Sends a request as {@link Requests.send} does. */
  send<Answer>(signal: AbortSignal, sent: Sent, send: Send<Answer>): Promise<Answer> {
    return this.#requests.send(signal, sent, send)
  }

  /** Names an object in a request. */
  at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#Bucket, Key: this.#prefix + key }
  }

  /** The chunks of a body. While the reader takes its time, so may the store. */
  async *#chunks(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const chunks = body[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await waitForWork({ signal, ms: this.#timeoutMs }, chunks.next())
        if (done) return
        yield value as Buffer
      }
    } finally {
      body.destroy() // closes the connection unless the body was read to its end
    }
  }
}

/**
 * Rethrows unless an object is missing; a missing bucket is a failure, though HEAD does not tell it from an
 * object.
 */
function ifMissing(cause: unknown): null {
  const name = cause instanceof Error ? cause.name : ''
  if (statusOf(cause) === 404 && name !== 'NoSuchBucket') return null
  throw cause
}
