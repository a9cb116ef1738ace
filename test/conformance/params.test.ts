import assert from 'node:assert/strict'
import { FOREIGN_PROJECT, PROJECT, type Service, sharedService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

describe('the params of REST', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  const cases: [string, string, unknown, string][] = [
    ['projects/describe', 'projectId missing', {}, 'projectId'],
    ['projects/describe', 'projectId null', { projectId: null }, 'projectId'],
    ['projects/describe', 'projectId not a UUID', { projectId: 'x' }, 'projectId'],
    ['projects/describe', 'relation a number', { projectId: PROJECT, relation: 1 }, 'relation'],
    ['projects/describe', 'relation unknown', { projectId: PROJECT, relation: 'fold_total' }, 'relation'],
    ['projects/query', 'sql missing', { projectId: PROJECT }, 'sql'],
    ['projects/query', 'sql a list', { projectId: PROJECT, sql: ['SELECT 1'] }, 'sql'],
    ['projects/query', 'page null', { projectId: PROJECT, sql: 'SELECT 1', page: null }, 'page'],
    ['projects/query', 'page a list', { projectId: PROJECT, sql: 'SELECT 1', page: [] }, 'page'],
    ['projects/query', 'cursor a number', { projectId: PROJECT, sql: 'SELECT 1', page: { cursor: 1 } }, 'page.cursor'],
    ['projects/query', 'limit a string', { projectId: PROJECT, sql: 'SELECT 1', page: { limit: '5' } }, 'page.limit'],
    ['projects/export', 'sql null', { projectId: PROJECT, sql: null }, 'sql'],
  ]
  const onViews: typeof cases = [
    ['projects/query', 'entityId not a UUID', { projectId: PROJECT, sql: 'SELECT 1', entityId: 'root' }, 'entityId'],
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
  ]
  for (const [method, name, params, path] of [...cases, ...(VENDOR.catalogue.hierarchy ? onViews : [])]) {
    it(`${method}, ${name}: INVALID_PARAMS that names ${path}`, async () => {
      const { status, body } = await service.call(method, params)
      assert.deepEqual([status, body.class, body.data?.path], [400, 'INVALID_PARAMS', path])
      assert.match(body.message ?? '', new RegExp(`${path.replace('.', '\\.')}|relation`))
    })
  }

  it('are never repeated in a failure', async () => {
    const secret = 'hunter2-hunter2'
    const { body } = await service.call('projects/describe', { projectId: secret })
    assert.ok(!JSON.stringify(body).includes(secret))
  })

  it('cause a warning for each unread field, at every depth, and the call runs', async () => {
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

  it('cause no warnings member if every field is read', async () => {
    assert.ok(!('warnings' in (await service.call('projects/list', {})).body))
  })

  it('cause warnings in the data of a failed call', async () => {
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
