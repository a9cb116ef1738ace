import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnalyticsApi, directoryExports, duckdbEngine } from 'foldgate'
import type { OpenEngine } from 'foldgate/engine'
import { catalogue } from '../service/catalogue.js'
import { KEYS, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'

const SQL = 'SELECT entity_key, item, amount FROM amounts ORDER BY entity_key, item'
const HOUR = { retentionMs: 3_600_000 }
const EXAMPLES = [{ question: 'Which SQL is spoken here?', sql: 'SELECT 1 AS "ANSI"' }]

describe('a service with two engines', () => {
  let service: Service
  let folder: string
  const asked: string[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    /** DuckDB under another name, which tells what it is asked. */
    const second: OpenEngine = host => {
      const engine = duckdbEngine({ folder: join(folder, 'second'), connections: 1 })(host)
      const check: typeof engine.check = (sql, asker) => {
        asked.push(sql)
        return engine.check(sql, asker)
      }
      return { ...engine, version: 'second 1', examples: EXAMPLES, takesParameters: false, check }
    }
    service = await startService({ engines: { second } })
    const other = service.host.projects.find(({ projectId }) => projectId === OTHER_PROJECT)
    if (other) other.engine = 'second'
  })
  after(async () => {
    await service?.close()
    await rm(folder, { recursive: true })
  })

  it('asks the engine that the project names, and the default one for other projects', async () => {
    const [mine, others] = await Promise.all(
      [PROJECT, OTHER_PROJECT].map(projectId => service.call('projects/query', { projectId, sql: SQL })),
    )
    assert.equal(mine?.body.result?.items?.length, 5)
    assert.deepEqual(others?.body.result, mine.body.result)
    assert.deepEqual(asked, [SQL])
  })

  it('gives pages, cursors, ETags and files on each', async () => {
    const tags = new Set<string | null>()
    for (const projectId of [PROJECT, OTHER_PROJECT]) {
      const items: unknown[] = []
      for (let cursor: string | undefined; ; ) {
        const page = { limit: 2, ...(cursor === undefined ? {} : { cursor }) }
        const { headers, body } = await service.call('projects/query', { projectId, sql: SQL, page })
        items.push(...(body.result?.items ?? []))
        cursor = body.result?.nextCursor
        if (items.length === 2) tags.add(headers.get('etag'))
        if (cursor === undefined) break
      }
      assert.deepEqual(
        items.map(item => (item as { amount: number }).amount),
        [10, 20, 40, 7, 100],
      )
      const { body } = await service.call('projects/export', { projectId, sql: SQL, format: 'csv' })
      const file = await fetch(body.result?.url ?? '', { headers: { authorization: `Bearer ${KEYS.north}` } })
      assert.equal((await file.text()).trim().split('\n').length, 6)
    }
    assert.equal(tags.size, 2, 'each engine has its own ETag')
  })

  it('describes the relations of the catalogue with the examples of the engine', async () => {
    const mine = await service.call('projects/describe', { projectId: PROJECT, relation: 'amounts' })
    const others = await service.call('projects/describe', { projectId: OTHER_PROJECT, relation: 'amounts' })
    assert.deepEqual(others.body.result, { ...mine.body.result, examples: EXAMPLES })
  })

  it('refuses values for an engine that takes none, before that engine reads the statement', async () => {
    const before = asked.length
    for (const method of ['projects/query', 'projects/export']) {
      const params = { projectId: OTHER_PROJECT, sql: 'SELECT $a AS a', parameters: { a: 1 } }
      const { body } = await service.call(method, params)
      assert.deepEqual([body.class, body.data], ['INVALID_PARAMS', { path: 'parameters' }])
      assert.match(body.message ?? '', /takes no parameters: write the values into the statement/)
    }
    assert.equal(asked.length, before)
  })

  it('is UNAVAILABLE for a project whose engine it does not have, and says so to the host alone', async () => {
    const project = service.host.projects.find(({ projectId }) => projectId === OTHER_PROJECT)
    assert.ok(project)
    project.engine = 'third'
    try {
      for (const method of ['projects/query', 'projects/export']) {
        const { status, body } = await service.call(method, { projectId: OTHER_PROJECT, sql: SQL })
        assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
        assert.doesNotMatch(JSON.stringify(body), /third/)
      }
      const told = service.events.flatMap(event => (event.type === 'dependency' ? [`${event.cause}`] : []))
      assert.match(told.at(-1) ?? '', /names the engine "third", which the option engines does not have/)
    } finally {
      project.engine = 'second'
    }
  })

  it('counts the load of both', () => {
    assert.equal(service.api.stats().connections, 3)
    assert.ok(service.api.pids().length >= 3)
  })

  it('refuses options of an engine that lack a folder, and names them, before it starts any', () => {
    assert.throws(() => duckdbEngine({ folder: '' }), /^TypeError: .*needs a folder/)
    for (const [option, told] of [
      [{ connections: 0 }, /^TypeError: engine\.connections must be/],
      [{ spares: 0 }, /^TypeError: engine\.spares must be a whole number above 0/],
      [{ memoryLimitBytes: 1 }, /^TypeError: engine\.memoryLimitBytes must be at least/],
      [{ cacheBytes: '1GiB' as never }, /^TypeError: engine\.cacheBytes must be/],
    ] as const)
      assert.throws(() => duckdbEngine({ folder: 'x', ...option }), told)
    const { host, snapshots } = service
    const ports = { keys: host.keyPort, projects: host.projectPort, snapshots, exports: directoryExports(folder, HOUR) }
    const secrets = ['a secret of the tests, long enough to seal']
    const options = { baseUrl: 'http://x.example', secrets, catalogue, ...ports, engine: duckdbEngine({ folder }) }
    assert.throws(
      () => createAnalyticsApi({ ...options, engines: { third: { folder } as never } }),
      /^TypeError: engines\.third must be an engine/,
    )
    assert.throws(() => createAnalyticsApi({ ...options, resultBytes: 0 }), /^TypeError: resultBytes must be/)
  })
})
