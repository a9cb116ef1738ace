import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from 'foldgate/client'
import { WebSocket } from 'ws'
import { forge, pairOf, seconds } from '../service/tokens.js'
import { output, scratchFolder } from './command.js'
import { limitedKiosk, writeCatalogue, writeKiosk } from './kiosk.js'
import { call, type Served, serve, stop } from './server.js'

const [BASE, ISSUER] = ['https://data.example', 'https://id.example/']
const MCP = '/public/v1/mcp'
const SQL = 'SELECT country, revenue, (SELECT count(*) FROM orders) AS orders FROM revenue ORDER BY country'
const KEN = [{ country: 'KEN', revenue: 30.5, orders: 1 }]
const PER = [{ country: 'PER', revenue: 12, orders: 2 }]

/** What a tool told an agent, as JSON. */
interface Told {
  result: { content: [{ text: string }] }
}

/** A WebSocket that takes subprotocols and no headers, as those of browsers. */
class BrowserWebSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    if (!Array.isArray(protocols)) throw new DOMException('no subprotocol', 'SyntaxError')
    super(url, protocols)
  }
}

describe('a server whose tokens have row limits as claims', () => {
  const scratch = scratchFolder()
  const provider = pairOf('of the provider', 'RS256')
  let server: Served
  let projectId: string
  before(async () => {
    const catalogue = await writeCatalogue(scratch.path, limitedKiosk())
    await writeKiosk(join(scratch.path, 'tables'))
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'The North')
    projectId = await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'A kiosk')
    await output(scratch.path, 'seal', projectId, 'tables', '--catalogue', catalogue)
    const file = join(scratch.path, 'tokens.json')
    const claims = { organization: 'tenant', rows: { country: 'countries' } }
    await writeFile(file, JSON.stringify({ issuer: ISSUER, keys: [provider.publicJwk], claims }))
    server = await serve(scratch.path, '--catalogue', catalogue, '--tokens', file, '--base-url', BASE)
  })
  after(async () => assert.equal(await stop(server.child), 0))

  const token = (more: object) => {
    const times = { iat: seconds(), exp: seconds(600_000) }
    const claims = { iss: ISSUER, aud: BASE, sub: 'ada', tenant: 'north', ...times, ...more }
    return forge(provider, claims, { typ: 'at+jwt' })
  }
  const overMcp = (key: string | null) =>
    fetch(server.url + MCP, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'projects_query', arguments: { projectId, sql: SQL } },
      }),
    })
  const overSocket = async (key: string) => {
    const client = createClient({ url: server.url, key, transport: { WebSocket: BrowserWebSocket }, retry: false })
    try {
      return (await client.query({ projectId, sql: SQL })).items
    } finally {
      client.close()
    }
  }

  it('shows each caller its own rows over REST, MCP and the WebSockets of browsers', async () => {
    for (const [countries, rows] of [
      ['KEN', KEN],
      [['PER'], PER],
      [['NOWHERE'], []],
    ] as const) {
      const key = token({ countries })
      assert.deepEqual((await call(server.url, key, 'query', { projectId, sql: SQL })).items, rows)
      assert.deepEqual(await overSocket(key), rows)
      const told = (await (await overMcp(token({ countries, aud: BASE + MCP }))).json()) as Told
      const listed = rows.map(({ country, revenue, orders }) => [country, revenue, orders])
      assert.deepEqual(JSON.parse(told.result.content[0].text).result.rows, listed)
    }
  })

  it('shows nothing when a claim that limits is missing or malformed, and logs which', async () => {
    const wrong: unknown[] = [undefined, null, [], [[]], [null], ['KEN', null], { KEN: true }, [['KEN']], 5, true]
    for (const countries of wrong) {
      const key = token({ countries })
      const { status, class: failure, items } = await call(server.url, key, 'query', { projectId, sql: SQL })
      assert.deepEqual([status, failure, items], [503, 'UNAVAILABLE', []], JSON.stringify(countries))
      assert.equal((await overMcp(key)).status, 503)
      await assert.rejects(overSocket(key), { class: 'UNAVAILABLE' })
    }
    assert.match(server.log(), /a token lacks the claim countries, which limits it/)
    assert.match(server.log(), /only\.rows\.country is wrong/)
  })

  it('refuses tokens that are for others, and says where to get one', async () => {
    for (const more of [
      { iss: 'https://other.example/' },
      { aud: 'https://other.example' },
      { aud: server.url },
      { tenant: undefined },
      { exp: seconds(-60_000) },
    ]) {
      const key = token({ countries: ['KEN'], ...more })
      for (const [answer, path] of [
        [await call(server.url, key, 'list'), ''],
        [await overMcp(key), MCP],
      ] as const) {
        assert.equal(answer.status, 401)
        assert.equal(
          answer.headers.get('www-authenticate'),
          `Bearer resource_metadata="${BASE}/.well-known/oauth-protected-resource${path}"`,
        )
      }
    }
    for (const path of ['', MCP]) {
      const metadata = await (await fetch(`${server.url}/.well-known/oauth-protected-resource${path}`)).json()
      const { resource, authorization_servers: issuers } = metadata as Record<string, unknown>
      assert.deepEqual([resource, issuers], [BASE + path, [ISSUER]])
    }
    assert.equal((await overMcp(null)).status, 401)
  })
})
