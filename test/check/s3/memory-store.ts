import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { type S3Snapshots, s3Snapshots } from 'foldgate/s3'

/** A sealed snapshot in a {@link MemoryStore}; the last part of its id is the one of its files. */
export interface InMemory {
  projectId: string
  snapshotId: string
}

/** A store of S3 in memory, which reads: it has the snapshots that were put, and remembers the requests. */
export class MemoryStore {
  readonly objects = new Map<string, Buffer>()
  /** As `GET key` and `LIST prefix`. */
  requests: string[] = []
  /** Runs before a request is answered. */
  before: (request: string) => unknown = () => {}
  /** Most objects that were being read at once. */
  mostReading = 0
  #reading = 0

  client(): S3Client {
    return { send: (command: unknown) => this.#answer(command) } as unknown as S3Client
  }

  /** Snapshots that are copied to a folder. */
  open(folder: string, bytes: number): S3Snapshots {
    return s3Snapshots({ client: this.client(), bucket: 'analytics', cache: { folder, bytes } })
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

  async #answer(command: unknown): Promise<object> {
    if (command instanceof ListObjectsV2Command) {
      const { Prefix = '' } = command.input
      this.requests.push(`LIST ${Prefix}`)
      const found = [...this.objects].filter(([key]) => key.startsWith(Prefix))
      return { Contents: found.map(([Key, { length: Size }]) => ({ Key, Size, LastModified: new Date(0) })) }
    }
    if (!(command instanceof GetObjectCommand)) throw new Error('this store only reads')
    const { Key = '' } = command.input
    this.requests.push(`GET ${Key}`)
    this.#reading += 1
    this.mostReading = Math.max(this.mostReading, this.#reading)
    try {
      await this.before(`GET ${Key}`)
      await setImmediate()
    } finally {
      this.#reading -= 1
    }
    const content = this.objects.get(Key)
    if (!content) throw Object.assign(new Error('no such key'), { $metadata: { httpStatusCode: 404 } })
    return { Body: Readable.from(piecesOf(content)) }
  }
}

function newPlace(): InMemory {
  return { projectId: randomUUID(), snapshotId: `000001-${randomUUID()}` }
}

function piecesOf(content: Buffer): Buffer[] {
  const half = Math.ceil(content.length / 2)
  return [content.subarray(0, half), content.subarray(half)]
}
