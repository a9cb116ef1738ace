import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnalyticsApi } from 'foldgate'
import { WebSocket } from 'ws'
import { sealTables } from '../../../examples/seal.js'
import type { Host } from '../../service/mount.js'
import { EXAMPLES } from './hosts.js'

const PROJECT = 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10'
const SQL = 'SELECT city, km FROM city_trips'
const headers = { authorization: 'Bearer a-key', 'content-type': 'application/json' }

describe('the example hosts', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-example-'))
    const source = join(folder, 'tables')
    await mkdir(source)
    await writeFile(join(source, 'cars.csv'), 'car_id,city\n1,Lima\n')
    await writeFile(join(source, 'trips.csv'), 'trip_id,car_id,km\n1,1,12\n2,1,4\n')
    await sealTables(folder, PROJECT, source)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const [name, { createApi, mount }] of Object.entries(EXAMPLES))
    describe(name, () => {
      let server: Server
      let url: string
      let api: AnalyticsApi
      let host: Host
      before(async () => {
        server = createServer().listen(0, '127.0.0.1')
        await once(server, 'listening')
        url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const secret = 'a secret of the examples, long enough'
        api = createApi({ baseUrl: url + mount.prefix, folder, secret, key: 'a-key' })
        host = await mount.host(api)
        server.on('request', host.request)
        if (host.upgrade) server.on('upgrade', host.upgrade)
      })
      after(async () => {
        await host.close?.()
        await api.close()
        server.closeAllConnections()
        server.close()
      })
      const post = (path: string, body: string, more: Record<string, string> = headers) =>
        fetch(url + path, { method: 'POST', headers: more, body })

      it('answers a query over its own tables under its prefix', async () => {
        const path = '/analytics/public/v1/api/projects'
        const list = await (await post(`${path}/list`, '{}')).json()
        assert.deepEqual(list, {
          result: { items: [{ projectId: PROJECT, name: 'Ours', organization: 'us', state: 'computed' }] },
        })
        const body = JSON.stringify({ projectId: PROJECT, sql: SQL })
        assert.deepEqual(await (await post(`${path}/query`, body)).json(), {
          result: { items: [{ city: 'Lima', km: 16 }] },
        })
        assert.equal((await post(`${path}/query`, body, { authorization: 'Bearer other' })).status, 401)
        assert.equal((await post(`${path}/query`, '{"broken')).status, 400)
      })

      if (['express.ts', 'fastify.ts', 'koa.ts', 'nest.ts'].includes(name))
        it('leaves the body parser to the routes of the host', async () => {
          const answer = await post('/notes', '{"note":1}')
          assert.deepEqual(await answer.json(), { note: 1 })
        })

      if (['node-http.ts', 'fetch.ts'].includes(name))
        it('leaves other paths to the host', async () => {
          for (const path of ['/', '/public/v1/api/projects/list'])
            assert.equal(await (await fetch(url + path)).text(), 'the host itself')
        })

      if (name === 'websocket.ts')
        it('serves its own sockets next to those of the API, and refuses others', async () => {
          const at = (path: string) => new WebSocket(url.replace('http', 'ws') + path, { headers })
          const ask = async (socket: WebSocket, text: string) => {
            await once(socket, 'open')
            socket.send(text)
            const [answer] = await once(socket, 'message')
            socket.terminate()
            return String(answer)
          }
          assert.equal(await ask(at('/echo'), 'hello'), 'hello')
          const params = { projectId: PROJECT, sql: SQL }
          const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/query', params })
          const answer = await ask(at('/analytics/public/v1/ws'), call)
          assert.deepEqual(JSON.parse(answer).result, { items: [{ city: 'Lima', km: 16 }] })
          const [refused] = await once(at('/public/v1/ws'), 'error')
          assert.match(String(refused), /socket hang up|ECONNRESET/)
        })
    })
})
