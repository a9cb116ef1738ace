import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Client } from '@aws-sdk/client-s3'
import { type Check, keyPortContract, projectPortContract } from 'foldgate-contracts'
import { openDatabase } from '../../../examples/s3/database.js'
import { createHost } from '../../../examples/s3-host.js'
import { BUCKET, Gateway } from '../../../packages/s3/test/check/gateway.js'

const newFolder = () => mkdtemp(join(tmpdir(), 'foldgate-host-'))

/** A function that closes what uses a folder, then removes the folder. */
const removing =
  (folder: string, close: () => unknown = () => {}) =>
  async () => {
    await close()
    await rm(folder, { recursive: true, force: true })
  }

async function databaseSubject() {
  const folder = await newFolder()
  const database = openDatabase(join(folder, 'host.db'))
  return { database, close: removing(folder, database.close) }
}

describe('the example of a host with a database and S3', () => {
  let gateway: Gateway
  let s3: S3Client
  before(async function () {
    const opened = await Gateway.open('the host with S3')
    if (!opened) return this.skip()
    gateway = opened
    s3 = gateway.client()
  })
  after(() => gateway?.close())

  const contracts: Record<string, Check[]> = {
    keys: keyPortContract(async () => {
      const { database, close } = await databaseSubject()
      for (const organization of ['north', 'south']) database.join('ada', organization)
      const { id, key } = database.createKey('ada')
      const caller = { keyId: id, ownerId: 'ada', organizations: ['north', 'south'] }
      return { port: database.keys, key, caller, revoke: () => database.revokeKey(id), close }
    }),
    projects: projectPortContract(async () => {
      const { database, close } = await databaseSubject()
      return {
        port: database.projects,
        add({ name, organization, completed, running }) {
          const state = completed ? (running ? 'running again' : 'completed') : running ? 'running' : 'new'
          return database.addProject({ name, organization, state })
        },
        close,
      }
    }),
  }
  for (const [name, checks] of Object.entries(contracts))
    describe(`fulfils the contract of ${name}`, () => {
      for (const { name, run } of checks) it(name, run)
    })

  describe('from its tables to an answer', () => {
    let folder: string
    let server: Server
    let host: ReturnType<typeof createHost>
    let url: string
    let projectId: string
    let key: string

    before(async () => {
      folder = await newFolder()
      server = createServer((request, response) => void host.server.emit('request', request, response))
      await once(server.listen(0, '127.0.0.1'), 'listening')
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      open()
      projectId = host.database.addProject({ name: 'Ours', organization: 'us' })
      host.database.join('ada', 'us')
      key = host.database.createKey('ada').key
    })
    after(async () => {
      await host.close()
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true })
    })

    function open() {
      const secret = 'a secret of the examples, long enough'
      host = createHost({ baseUrl: url, folder, secret, s3, bucket: BUCKET })
    }
    async function call(method: string, params: object) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ projectId, ...params })
      return fetch(`${url}/public/v1/api/projects/${method}`, { method: 'POST', headers, body })
    }
    const query = async () => (await (await call('query', { sql: 'SELECT city, km FROM city_trips' })).json()) as object

    async function refresh(km: number) {
      const source = await newFolder()
      await mkdir(source, { recursive: true })
      await writeFile(join(source, 'cars.csv'), 'car_id,city\n1,Lima\n')
      await writeFile(join(source, 'trips.csv'), `trip_id,car_id,km\n1,1,${km}\n`)
      await host.refresh(projectId, source).finally(() => rm(source, { recursive: true }))
    }

    it('reads nothing before the first snapshot, and then the latest one', async () => {
      assert.equal((await call('query', { sql: 'SELECT 1' })).status, 409)
      await refresh(40)
      assert.deepEqual(await query(), { result: { items: [{ city: 'Lima', km: 40 }] } })
      await refresh(50)
      assert.deepEqual(await query(), { result: { items: [{ city: 'Lima', km: 50 }] } })
    })

    it('serves an export from the bucket, and serves it again after a restart without caches', async () => {
      const answer = (await (await call('export', { sql: 'SELECT i FROM range(1000) t(i)' })).json()) as {
        result: { url: string; bytes: number }
      }
      const download = async () => {
        const response = await fetch(answer.result.url, { headers: { authorization: `Bearer ${key}` } })
        return Buffer.from(await response.arrayBuffer())
      }
      const file = await download()
      assert.equal(file.length, answer.result.bytes)
      assert.equal(file.subarray(-4).toString(), 'PAR1')
      await host.close()
      for (const cache of ['engine', 'copies']) await rm(join(folder, cache), { recursive: true })
      open()
      assert.deepEqual(await query(), { result: { items: [{ city: 'Lima', km: 50 }] } })
      assert.ok(file.equals(await download()))
    })

    it('is UNAVAILABLE without its storage', async () => {
      await gateway.stop()
      const answer = await call('query', { sql: 'SELECT 1' })
      assert.equal(answer.status, 503)
      assert.match(await answer.text(), /UNAVAILABLE/)
      await gateway.start()
      assert.equal((await call('query', { sql: 'SELECT 1' })).status, 200)
    })
  })
})
