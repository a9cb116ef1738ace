import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import { scratchFolder } from './command.js'
import { type Served, serve, stop } from './server.js'

const LONGEST = 'k'.repeat(8192)
const UNKNOWN = 'The API key is unknown, revoked or expired.'
const TOO_LONG = 'The API key is too long: it has more than 8192 characters.'

describe('a server that gets a key of 8 KiB', () => {
  const scratch = scratchFolder()
  let server: Served
  before(async () => {
    server = await serve(scratch.path)
  })
  after(async () => assert.equal(await stop(server.child), 0))

  const send = (method: string, path: string) => async (key: string) => {
    const init = { method, headers: { authorization: `Bearer ${key}` }, ...(method === 'POST' ? { body: '{}' } : {}) }
    return (await fetch(`${server.url}/public/v1/${path}`, init)).text()
  }
  async function refusalOf(socket: WebSocket): Promise<string> {
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    return text(response)
  }
  const socketUrl = () => `${server.url.replace('http', 'ws')}/public/v1/ws`

  for (const [name, ask] of Object.entries({
    REST: send('POST', 'api/projects/list'),
    'JSON-RPC': send('POST', 'json-rpc'),
    MCP: send('POST', 'mcp'),
    'a download': send('GET', 'exports/none'),
    'a handshake': (key: string) =>
      refusalOf(new WebSocket(socketUrl(), { headers: { authorization: `Bearer ${key}` } })),
    'a subprotocol': (key: string) => refusalOf(new WebSocket(socketUrl(), ['foldgate.v1', `bearer.${key}`])),
  }))
    it(`looks it up over ${name}, and says that a longer one is too long`, async () => {
      assert.ok((await ask(LONGEST)).includes(UNKNOWN))
      assert.ok((await ask(`${LONGEST}k`)).includes(TOO_LONG))
    })

  it('logs none of it', () => assert.ok(!server.log().includes('kkkk')))
})
