import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { build } from '../../../../test/check/programs.js'
import { freePort } from '../../../../test/server/server.js'
import { until } from '../../../../test/until.js'

/** Its credentials. */
export const KEY = { accessKeyId: 'gateway', secretAccessKey: 'a secret of the gateway' }
export const REGION = 'us-east-1'
export const BUCKET = 'foldgate'

/** A server of S3 with one bucket, which stores its objects in a folder. */
export class Gateway {
  readonly url: string
  readonly #program: string
  readonly #folder: string
  readonly #clients: S3Client[] = []
  #child: ChildProcess | null = null
  /** With another one, the server refuses the requests of its clients once it has started again. */
  secret = KEY.secretAccessKey

  private constructor(program: string, folder: string, port: number) {
    this.url = `http://127.0.0.1:${port}`
    this.#program = program
    this.#folder = folder
  }

  /** Starts a server, by default at any port; null, said in one line, where its program cannot be had. */
  static async open(what: string, port?: number): Promise<Gateway | null> {
    const source = fileURLToPath(new URL('versitygw', import.meta.url))
    const built = await build({ source, fetch: [['sh', 'install.sh']], start: ['./versitygw'] })
    if (!built) console.log(`Left out: ${what}, as the server of S3 cannot be had.`)
    if (!built) return null
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-s3-'))
    for (const name of ['objects', 'metadata']) await mkdir(join(folder, name))
    const gateway = new Gateway(join(built.folder, 'versitygw'), folder, port ?? (await freePort()))
    await gateway.start()
    await gateway.client().send(new CreateBucketCommand({ Bucket: BUCKET }))
    return gateway
  }

  /** A client of this server, or of a proxy in front of it. */
  client(config: S3ClientConfig = {}): S3Client {
    const endpoint = this.url
    const client = new S3Client({ endpoint, region: REGION, credentials: KEY, forcePathStyle: true, ...config })
    this.#clients.push(client)
    return client
  }

  /** The variables with which a process reaches the server at this URL, as any program with the AWS client does. */
  environment(url = this.url): Record<string, string> {
    return {
      AWS_ENDPOINT_URL_S3: url,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey,
    }
  }

  async start(): Promise<void> {
    const { hostname, port } = new URL(this.url)
    const [objects, metadata] = [join(this.#folder, 'objects'), join(this.#folder, 'metadata')]
    const keys = ['--access', KEY.accessKeyId, '--secret', this.secret, '--region', REGION]
    const args = ['--port', `${hostname}:${port}`, ...keys, '--quiet', 'posix', '--sidecar', metadata, objects]
    this.#child = spawn(this.#program, args, { stdio: 'ignore' })
    await until(() => isListening(hostname, Number(port)), 'the server of S3 listens')
  }

  /** Kills the server; its objects stay. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  /** Lets time pass: all objects become so much older. */
  async age(ms: number): Promise<void> {
    const entries = await readdir(join(this.#folder, 'objects'), { recursive: true, withFileTypes: true })
    for (const entry of entries.filter(each => each.isFile())) {
      const path = join(entry.parentPath, entry.name)
      const then = new Date((await stat(path)).mtimeMs - ms)
      await utimes(path, then, then)
    }
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy()
    await this.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, host)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
