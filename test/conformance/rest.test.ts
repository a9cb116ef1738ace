import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { ERROR_CLASSES } from 'foldgate'
import {
  type Answer,
  FOREIGN_PROJECT,
  KEYS,
  PROJECT,
  type Service,
  sharedService,
  startService,
} from '../service/service.js'

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

  it('says where the time of a call went, to the caller and to the host', async () => {
    const own = service.events.length
    const sql = 'SELECT count(*) AS timed FROM amounts'
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

  it('has the code and status of the contract for every class', () => {
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

    it('takes the scheme in any case', async () => {
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
      ['null', 'projects/list', { body: 'null' }, 400, 'INVALID_PARAMS'],
      ['a text', 'projects/describe', { body: '"x"' }, 400, 'INVALID_PARAMS'],
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

    it('an empty body is {}, and the content type is not looked at', async () => {
      assert.equal((await send(api('projects/list'), { method: 'POST', headers: auth })).status, 200)
      const headers = { ...auth, 'content-type': 'image/png' }
      assert.equal(
        (await send(api('projects/list'), { method: 'POST', headers, body: '{"page":{"limit":1}}' })).status,
        200,
      )
    })

    it('a body of exactly the cap is read', async () => {
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

    it('half a body and a client that hangs up harm no other call', async () => {
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

  describe('params', () => {
    const cases: [string, string, unknown, string][] = [
      ['projects/describe', 'projectId missing', {}, 'projectId'],
      ['projects/describe', 'projectId null', { projectId: null }, 'projectId'],
      ['projects/describe', 'projectId no UUID', { projectId: 'x' }, 'projectId'],
      ['projects/describe', 'relation a number', { projectId: PROJECT, relation: 1 }, 'relation'],
      ['projects/describe', 'relation unknown', { projectId: PROJECT, relation: 'fold_total' }, 'relation'],
      ['projects/query', 'sql missing', { projectId: PROJECT }, 'sql'],
      ['projects/query', 'sql a list', { projectId: PROJECT, sql: ['SELECT 1'] }, 'sql'],
      ['projects/query', 'entityId no UUID', { projectId: PROJECT, sql: 'SELECT 1', entityId: 'root' }, 'entityId'],
      [
        'projects/query',
        'ownershipView unknown',
        { projectId: PROJECT, sql: 'SELECT 1', ownershipView: 'NET' },
        'ownershipView',
      ],
      [
        'projects/query',
        'ownershipView null',
        { projectId: PROJECT, sql: 'SELECT 1', ownershipView: null },
        'ownershipView',
      ],
      ['projects/query', 'page null', { projectId: PROJECT, sql: 'SELECT 1', page: null }, 'page'],
      ['projects/query', 'page a list', { projectId: PROJECT, sql: 'SELECT 1', page: [] }, 'page'],
      [
        'projects/query',
        'cursor a number',
        { projectId: PROJECT, sql: 'SELECT 1', page: { cursor: 1 } },
        'page.cursor',
      ],
      ['projects/query', 'limit a text', { projectId: PROJECT, sql: 'SELECT 1', page: { limit: '5' } }, 'page.limit'],
      ['projects/export', 'sql null', { projectId: PROJECT, sql: null }, 'sql'],
    ]
    for (const [method, name, params, path] of cases) {
      it(`${method}, ${name}: INVALID_PARAMS that names ${path}`, async () => {
        const { status, body } = await service.call(method, params)
        assert.deepEqual([status, body.class, body.data?.path], [400, 'INVALID_PARAMS', path])
        assert.match(body.message ?? '', new RegExp(`${path.replace('.', '\\.')}|relation`))
      })
    }

    it('never repeats what the caller sent', async () => {
      const secret = 'hunter2-hunter2'
      const { body } = await service.call('projects/describe', { projectId: secret })
      assert.ok(!JSON.stringify(body).includes(secret))
    })

    it('an unread field runs the call and warns, at every depth', async () => {
      const { status, body } = await service.call('projects/list', {
        x: 1,
        page: { limit: 1, nextCursor: 'y', deep: { er: 1 } },
      })
      assert.equal(status, 200)
      assert.deepEqual(
        body.warnings?.map(warning => warning.path),
        ['x', 'page.nextCursor', 'page.deep'],
      )
      for (const warning of body.warnings ?? []) assert.deepEqual(Object.keys(warning), ['path', 'message'])
    })

    it('a call without unread fields has no warnings member', async () => {
      assert.ok(!('warnings' in (await service.call('projects/list', {})).body))
    })

    it('a failed call has its warnings in data', async () => {
      const failing: [string, object, string][] = [
        ['projects/query', { projectId: PROJECT, sql: 'SELECT nope', limit: 3 }, 'INVALID_QUERY'],
        ['projects/query', { projectId: PROJECT, limit: 3 }, 'INVALID_PARAMS'],
        ['projects/query', { projectId: FOREIGN_PROJECT, sql: 'SELECT 1', limit: 3 }, 'FORBIDDEN'],
      ]
      for (const [method, params, errorClass] of failing) {
        const { body } = await service.call(method, params)
        assert.equal(body.class, errorClass)
        assert.deepEqual(
          (body.data?.warnings as { path: string }[]).map(warning => warning.path),
          ['limit'],
        )
        assert.ok(!('warnings' in body))
      }
    })
  })

  it('a foreign project and one that does not exist answer alike', async () => {
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

  it('carries the fields of the quota on every authenticated answer', async () => {
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
      assert.ok(!JSON.stringify(body).includes(service.folder))
    }
  })
})

describe('quota', () => {
  let service: Service
  before(async () => {
    const { memoryQuota } = await import('foldgate')
    service = await startService({ quota: memoryQuota({ calls: 3, windowMs: 3_600_000 }) })
  })
  after(() => service.close())

  it('counts every call of a key, failed ones too, and answers RATE_LIMITED past it', async () => {
    const remaining: (string | null)[] = []
    for (const method of ['projects/list', 'projects/none', 'projects/list']) {
      remaining.push((await service.call(method)).headers.get('ratelimit')?.match(/r=(\d+)/)?.[1] ?? null)
    }
    assert.deepEqual(remaining, ['2', '1', '0'])
    const { status, headers, body } = await service.call('projects/list')
    assert.deepEqual([status, body.code, body.class], [429, 1429, 'RATE_LIMITED'])
    assert.equal(headers.get('retry-after'), String(body.data?.retryAfterSeconds))
    assert.ok(Number(body.data?.retryAfterSeconds) > 3500)
    assert.equal((await service.call('projects/list', {}, KEYS.mate)).status, 200)
    assert.equal((await service.call('projects/list', {}, 'nobody')).status, 401)
  })
})

describe('a dependency that is down', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { dependencyTimeoutMs: 200 } })
  })
  after(() => service.close())

  for (const [name, broken] of [
    ['throws', async () => Promise.reject(new Error('secret detail of the host'))],
    [
      'throws at once',
      () => {
        throw new Error('secret detail of the host')
      },
    ],
    ['hangs', () => new Promise<never>(() => {})],
    ['answers nonsense', async () => 42 as never],
  ] as const) {
    it(`that ${name} is UNAVAILABLE, told to the host and to nobody else`, async () => {
      const { host } = service
      const find = host.projectPort.find
      host.projectPort.find = broken as never
      try {
        const { status, headers, body } = await service.call('projects/describe', { projectId: PROJECT })
        assert.deepEqual([status, body.code, body.class], [503, 1503, 'UNAVAILABLE'])
        assert.match(headers.get('retry-after') ?? '', /^\d+$/)
        assert.ok(!JSON.stringify(body).includes('secret'))
        assert.ok(service.events.some(event => event.type === 'dependency' && event.port === 'projects'))
      } finally {
        host.projectPort.find = find
      }
      assert.equal((await service.call('projects/describe', { projectId: PROJECT })).status, 200)
    })
  }
})
