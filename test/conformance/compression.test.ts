import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import * as zlib from 'node:zlib'
import { assertLinear } from '../growth.js'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

const MANY = "SELECT n, 'a row like any other' AS word FROM range(200) r(n)"
const FEW = 'SELECT 1 AS n'

interface Sent {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** Node 22.15 and later. */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Buffer) => Buffer }
const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  br: bytes => zlib.brotliDecompressSync(bytes),
  gzip: bytes => zlib.gunzipSync(bytes),
  ...(zstdDecompressSync ? { zstd: zstdDecompressSync } : {}),
}

/** Node refuses more than 16 KiB of headers. */
const LONGEST_HEADER = 15_000

describe('compression', () => {
  let service: Service
  let plain: Service
  before(async () => {
    service = await startService()
    plain = await startService({ compression: false, cors: { origins: '*' } })
  })
  after(async () => {
    await service.close()
    await plain.close()
  })

  /** Sends a request without the headers and the decoding that `fetch` adds. */
  const send = (url: string, { method = 'GET', headers = {}, body = '' } = {}) =>
    new Promise<Sent>((resolve, reject) => {
      const sent = { authorization: `Bearer ${KEYS.north}`, ...headers }
      request(url, { method, headers: sent }, async response => {
        const bytes = Buffer.concat((await response.toArray()) as Buffer[])
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes })
      })
        .once('error', reject)
        .end(body)
    })
  const query = (sql: string, accepted: string | null, at = service) => {
    const headers = accepted === null ? {} : { 'accept-encoding': accepted }
    const body = JSON.stringify({ projectId: PROJECT, sql, page: { limit: 500 } })
    return send(`${at.url}/public/v1/api/projects/query`, { method: 'POST', headers, body })
  }

  for (const [coding, decode] of Object.entries(DECODERS))
    it(`sends a page as ${coding} to a client that accepts it, with the same rows`, async () => {
      const whole = await query(MANY, null)
      const { status, headers, bytes } = await query(MANY, coding)
      assert.deepEqual([status, headers['content-encoding'], headers.vary], [200, coding, 'Accept-Encoding'])
      assert.equal(headers['content-length'], String(bytes.byteLength))
      assert.deepEqual(JSON.parse(decode(bytes).toString()), JSON.parse(whole.bytes.toString()))
      assert.ok(bytes.byteLength * 4 < whole.bytes.byteLength, `${bytes.byteLength} of ${whole.bytes.byteLength} bytes`)
    })

  it('takes the coding with the highest weight, and its own choice among equals', async () => {
    const [preferred] = Object.keys(DECODERS).includes('zstd') ? ['zstd'] : ['br']
    const cases: [accepted: string | null, coding: string | undefined][] = [
      [null, undefined],
      ['', undefined],
      ['identity', undefined],
      ['deflate', undefined],
      ['compress, deflate;q=0.9', undefined],
      ['br;q=0, gzip;q=0', undefined],
      ['*;q=0', undefined],
      ['identity, gzip;q=0.5', undefined],
      ['gzip, deflate', 'gzip'],
      ['GZIP', 'gzip'],
      ['x-gzip', 'gzip'],
      ['gzip;q=0.001', 'gzip'],
      ['identity;q=0.1, gzip;q=0.2', 'gzip'],
      ['br;q=0.1,gzip;q=0.9', 'gzip'],
      ['br ; q=0.9 , gzip ; q=0.1', 'br'],
      ['gzip, br', 'br'],
      ['br;q=0, *;q=0.5', preferred === 'br' ? 'gzip' : 'zstd'],
      ['*', preferred],
    ]
    for (const [accepted, coding] of cases) {
      const { headers } = await query(MANY, accepted)
      assert.deepEqual([headers['content-encoding'], headers.vary], [coding, 'Accept-Encoding'], String(accepted))
    }
  })

  it('reads the longest header that Node accepts in linear time', async () => {
    for (const piece of ['a', ' ', ';', 'q=', ',', 'gzip;', '1 '])
      for (const end of ['!', ', gzip'])
        await assertLinear(
          async length => assert.equal((await query(MANY, piece.repeat(length / piece.length) + end)).status, 200),
          LONGEST_HEADER,
          `${piece} … ${end}`,
        )
  })

  it('leaves small answers and failures as they are', async () => {
    for (const sql of [FEW, 'SELECT nope']) {
      const { headers, bytes } = await query(sql, 'gzip')
      assert.equal(headers['content-encoding'], undefined)
      assert.ok(JSON.parse(bytes.toString()))
    }
  })

  it('compresses answers of JSON-RPC over HTTP, and descriptions', async () => {
    const params = { projectId: PROJECT, sql: MANY, page: { limit: 500 } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/query', params })
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await send(`${service.url}/public/v1/json-rpc`, { method: 'POST', headers, body })
    assert.equal(answer.headers['content-encoding'], 'gzip')
    assert.equal(JSON.parse(zlib.gunzipSync(answer.bytes).toString()).result.items.length, 200)
    const described = await send(`${service.url}/public/v1/openapi.json`, { headers })
    assert.equal(described.headers['content-encoding'], 'gzip')
    assert.equal(JSON.parse(zlib.gunzipSync(described.bytes).toString()).openapi, '3.1.0')
  })

  it('never compresses a download', async () => {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql: MANY })
    const { headers, bytes } = await send(body.result?.url ?? '', { headers: { 'accept-encoding': 'br, gzip' } })
    assert.equal(headers['content-encoding'], undefined)
    assert.equal(bytes.byteLength, body.result?.bytes)
  })

  it('can be turned off', async () => {
    const { headers, bytes } = await query(MANY, 'br, gzip', plain)
    assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, undefined])
    assert.equal(JSON.parse(bytes.toString()).result.items.length, 200)
  })
})

describe('a description', () => {
  let service: Service
  before(async () => {
    service = await startService({ cors: { origins: ['https://app.example'] } })
  })
  after(() => service.close())

  const NAMES = ['openapi.json', 'openrpc.json', 'description.json']
  const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${service.url}/public/v1/${name}`, { method, headers })

  for (const name of NAMES)
    it(`${name} may be cached, and is not sent again while it is the same`, async () => {
      const first = await get(name)
      const etag = first.headers.get('etag') ?? ''
      assert.match(etag, /^W\/"[\w-]{22}"$/)
      assert.equal(first.headers.get('cache-control'), 'public, max-age=300')
      assert.deepEqual(first.headers.get('vary')?.split(', ').sort(), ['Accept-Encoding', 'Origin'])
      assert.ok((await first.text()).length > 4096)
      for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*'])
        for (const method of ['GET', 'HEAD']) {
          const again = await get(name, { 'if-none-match': known }, method)
          const told = [
            again.status,
            await again.text(),
            again.headers.get('etag'),
            again.headers.get('content-length'),
          ]
          assert.deepEqual(told, [304, '', etag, null], `${method} ${known}`)
          assert.equal(again.headers.get('vary'), first.headers.get('vary'))
        }
      for (const unknown of ['"other"', 'W/"other"', etag.slice(0, -2), ''])
        assert.equal((await get(name, { 'if-none-match': unknown })).status, 200, unknown)
    })

  it('has an ETag of its own, which differs by base URL', async () => {
    const other = await startService()
    const etags = await Promise.all(
      [service, other].flatMap(({ url }) =>
        NAMES.map(async name => (await fetch(`${url}/public/v1/${name}`)).headers.get('etag')),
      ),
    )
    await other.close()
    assert.equal(new Set(etags).size, 6)
  })

  it('is the only answer that may be cached', async () => {
    const { headers } = await service.call('projects/list')
    assert.deepEqual([headers.get('cache-control'), headers.get('etag')], ['no-store', null])
  })
})
