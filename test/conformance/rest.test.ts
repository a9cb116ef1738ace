import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { ERROR_CLASSES } from 'foldgate'
import { type Answer, FOREIGN_PROJECT, KEYS, PROJECT, type Service, sharedService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

describe('REST', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  const api = (method: string) => `${service.url}/public/v1/api/${method}`
  const auth = { authorization: `Bearer ${KEYS.north}` }
  async function send(url: string, init: RequestInit) {
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
  }

  it('reports the time of each phase of a call to the caller and to the host', async () => {
    const own = service.events.length
    const sql = `SELECT count(*) AS timed FROM ${VENDOR.table.name}`
    const { status, headers } = await service.call('projects/query', { projectId: PROJECT, sql })
    assert.equal(status, 200)
    const spent = [...(headers.get('server-timing') ?? '').matchAll(/(\w+);dur=(\d+\.\d\d)(?:, |$)/g)]
    assert.deepEqual(
      spent.map(([, phase]) => phase),
      ['auth', 'guard', 'query', 'build', 'wait', 'encode'],
    )
    const told = service.events.slice(own).find(event => event.type === 'call' && event.method === 'projects/query')
    assert.ok(told?.type === 'call' && told.rows === 1 && told.bytes === '{"timed":5}'.length)
    const total = Object.values(told.phasesMs).reduce((sum, ms) => sum + ms, 0)
    assert.ok(total > 0 && total <= told.durationMs, `${total} of ${told.durationMs} ms`)
    const refused = await service.call('projects/list', {}, 'nobody')
    assert.match(refused.headers.get('server-timing') ?? '', /^auth;dur=\d+\.\d\d, encode;dur=\d+\.\d\d$/)
  })

  it('takes a list of any length for params that are no object', async () => {
    for (const length of [1, 16, 17, 400]) {
      const list = JSON.stringify(Array.from({ length }, () => ({ a: [1] })))
      for (const body of [list, `\ufeff ${list}`]) {
        for (const method of ['projects/list', 'projects/query']) {
          const answer = await send(api(method), { method: 'POST', headers: auth, body })
          assert.deepEqual([answer.status, answer.body.class], [400, 'INVALID_PARAMS'], `${length}`)
        }
        const rpc = await fetch(`${service.url}/public/v1/json-rpc`, { method: 'POST', headers: auth, body })
        const { id, error } = (await rpc.json()) as { id: null; error: { data: { class: string } } }
        assert.deepEqual([rpc.status, id, error.data.class], [200, null, 'INVALID_REQUEST'], `${length}`)
      }
    }
  })

  it('has the code and status of the contract for every error class', () => {
    const table = Object.entries(ERROR_CLASSES).map(([name, { code, status }]) => `${name} ${code} ${status}`)
    assert.deepEqual(table, [
      'PARSE_ERROR -32700 400',
      'INVALID_REQUEST -32600 400',
      'METHOD_NOT_FOUND -32601 404',
      'INVALID_PARAMS -32602 400',
      'INTERNAL -32603 500',
      'UNAUTHENTICATED 1401 401',
      'FORBIDDEN 1403 403',
      'NOT_FOUND 1404 404',
      'NOT_READY 1409 409',
      'INVALID_QUERY 1422 422',
      'QUERY_TIMEOUT 1408 408',
      'QUERY_TOO_LARGE 1413 413',
      'RATE_LIMITED 1429 429',
      'UNAVAILABLE 1503 503',
      'LINK_EXPIRED 1410 410',
    ])
  })

  describe('authentication comes before anything else', () => {
    const headers: [string, Record<string, string>][] = [
      ['no header', {}],
      ['another scheme', { authorization: `Basic ${KEYS.north}` }],
      ['an empty token', { authorization: 'Bearer ' }],
      ['an unknown key', { authorization: 'Bearer nobody' }],
      ['two tokens', { authorization: `Bearer ${KEYS.north} x` }],
    ]
    for (const [name, header] of headers) {
      it(`${name}: 401 on every path, whatever the body`, async () => {
        for (const path of ['projects/list', 'projects/query', 'no/such', '../nothing']) {
          const answer = await send(api(path), { method: 'POST', headers: header, body: '{"broken' })
          assert.deepEqual([answer.status, answer.body.code, answer.body.class], [401, 1401, 'UNAUTHENTICATED'], path)
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
          assert.equal(answer.headers.get('ratelimit'), null)
        }
      })
    }

    it('accepts the scheme in any case', async () => {
      assert.equal(
        (await send(api('projects/list'), { method: 'POST', headers: { authorization: `bearer ${KEYS.north}` } }))
          .status,
        200,
      )
    })
  })

  describe('the request', () => {
    const cases: [string, string, RequestInit, number, string][] = [
      ['a body that is not JSON', 'projects/list', { body: '{"page":' }, 400, 'PARSE_ERROR'],
      [
        'a body that is not UTF-8',
        'projects/list',
        { body: new Uint8Array([123, 34, 0xff, 34, 58, 49, 125]) },
        400,
        'PARSE_ERROR',
      ],
      ['JSON followed by more', 'projects/list', { body: '{} {}' }, 400, 'PARSE_ERROR'],
      ['a list', 'projects/list', { body: '[]' }, 400, 'INVALID_PARAMS'],
      ['null where params are needed', 'projects/describe', { body: 'null' }, 400, 'INVALID_PARAMS'],
      ['a string', 'projects/describe', { body: '"x"' }, 400, 'INVALID_PARAMS'],
      ['an empty body where params are needed', 'projects/describe', {}, 400, 'INVALID_PARAMS'],
      ['an unknown method', 'projects/drop', { body: '{}' }, 404, 'METHOD_NOT_FOUND'],
      ['a method in another case', 'Projects/List', { body: '{}' }, 404, 'METHOD_NOT_FOUND'],
      [
        'a body over the cap',
        'projects/list',
        { body: JSON.stringify({ x: 'y'.repeat(1024 * 1024) }) },
        400,
        'INVALID_REQUEST',
      ],
      ['a body of 10 MB', 'projects/query', { body: 'x'.repeat(10_000_000) }, 400, 'INVALID_REQUEST'],
    ]
    for (const [name, method, init, status, errorClass] of cases) {
      it(`${name}: ${errorClass}`, async () => {
        const answer = await send(api(method), { method: 'POST', headers: auth, ...init })
        assert.deepEqual([answer.status, answer.body.class], [status, errorClass], JSON.stringify(answer.body))
        assert.equal((await service.call('projects/list')).status, 200)
      })
    }

    it('counts as {} if its body is null', async () => {
      assert.equal((await send(api('projects/list'), { method: 'POST', headers: auth, body: 'null' })).status, 200)
    })

    it('is told apart from a body that is not JSON if it is compressed', async () => {
      const compressed: [string, Buffer][] = [
        ['gzip', gzipSync('{}')],
        ['br', brotliCompressSync('{"page":{}}')],
        ['deflate', deflateSync('{}')],
      ]
      for (const [encoding, body] of compressed) {
        const headers = { ...auth, 'content-encoding': encoding }
        const answer = await send(api('projects/list'), { method: 'POST', headers, body })
        assert.deepEqual([answer.status, answer.body.class], [400, 'INVALID_REQUEST'], encoding)
        assert.match(answer.body.message ?? '', /compressed/)
      }
      const unnamed = await send(api('projects/list'), { method: 'POST', headers: auth, body: gzipSync('{}') })
      assert.equal(unnamed.body.class, 'INVALID_REQUEST')
      const identity = { ...auth, 'content-encoding': 'identity' }
      for (const [body, expected] of [['{}', undefined] as const, ['{', 'PARSE_ERROR'] as const])
        assert.equal(
          (await send(api('projects/list'), { method: 'POST', headers: identity, body })).body.class,
          expected,
        )
    })

    it('counts as {} if its body is empty, whatever its content type', async () => {
      assert.equal((await send(api('projects/list'), { method: 'POST', headers: auth })).status, 200)
      const headers = { ...auth, 'content-type': 'image/png' }
      assert.equal(
        (await send(api('projects/list'), { method: 'POST', headers, body: '{"page":{"limit":1}}' })).status,
        200,
      )
    })

    it('can have a body of exactly the maximum size', async () => {
      const filler = 1024 * 1024 - '{"x":""}'.length
      const answer = await send(api('projects/list'), {
        method: 'POST',
        headers: auth,
        body: JSON.stringify({ x: 'y'.repeat(filler) }),
      })
      assert.equal(answer.status, 200)
    })

    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      it(`${method} on a method path: INVALID_REQUEST with Allow`, async () => {
        const answer = await send(api('projects/list'), { method, headers: auth })
        assert.deepEqual(
          [answer.status, answer.body.class, answer.headers.get('allow')],
          [400, 'INVALID_REQUEST', 'POST'],
        )
      })
    }

    it('affects no other call when its client disconnects in the middle of the body', async () => {
      const { port } = new URL(service.url)
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), '127.0.0.1', () => {
          const head = `POST /public/v1/api/projects/list HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEYS.north}\r\nContent-Length: 100\r\n\r\n{"page"`
          socket.write(head, () => socket.destroy())
        })
        socket.once('close', () => resolve()).once('error', reject)
      })
      assert.equal((await service.call('projects/list')).status, 200)
    })
  })

  it('answers alike for a foreign project and one that does not exist', async () => {
    const unknown = '99999999-9999-4999-8999-999999999999'
    for (const method of ['projects/describe', 'projects/query', 'projects/export']) {
      const [foreign, missing] = await Promise.all(
        [FOREIGN_PROJECT, unknown].map(projectId => service.call(method, { projectId, sql: 'SELECT 1' })),
      )
      assert.equal(foreign?.status, 403)
      assert.deepEqual(foreign?.body, missing?.body)
      assert.equal(foreign?.body.class, 'FORBIDDEN')
    }
  })

  it('sends the quota headers with every authenticated answer', async () => {
    for (const params of [{}, { page: { limit: 0 } }]) {
      const { headers } = await service.call('projects/list', params)
      assert.equal(headers.get('ratelimit-policy'), '"calls";q=600;w=60')
      assert.match(headers.get('ratelimit') ?? '', /^"calls";r=\d+;t=\d+$/)
    }
  })

  it('names neither paths nor other tenants in any message', async () => {
    const texts = ["FROM read_csv('/etc/passwd')", 'FROM duckdb_settings()', 'SELECT nope', "SELECT getenv('HOME')"]
    for (const sql of texts) {
      const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
      assert.equal(body.class, 'INVALID_QUERY')
      for (const secret of [service.folder, FOREIGN_PROJECT, 'south'])
        assert.ok(!JSON.stringify(body).includes(secret), secret)
    }
  })
})
