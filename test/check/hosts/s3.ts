import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'

interface Server {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

/** A local server of S3, with a bucket. */
export interface Storage {
  s3: S3Client
  bucket: string
  /** Ends the server; what was stored is gone. */
  close(): Promise<void>
}

/** It takes signatures of lists for wrong ones; who signs them is not what is tested. */
const LENIENT = { allowMismatchedSignatures: true }
/** What is given up is told there otherwise. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Starts a server of S3 that keeps its objects in a folder; null where none is installed. */
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
    requestChecksumCalculation: 'WHEN_REQUIRED', // the server knows no trailers
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
