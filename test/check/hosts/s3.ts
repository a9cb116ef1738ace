import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'

interface Server {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

/** A local S3 server with one bucket. */
export interface Storage {
  s3: S3Client
  bucket: string
  /** Stops the server and removes its objects. */
  close(): Promise<void>
}

/** The server rejects valid signatures of list requests; these tests do not check signatures. */
const LENIENT = { allowMismatchedSignatures: true }
/** Otherwise the client logs failed requests. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Starts an S3 server that stores its objects in a folder; null if none is installed. */
export async function startStorage(): Promise<Storage | null> {
  const program = '@20minutes/s3rver'
  const found = (await import(program).catch(() => null)) as {
    default: new (options: object) => Server
  } | null
  if (!found) return null
  const bucket = 'foldgate'
  const directory = await mkdtemp(join(tmpdir(), 'foldgate-s3-'))
  const configureBuckets = [{ name: bucket }]
  const server = new found.default({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets,
    ...LENIENT,
  })
  const { port } = await server.run()
  const s3 = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'local',
    forcePathStyle: true,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    requestChecksumCalculation: 'WHEN_REQUIRED', // the server does not support trailers
    maxAttempts: 1,
    logger: SILENT,
  })
  return {
    s3,
    bucket,
    async close() {
      s3.destroy()
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
