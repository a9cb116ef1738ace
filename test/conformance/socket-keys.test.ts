import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createClient } from 'foldgate/client'
import { type SocketHandler, serveWebSocket } from 'foldgate/ws'
import { type ServerOptions, WebSocket, WebSocketServer } from 'ws'
import { KEYS, type Service, startService } from '../service/service.js'

/** A JSON Web Token, as far as its characters go. */
const TOKEN = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl-_'
/** Every other character that a subprotocol may have. */
const SIGNS = "key!#$%&'*+.^_`|~-9"
const LONGEST = 'k'.repeat(8192)
const NO_KEY = 'The call carries no API key. Send it as "Authorization: Bearer <key>".'
const UNREADABLE = 'The API key cannot be read. Send the subprotocols "foldgate.v1" and "bearer.<key>".'
const SEVERAL = 'The handshake carries more than one API key. Send one, as a header or as a subprotocol.'
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/list', params: {} })

/** The WebSocket that comes with Node 22 and later. */
const { WebSocket: GlobalWebSocket } = globalThis as unknown as { WebSocket?: typeof WebSocket }

/** A WebSocket that takes what those of browsers take: subprotocols that are tokens, and no headers. */
class BrowserWebSocket extends WebSocket {
  constructor(url: string, protocols: string | string[] = []) {
    const list = Array.isArray(protocols) ? protocols : [String(protocols)]
    if (list.some(each => !/^[\w!#$%&'*+.^`|~-]+$/.test(each)) || new Set(list).size < list.length)
      throw new DOMException('invalid subprotocol', 'SyntaxError')
    super(url, list)
  }
}

describe('the key of a WebSocket as a subprotocol', () => {
  let service: Service
  let server: Server
  let sockets: SocketHandler
  let port: number

  async function serve(options: ServerOptions = {}) {
    const own = new WebSocketServer({ noServer: true, ...options })
    sockets = serveWebSocket(service.api, own)
    server = createServer()
    server.on('upgrade', (message, socket, head) => {
      if (!sockets.upgrade(message, socket, head)) own.handleUpgrade(message, socket, head, peer => peer.close())
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  async function stop() {
    await sockets.close(0)
    server.closeAllConnections()
    server.close()
  }

  before(async () => {
    service = await startService()
    const caller = service.host.callers.get(KEYS.north)
    assert.ok(caller)
    for (const key of [TOKEN, SIGNS, LONGEST]) service.host.callers.set(key, caller)
  })
  beforeEach(() => serve())
  afterEach(stop)
  after(() => service.close())

  const url = (path = '/public/v1/ws') => `ws://127.0.0.1:${port}${path}`

  /** Sends a handshake with these headers; the answer is the head, and a refusal as JSON if it is one. */
  async function shake(headers: Record<string, string | string[]>, path = '/public/v1/ws') {
    const sent = request({
      port,
      path,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    }).end()
    const [response, socket] = await Promise.race([
      once(sent, 'upgrade') as Promise<[IncomingMessage, WebSocket]>,
      once(sent, 'response') as Promise<[IncomingMessage]>,
    ])
    const head = { status: response.statusCode, subprotocol: response.headers['sec-websocket-protocol'] }
    if (response.statusCode === 101) {
      ;(socket as unknown as { destroy(): void }).destroy()
      return { ...head, errorClass: null, message: '', raw: response.rawHeaders.join(' ') }
    }
    const body = await text(response)
    const { class: errorClass = null, message = body } = body.startsWith('{') ? JSON.parse(body) : {}
    return { ...head, errorClass, message, raw: `${response.rawHeaders.join(' ')} ${body}` }
  }
  const offer = (offered: string | string[], authorization?: string) =>
    shake({ 'sec-websocket-protocol': offered, ...(authorization === undefined ? {} : { authorization }) })

  async function list(socket: WebSocket): Promise<{ result?: unknown; error?: { data: { class: string } } }> {
    const answered = new Promise<string>(resolve => {
      socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true })
    })
    socket.send(LIST)
    return JSON.parse(await answered)
  }

  for (const [name, key] of Object.entries({
    'an API key': KEYS.north,
    'a token': TOKEN,
    signs: SIGNS,
    '8 KiB': LONGEST,
  }))
    it(`opens a socket by ${name}, and only foldgate.v1 is accepted`, async () => {
      for (const [who, Constructor] of Object.entries({ ws: WebSocket, global: GlobalWebSocket })) {
        if (!Constructor) continue
        for (const offered of [
          ['foldgate.v1', `bearer.${key}`],
          [`bearer.${key}`, 'other', 'foldgate.v1'],
        ]) {
          const socket: WebSocket = new Constructor(url(), offered)
          await new Promise((resolve, reject) => {
            socket.addEventListener('open', resolve)
            socket.addEventListener('error', reject)
          })
          assert.equal(socket.protocol, 'foldgate.v1', who)
          assert.ok((await list(socket)).result, who)
          socket.close()
        }
      }
    })

  it('never repeats the key in the answer', async () => {
    const { status, subprotocol, raw } = await offer(`bearer.${TOKEN}, foldgate.v1`)
    assert.deepEqual([status, subprotocol], [101, 'foldgate.v1'])
    assert.ok(!raw.includes(TOKEN), raw)
  })

  it('checks the key on every call, so a key revoked meanwhile is refused', async () => {
    const caller = service.host.callers.get(KEYS.north)
    assert.ok(caller)
    service.host.callers.set('key-short', caller)
    const socket = new WebSocket(url(), ['foldgate.v1', 'bearer.key-short'])
    await once(socket, 'open')
    assert.ok((await list(socket)).result)
    service.host.callers.delete('key-short')
    assert.equal((await list(socket)).error?.data.class, 'UNAUTHENTICATED')
    socket.terminate()
  })

  const good = `bearer.${KEYS.north}`
  const REFUSED: Record<string, [offered: string | string[], message: string]> = {
    'of nobody': ['foldgate.v1, bearer.nobody', 'The API key is unknown, revoked or expired.'],
    'that is missing': ['foldgate.v1', NO_KEY],
    'after a space instead of a comma': [`foldgate.v1 ${good}`, NO_KEY],
    'of more than 8 KiB': [
      `foldgate.v1, bearer.${LONGEST}k`,
      'The API key is too long: it has more than 8192 characters.',
    ],
    'of 9 KiB': [
      `foldgate.v1, bearer.${'k'.repeat(9 * 1024)}`,
      'The API key is too long: it has more than 8192 characters.',
    ],
    'that is empty': ['foldgate.v1, bearer.', UNREADABLE],
    'with a character that subprotocols do not have': [`foldgate.v1, ${good}/+`, UNREADABLE],
    'with a space in it': [`foldgate.v1, ${good} more`, UNREADABLE],
    'in quotes': [`foldgate.v1, bearer."${KEYS.north}"`, UNREADABLE],
    'in upper case': [`foldgate.v1, BEARER.${KEYS.north}`, UNREADABLE],
    'beside foldgate.v1 in upper case': [`Foldgate.V1, ${good}`, UNREADABLE],
    'without foldgate.v1': [good, UNREADABLE],
    'beside another version': [`foldgate.v2, ${good}`, UNREADABLE],
    'beside another key': [`foldgate.v1, ${good}, bearer.${KEYS.south}`, SEVERAL],
    'that is sent twice': [`foldgate.v1, ${good}, ${good}`, SEVERAL],
    'that is sent twice, in two headers': [['foldgate.v1', good, good], SEVERAL],
    'beside one in upper case': [`foldgate.v1, ${good}, Bearer.${KEYS.south}`, SEVERAL],
  }
  for (const [name, [offered, message]] of Object.entries(REFUSED))
    it(`refuses a key ${name}`, async () => {
      const refused = await offer(offered)
      assert.deepEqual([refused.status, refused.errorClass, refused.message], [401, 'UNAUTHENTICATED', message])
      assert.ok(!refused.raw.includes(KEYS.north), refused.raw)
    })

  it('refuses another key in the header, and takes the same one', async () => {
    for (const authorization of [`Bearer ${KEYS.south}`, 'Bearer nobody', 'Basic YWRhOg==', 'Bearer', KEYS.north]) {
      const refused = await offer(`foldgate.v1, ${good}`, authorization)
      assert.deepEqual([refused.status, refused.message], [401, SEVERAL], authorization)
    }
    for (const authorization of [`Bearer ${KEYS.north}`, `bearer   ${KEYS.north}`])
      assert.equal((await offer(`foldgate.v1, ${good}`, authorization)).status, 101, authorization)
  })

  it('leaves a malformed list to the WebSocket server, once the key is valid', async () => {
    for (const offered of [`foldgate.v1,, ${good}`, `foldgate.v1, foldgate.v1, ${good}`, `foldgate.v1, ${good}, a/b`])
      assert.equal((await offer(offered)).status, 400, offered)
  })

  it('accepts foldgate.v1 beside a header, too, and other subprotocols as before', async () => {
    const header = `Bearer ${KEYS.north}`
    const accepted = async (offered: string) => (await offer(offered, header)).subprotocol
    assert.equal(await accepted('foldgate.v1'), 'foldgate.v1')
    assert.equal(await accepted('other, foldgate.v1'), 'foldgate.v1')
    assert.equal(await accepted('other, another'), 'other')
    const bare = await shake({ authorization: header })
    assert.deepEqual([bare.status, bare.subprotocol], [101, undefined])
  })

  it('asks the host about its own paths, and about other subprotocols', async () => {
    await stop()
    await serve({ handleProtocols: offered => (offered.has('chat') ? 'chat' : false) })
    assert.equal((await offer(`foldgate.v1, chat, ${good}`)).subprotocol, 'foldgate.v1')
    assert.equal((await offer('foldgate.v1, chat', `Bearer ${KEYS.north}`)).subprotocol, 'foldgate.v1')
    assert.equal((await offer('other', `Bearer ${KEYS.north}`)).subprotocol, undefined)
    const elsewhere = (offered: string) => shake({ 'sec-websocket-protocol': offered }, '/chat')
    assert.equal((await elsewhere('foldgate.v1, chat')).subprotocol, 'chat')
    assert.equal((await elsewhere('foldgate.v1')).subprotocol, undefined)
  })

  it('is not read from the URL', async () => {
    const path = `/public/v1/ws?bearer.${KEYS.north}&access_token=${KEYS.north}&key=${KEYS.north}`
    const refused = await shake({ 'sec-websocket-protocol': 'foldgate.v1' }, path)
    assert.deepEqual([refused.status, refused.message], [401, NO_KEY])
  })

  it('is not repeated over HTTP/1.0, where ws upgrades, nor with POST, where it does not', async () => {
    for (const [start, status] of [
      ['GET /public/v1/ws HTTP/1.0', /^HTTP\/1\.1 101 /],
      ['POST /public/v1/ws HTTP/1.1', /^HTTP\/1\.1 405 /],
    ] as const) {
      const socket = connect({ port, host: '127.0.0.1' })
      const head =
        'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: foldgate.v1, ${good}\r\n`
      socket.write(`${start}\r\n${head}\r\n`)
      const [data] = await once(socket, 'data')
      assert.match(String(data), status)
      assert.ok(!String(data).includes(KEYS.north))
      socket.destroy()
    }
  })

  describe('of the typed client', () => {
    const clientOf = (key: string, Constructor: unknown = BrowserWebSocket) =>
      createClient({
        url: url().replace('ws', 'http').replace('/public/v1/ws', ''),
        key,
        retry: false,
        transport: { WebSocket: Constructor as typeof WebSocket },
      })

    it('is a header where the constructor takes one', async () => {
      for (const Constructor of [WebSocket, GlobalWebSocket]) {
        if (!Constructor) continue
        let seen: IncomingMessage['headers'] = {}
        server.prependListener('upgrade', message => {
          seen = message.headers
        })
        const client = clientOf(KEYS.north, Constructor)
        assert.equal((await client.list()).items.length, 2)
        assert.deepEqual([seen.authorization, seen['sec-websocket-protocol']], [`Bearer ${KEYS.north}`, undefined])
        client.close()
      }
    })

    it('is a subprotocol where the constructor takes no headers, as in browsers', async () => {
      for (const key of [KEYS.north, TOKEN, SIGNS, LONGEST]) {
        const client = clientOf(key)
        assert.equal((await client.list()).items.length, 2)
        client.close()
      }
    })

    it('is a TypeError if a subprotocol cannot carry it, which does not repeat it', async () => {
      for (const key of ['a/b', 'c2VjcmV0=='])
        await assert.rejects(clientOf(key).list(), error => {
          assert.ok(error instanceof TypeError)
          assert.match(error.message, /^key has signs that a browser's WebSocket cannot send/)
          assert.ok(!error.message.includes(key))
          return true
        })
    })

    it('is no reason to hide another failure of the constructor', async () => {
      class Broken {
        constructor() {
          throw new Error('no sockets here')
        }
      }
      await assert.rejects(clientOf(KEYS.north, Broken).list(), { message: 'no sockets here' })
    })
  })
})
