import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

/** A sealed snapshot in a {@link MemoryStore}; the last part of its id is the one of its files. */
export interface InMemory {
  projectId: string
  snapshotId: string
}

/** A store of S3 in memory, which remembers the requests. Each takes effect at one moment. */
export class MemoryStore {
  readonly objects = new Map<string, Buffer>()
  /** When objects were written, epoch milliseconds; 0 for those that were put here. */
  readonly writtenAt = new Map<string, number>()
  /** As `GET key` and `LIST prefix`. */
  requests: string[] = []
  /** Runs before a request takes effect. `who` names the client. */
  before: (request: string, who: string) => unknown = () => {}
  /** Most objects that were being read at once. */
  mostReading = 0
  #reading = 0

  client(who = ''): S3Client {
    const config = { endpoint: async () => ({ protocol: 'http:', hostname: 'memory' }) } // for uploads
    return { config, send: (command: unknown) => this.#answer(command, who) } as unknown as S3Client
  }

  /** Snapshots that are copied to a folder. */
  open(folder: string, bytes: number, who?: string): S3Snapshots {
    return s3Snapshots({ client: this.client(who), bucket: 'analytics', cache: { folder, bytes } })
  }

  /** The keys that begin with this, in order. */
  keys(prefix: string): string[] {
    return [...this.objects.keys()].filter(key => key.startsWith(prefix)).sort()
  }

  /** Puts a snapshot whose tables have files of these sizes, in bytes. */
  put(tables: Record<string, number>, { projectId, snapshotId }: InMemory = newPlace(), more: object = {}): InMemory {
    const put = (file: string, bytes: number) => {
      const content = Buffer.alloc(bytes, `${file} of ${snapshotId} `)
      this.objects.set(`files/${projectId}/${snapshotId.slice(7)}/${file}`, content)
      return { file, sha256: createHash('sha256').update(content).digest('hex') }
    }
    const manifest = {
      formatVersion: 1,
      snapshotId,
      projectId,
      sealedAt: '2026-01-01T00:00:00Z',
      rootId: projectId,
      entities: { ...put('entities.bin', 16), count: 1 },
      tables: Object.entries(tables).map(([name, bytes]) => ({
        ...put(`${name}.parquet`, bytes),
        ...{ name, rows: 1, columns: [] },
      })),
      ...more,
    }
    this.objects.set(`manifests/${projectId}/${snapshotId}.json`, Buffer.from(JSON.stringify(manifest)))
    return { projectId, snapshotId }
  }

  /** Puts the files of a sealed snapshot. */
  async load(folder: string, { projectId, snapshotId }: InMemory): Promise<void> {
    for (const name of await readdir(folder)) {
      const content = await readFile(join(folder, name))
      const key = `files/${projectId}/${snapshotId.slice(7)}/${name}`
      this.objects.set(name === 'manifest.json' ? `manifests/${projectId}/${snapshotId}.json` : key, content)
    }
  }

  /** The last parts of the keys that were read since this was last called, sorted, and `LIST` for each listing. */
  asked(): string[] {
    const asked = this.requests.map(request =>
      request.startsWith('LIST') ? 'LIST' : request.slice(request.lastIndexOf('/') + 1),
    )
    this.requests = []
    return asked.sort()
  }

  async #answer(command: unknown, who: string): Promise<object> {
    const [request, name = ''] = requestOf(command)
    this.requests.push(`${request} ${name}`)
    const isReading = request === 'GET'
    if (isReading) this.#reading += 1
    this.mostReading = Math.max(this.mostReading, this.#reading)
    try {
      await this.before(`${request} ${name}`, who)
      if (isReading) await setImmediate()
    } finally {
      if (isReading) this.#reading -= 1
    }
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

function newPlace(): InMemory {
  return { projectId: randomUUID(), snapshotId: `000001-${randomUUID()}` }
}

function piecesOf(content: Buffer): Buffer[] {
  const half = Math.ceil(content.length / 2)
  return [content.subarray(0, half), content.subarray(half)]
}
