import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { s3Snapshots } from 'foldgate-s3'
import type { S3Snapshots } from '#s3/snapshots.js'

/** A store of S3 in memory, which remembers the requests. Each takes effect at one moment. */
export class MemoryStore {
  readonly objects = new Map<string, Buffer>()
  /** When objects were written, epoch milliseconds. */
  readonly writtenAt = new Map<string, number>()
  /** As `GET key` and `LIST prefix`. */
  requests: string[] = []

  /** Snapshots that are copied to a folder. */
  open(folder: string): S3Snapshots {
    const config = { endpoint: async () => ({ protocol: 'http:', hostname: 'memory' }) } // for uploads
    const client = { config, send: (command: unknown) => this.#answer(command) } as unknown as S3Client
    return s3Snapshots({ client, bucket: 'analytics', cache: { folder, bytes: 1e9 } })
  }

  /** The keys that begin with this, in order. */
  keys(prefix: string): string[] {
    return [...this.objects.keys()].filter(key => key.startsWith(prefix)).sort()
  }

  /** The last parts of the keys that were read since this was last called, sorted, and `LIST` for each listing. */
  asked(): string[] {
    const asked = this.requests.map(request =>
      request.startsWith('LIST') ? 'LIST' : request.slice(request.lastIndexOf('/') + 1),
    )
    this.requests = []
    return asked.sort()
  }

  async #answer(command: unknown): Promise<object> {
    const [request, name = ''] = requestOf(command)
    this.requests.push(`${request} ${name}`)
    await setImmediate()
    if (command instanceof ListMultipartUploadsCommand) return {}
    if (command instanceof ListObjectsV2Command) return { Contents: this.keys(name).map(key => this.#listed(key)) }
    if (command instanceof DeleteObjectCommand) {
      this.objects.delete(name)
      return {}
    }
    if (command instanceof PutObjectCommand) {
      if (command.input.IfNoneMatch !== undefined && this.objects.has(name)) throw failed(412)
      this.objects.set(name, Buffer.from(command.input.Body as Buffer | string))
      this.writtenAt.set(name, Date.now())
      return {}
    }
    const content = this.objects.get(name)
    if (!content) throw failed(404)
    const { Size: ContentLength, LastModified } = this.#listed(name)
    return request === 'HEAD' ? { ContentLength, LastModified } : { Body: Readable.from(piecesOf(content)) }
  }

  #listed(Key: string): { Key: string; Size: number; LastModified: Date } {
    const LastModified = new Date(this.writtenAt.get(Key) ?? 0)
    return { Key, Size: this.objects.get(Key)?.length ?? 0, LastModified }
  }
}

function requestOf(command: unknown): [request: string, key: string | undefined] {
  if (command instanceof ListObjectsV2Command) return ['LIST', command.input.Prefix]
  if (command instanceof ListMultipartUploadsCommand) return ['UPLOADS', command.input.Prefix]
  if (command instanceof GetObjectCommand) return ['GET', command.input.Key]
  if (command instanceof HeadObjectCommand) return ['HEAD', command.input.Key]
  if (command instanceof PutObjectCommand) return ['PUT', command.input.Key]
  if (command instanceof DeleteObjectCommand) return ['DELETE', command.input.Key]
  throw new Error('the store knows no such request')
}

function failed(httpStatusCode: number): Error {
  return Object.assign(new Error(`answered ${httpStatusCode}`), { $metadata: { httpStatusCode } })
}

function piecesOf(content: Buffer): Buffer[] {
  const half = Math.ceil(content.length / 2)
  return [content.subarray(0, half), content.subarray(half)]
}
