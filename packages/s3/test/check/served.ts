import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CopyObjectCommand, DeleteObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { openStore } from '../../../../server/dist/database/store.js'
import { createKey } from '../../../../server/dist/store/keys.js'
import { addUser } from '../../../../server/dist/store/users.js'
import { ask, scratchFolder, storeOf } from '../../../../test/server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../../../test/server/package.js'
import { call, type Flag, type Served, serveWith, stop } from '../../../../test/server/server.js'
import { BUCKET, Gateway } from './gateway.js'
import { FaultyStore } from './proxy.js'

const { early } = PROJECT_IDS
export const SQL = 'SELECT count(*) AS sites FROM sites'
export const PREFIX = 'service/one/'
/** Set anew for each command, since the process that runs them keeps variables. */
const DEFAULTS = { FOLDGATE_DATA: 'foldgate-data' }
const SHARED = `s3://${BUCKET}/${PREFIX}`

/**
 * A server whose snapshots and exports are in a bucket, behind a proxy that can let the store fail. With `more`, the
 * server of S3 has this port, and the other server these variables.
 */
export function servedFromBucket(more?: () => { port: number; variables: Record<string, string> }) {
  const scratch = scratchFolder()
  let gateway: Gateway
  let proxy: FaultyStore
  let s3: S3Client
  let server: Served
  let key: string
  let tables: string
  let environment: Record<string, string>

  before(async function () {
    this.timeout(450_000)
    const opened = await Gateway.open('servers on S3', more?.().port)
    if (!opened) return this.skip()
    gateway = opened
    s3 = gateway.client()
    proxy = await FaultyStore.before(gateway.url)
    environment = { ...gateway.environment(proxy.url), FOLDGATE_SHARED: SHARED, ...more?.().variables }
    await writePackage(join(scratch.path, 'package'))
    tables = join(scratch.path, 'tables')
    await writeTables(tables)
    await command('import', join(scratch.path, 'package'))
    const { FOLDGATE_STORE } = await storeOf(scratch.path, [])
    const store = await openStore(FOLDGATE_STORE ?? join(scratch.path, 'foldgate-data/control.db'))
    const organizations = ['north', 'south']
    await addUser(store, { email: 'ada@example.org', organizations })
    key = (await createKey(store, { user: 'ada@example.org', organizations })).key
    await store.close()
    server = await start()
  })
  after(async () => {
    if (server?.child.exitCode === null) await stop(server.child)
    await proxy?.close()
    await gateway?.close()
  })

  const start = (...flags: Flag[]) => serveWith(environment, scratch.path, ...flags)
  const commandWith = async (more: object, ...args: string[]) => {
    const { status, stdout, stderr } = await ask(scratch.path, args, { ...environment, ...DEFAULTS, ...more })
    assert.equal(status, 0, stderr)
    return stdout.trimEnd()
  }
  const command = (...args: string[]) => commandWith({ FOLDGATE_SHARED: SHARED }, ...args)
  async function refusal(more: object, ...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await ask(scratch.path, args, { ...environment, ...DEFAULTS, ...more })
    assert.deepEqual([status, stdout], [1, ''], stderr)
    assert.match(stderr, /^error: [^\n]+(\n {2}[^\n]+)*\n$/)
    return stderr
  }
  const query = async (projectId: string, sql = SQL) => {
    const { items, class: failure } = await call(server.url, key, 'query', { projectId, sql })
    return failure ?? items[0]?.sites
  }
  const ready = async () => {
    const response = await fetch(`${server.url}/ready`)
    return [response.status, await response.json()]
  }
  /** The dependencies that are down, of a server that is ready all the same. */
  const down = async () => {
    const response = await fetch(`${server.url}/ready?details`)
    const { status, down } = (await response.json()) as { status: string; down: unknown }
    assert.deepEqual([response.status, status], [200, 'ready'])
    return down
  }
  const seal = async () => {
    const assessment = await command('assessment', 'start', early)
    const id = await command('snapshot', 'seal', assessment, tables)
    await command('assessment', 'complete', assessment)
    return id
  }
  /** Gives the site another key, so that the next seal has a file that no snapshot has. */
  async function change(): Promise<void> {
    const path = join(tables, 'sites.csv')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/^[^,]+,plant,/m, `${randomUUID()},plant,`))
  }
  async function keys(part = '', prefix = PREFIX): Promise<string[]> {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix + part }))
    return Contents.map(({ Key = '' }) => Key.slice(prefix.length))
  }
  const move = async (from: string, to: string) => {
    const CopySource = `${BUCKET}/${PREFIX}${from}`
    await s3.send(new CopyObjectCommand({ Bucket: BUCKET, Key: PREFIX + to, CopySource }))
    await s3.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: PREFIX + from }))
  }
  const copiesFolder = () => join(scratch.path, 'foldgate-data/copies')
  /** The names of the files in the folder of copies. */
  async function copies(): Promise<string[]> {
    await mkdir(copiesFolder(), { recursive: true })
    const entries = await readdir(copiesFolder(), { recursive: true, withFileTypes: true })
    return entries.flatMap(entry => (entry.isFile() ? [entry.name] : [])).sort()
  }

  return {
    scratch,
    get proxy() {
      return proxy
    },
    get gateway() {
      return gateway
    },
    get s3() {
      return s3
    },
    get key() {
      return key
    },
    get tables() {
      return tables
    },
    get environment() {
      return environment
    },
    get server() {
      return server
    },
    set server(started: Served) {
      server = started
    },
    start,
    command,
    commandWith,
    refusal,
    query,
    ready,
    down,
    seal,
    change,
    keys,
    move,
    copies,
    copiesFolder,
  }
}
