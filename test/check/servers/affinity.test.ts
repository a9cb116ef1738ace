import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import { openStore } from '#server/database/store.js'
import { createKey } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { until } from '../../until.js'
import { PROXIES } from './proxies/proxies.js'
import { type RunningProxy, send } from './proxies/proxy.js'

const NAMES = ['one', 'two', 'three']
/** Keys without a tag: half of them like those of servers before 0.2. */
const UNTAGGED = Array.from({ length: 60 }, (_, at) =>
  at % 2 === 0 ? `secret-key-${at}` : `fg_${randomBytes(32).toString('base64url')}`,
)
const ORGANIZATIONS = Array.from({ length: 60 }, (_, at) => `organization-${at}`)
const OWNERS = ['ada@example.org', 'bob@example.org']
const QUERY = '/public/v1/api/projects/query'
const scratch = scratchFolder()

let made: Promise<string[][]> | undefined
/** The keys of each organization: one for each owner. */
async function makeKeys(): Promise<string[][]> {
  const store = await openStore(join(scratch.path, 'control.db'))
  try {
    for (const key of ORGANIZATIONS) await addOrganization(store, { key, name: key })
    for (const email of OWNERS) await addUser(store, { email, organizations: ORGANIZATIONS })
    const keys: string[][] = []
    for (const name of ORGANIZATIONS) {
      const own = OWNERS.map(user => createKey(store, { user, organizations: [name] }))
      keys.push((await Promise.all(own)).map(({ key }) => key))
    }
    return keys
  } finally {
    await store.close()
  }
}

/** A server in the place of Foldgate that answers its own name, and keeps the calls of a caller `X-Hold` open. */
class Named {
  readonly held: (() => void)[] = []
  readonly server: Server

  constructor(readonly name: string) {
    this.server = createServer((request, response) => {
      if (request.headers['x-hold']) this.held.push(() => response.end(name))
      else request.resume().on('end', () => response.end(name))
    })
    // Refuses the handshake, with its name: which server gets it is all that matters here.
    this.server.on('upgrade', (_, socket) => {
      socket
        .on('error', () => {})
        .end(`HTTP/1.1 401 Unauthorized\r\nX-Name: ${name}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    })
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(port, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }
}

for (const [name, start] of Object.entries(PROXIES))
  describe(`keys behind ${name}`, () => {
    let servers: Named[]
    let proxy: RunningProxy
    let organizations: string[][]
    let homes: Map<string, string>
    const homesNow = () => homesOf(proxy, [...UNTAGGED, ...organizations.flat()])

    before(async function () {
      servers = NAMES.map(each => new Named(each))
      const folder = join(scratch.path, name)
      await mkdir(folder)
      const started = await start(folder, await Promise.all(servers.map(server => server.listen())))
      if (!started) console.log(`      left out: ${name} is not installed`)
      if (!started) return this.skip()
      proxy = started
      made ??= makeKeys()
      organizations = await made
      homes = await homesNow()
    })
    after(async () => {
      await proxy?.stop()
      for (const { server } of servers) server.close().closeAllConnections()
    })

    it('stay with one server each, and every server has some of them', async () => {
      for (let time = 0; time < 2; time++) assert.deepEqual(await homesNow(), homes)
      const firsts = organizations.map(([first = '']) => first)
      for (const each of NAMES)
        for (const keys of [UNTAGGED, firsts]) {
          const share = keys.filter(key => homes.get(key) === each).length
          assert.ok(share > keys.length / 8, `${each} has ${share} of ${keys.length} keys`)
        }
    })

    it('stay with the server of the other keys of their organization, however they are sent', async () => {
      for (const keys of organizations) {
        const [home, ...others] = keys.map(key => homes.get(key))
        assert.deepEqual(others, [home])
      }
      const [[key = ''] = []] = organizations
      for (const claimed of NAMES) {
        const headers = { Authorization: `bearer  ${key}`, 'X-Foldgate-Caller': claimed }
        assert.equal(await text(await send(proxy, QUERY, { headers })), homes.get(key))
      }
    })

    it('bring WebSockets to the server that has their calls', async () => {
      for (const [key, home] of homes) {
        const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/public/v1/ws`, {
          headers: { Authorization: `Bearer ${key}` },
          ...(proxy.ca === undefined ? {} : { ca: proxy.ca }),
        })
        const [, answer] = await once(socket, 'unexpected-response')
        assert.equal(answer.headers['x-name'], home)
      }
    })

    it('are not needed: calls without one reach every server, and so do downloads with one', async () => {
      const without = await Promise.all(UNTAGGED.map(async () => text(await send(proxy, '/public/v1/openapi.json'))))
      const headers = { Authorization: `Bearer ${organizations[0]?.[0]}` }
      const downloads = UNTAGGED.map(async () => text(await send(proxy, '/public/v1/exports/file', { headers })))
      for (const answers of [without, await Promise.all(downloads)])
        assert.deepEqual([...new Set(answers)].sort(), [...NAMES].sort())
    })

    it('of a server that dies move to both others, no other key moves, and all return with it', async () => {
      const [dead] = servers
      assert.ok(dead)
      const { port } = dead.server.address() as AddressInfo
      await new Promise(resolve => {
        dead.server.close(resolve)
        dead.server.closeAllConnections()
      })
      const moved = await homesNow()
      const heirs = new Set<string | undefined>()
      for (const [key, home] of homes)
        if (home === dead.name) heirs.add(moved.get(key))
        else assert.equal(moved.get(key), home, key)
      assert.deepEqual([...heirs].sort(), ['three', 'two'])

      await dead.listen(port)
      await until(async () => {
        const now = await homesNow()
        return [...homes].every(([key, home]) => now.get(key) === home)
      }, 'a return of all keys')
    })

    it('are in no log, also when a call fails', async () => {
      for (const key of [UNTAGGED[0] ?? '', organizations[0]?.[0] ?? '']) {
        const headers = { Authorization: `Bearer ${key}`, 'X-Hold': '1' }
        const sent = send(proxy, QUERY, { method: 'POST', headers, body: '{}' })
        const home = servers.find(server => server.name === homes.get(key))
        await until(() => home?.held.length === 1, 'a call')
        home?.server.closeAllConnections()
        assert.equal((await sent).resume().statusCode, 503)
        home?.held.splice(0)
      }
      const log = await until(async () => (await proxy.log()) || undefined, 'a log')
      assert.ok([...homes.keys()].every(key => !log.includes(key)))
    })
  })

/** The server that answers each key, one after the other: many calls at once could exceed the limit of a server. */
async function homesOf(proxy: RunningProxy, keys: readonly string[]): Promise<Map<string, string>> {
  const homes = new Map<string, string>()
  for (const key of keys) {
    const answer = await send(proxy, QUERY, { headers: { Authorization: `Bearer ${key}` } })
    homes.set(key, await text(answer))
  }
  return homes
}

describe('one key with more calls than its server should have', () => {
  it('gets other servers too behind HAProxy, for all but six up to twice the average for each', async function () {
    const servers = NAMES.map(each => new Named(each))
    const folder = join(scratch.path, 'bounded')
    await mkdir(folder)
    const proxy = await PROXIES.HAProxy?.(folder, await Promise.all(servers.map(server => server.listen())))
    if (!proxy) console.log('      left out: HAProxy is not installed')
    if (!proxy) return this.skip()
    try {
      const calls: Promise<unknown>[] = []
      const held = () => servers.map(server => server.held.length)
      for (let count = 1; count <= 30; count++) {
        calls.push(send(proxy, QUERY, { headers: { Authorization: 'Bearer one', 'X-Hold': '1' } }))
        await until(() => held().reduce((sum, each) => sum + each) === count, `call ${count}`)
        if (count === 6) assert.equal(Math.max(...held()), 6)
      }
      const most = Math.max(...held())
      assert.ok(most <= 6 + (2 * 24) / 3, `${held()}`)
      assert.ok(most > 30 / 2, `${held()}`)
      for (const end of servers.flatMap(server => server.held)) end()
      await Promise.all(calls)
    } finally {
      await proxy.stop()
      for (const { server } of servers) server.close().closeAllConnections()
    }
  })
})
