import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { AnalyticsClientError, type Client, createClient, SnapshotReplacedError, type Warning } from 'foldgate/client'
import { ownProject } from '../../conformance/entry/world.js'
import { ENTITIES, KEYS, OTHER_PROJECT, PACKAGE, PROJECT, type Service, sharedService } from '../../service/service.js'
import { type Front, startFront, TRANSPORTS } from './front.js'

async function failureOf(call: Promise<unknown>): Promise<AnalyticsClientError> {
  const error = await call.then(
    () => assert.fail('it succeeded'),
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof AnalyticsClientError, String(error))
  assert.ok(error instanceof Error && error.name === 'AnalyticsClientError')
  return error
}

/** The client with the real service. */
describe('the client', () => {
  let service: Service
  let front: Front
  before(async () => {
    service = await sharedService()
    front = await startFront(service.api)
  })
  after(() => front.close())

  for (const [name, transport] of Object.entries(TRANSPORTS))
    describe(`over ${name}`, () => {
      let client: Client
      const warned: [string, Warning][] = []
      before(() => {
        const onWarning = (warning: Warning, method: string) => warned.push([method, warning])
        client = createClient({ ...front.options, transport, onWarning })
      })
      after(() => client.close())

      it('lists projects, one page or all of them', async () => {
        const first = await client.list({ page: { limit: 1 } })
        assert.deepEqual([first.items.map(({ projectId }) => projectId), first.warnings], [[PROJECT], []])
        const second = await client.list({ page: { limit: 1, cursor: first.nextCursor } })
        assert.deepEqual([second.items[0]?.projectId, second.nextCursor], [OTHER_PROJECT, undefined])
        const all: string[] = []
        for await (const { projectId } of client.projects({ page: { limit: 1 } })) all.push(projectId)
        assert.deepEqual(all, [PROJECT, OTHER_PROJECT])
      })

      it('describes a project', async () => {
        const { relations, examples, columns } = await client.describe({ projectId: PROJECT, relation: 'amounts' })
        assert.ok(relations.some(relation => relation.name === 'fold_totals' && relation.kind === 'fold'))
        assert.equal(examples.length, 1)
        assert.deepEqual(columns?.[2], { name: 'amount', type: 'DOUBLE' })
      })

      it('queries from a point of view', async () => {
        const sql = "SELECT total FROM fold_totals WHERE item = 'water'"
        const { items } = await client.query<{ total: number }>({ projectId: PROJECT, sql, entityId: ENTITIES.leaf })
        assert.deepEqual(items, [{ total: 100 }])
      })

      it('tells the names of the columns of a page, without rows where the transport can', async () => {
        const columnsOf = async (sql: string) => (await client.query({ projectId: PROJECT, sql })).columnNames
        assert.deepEqual(await columnsOf('SELECT 1 AS b, 2 AS a'), ['b', 'a'])
        assert.deepEqual(await columnsOf('SELECT 1 AS b, 2 AS "7"'), ['7', 'b'], 'in the order of JSON.parse')
        const expected = ['amount', 'két "szó"', '\u4e2d', '7']
        const empty = 'SELECT amount, 1 AS "két ""szó""", 2 AS "\u4e2d", 3 AS "7" FROM amounts WHERE false'
        assert.deepEqual(await columnsOf(empty), transport === 'rest' ? expected : null)
        const wide = Array.from({ length: 1000 }, (_, n) => `${n} AS c${n}`).join(', ')
        assert.equal(await columnsOf(`SELECT ${wide} WHERE false`), null)
      })

      it('yields every row once and in order, over many pages', async () => {
        const seen: number[] = []
        const params = { projectId: PROJECT, sql: 'SELECT i FROM range(1203) t(i) ORDER BY i' }
        for await (const { i } of client.rows<{ i: number }>(params)) seen.push(i)
        assert.deepEqual(
          seen,
          Array.from({ length: 1203 }, (_, i) => i),
        )
      })

      it('continues from a given cursor', async () => {
        const params = { projectId: PROJECT, sql: 'SELECT i FROM range(5) t(i) ORDER BY i' }
        const { nextCursor } = await client.query({ ...params, page: { limit: 3 } })
        const rest: unknown[] = []
        for await (const row of client.rows({ ...params, page: { cursor: nextCursor } })) rest.push(row)
        assert.deepEqual(rest, [{ i: 3 }, { i: 4 }])
      })

      it('tells where the time of a call went, over HTTP', async () => {
        const sql = `SELECT '${transport}' AS a`
        const { spentMs } = await client.query({ projectId: PROJECT, sql })
        if (transport !== 'rest' && transport !== 'json-rpc') return assert.equal(spentMs, undefined)
        assert.ok(spentMs && 'query' in spentMs && Object.values(spentMs).every(ms => ms >= 0), JSON.stringify(spentMs))
      })

      it('exports, downloads and reads the file', async () => {
        const sql = "SELECT i, 'n' || i AS name FROM range(70000) t(i)"
        const exported = await client.export({ projectId: PROJECT, sql })
        const seen: number[] = []
        const onProgress = ({ receivedBytes, totalBytes }: { receivedBytes: number; totalBytes: number | null }) => {
          assert.equal(totalBytes, exported.bytes)
          seen.push(receivedBytes)
        }
        const { body, totalBytes, fileName, mediaType } = await client.download(exported, { onProgress })
        const bytes = await new Response(body).arrayBuffer()
        assert.deepEqual([bytes.byteLength, totalBytes, seen.at(-1)], [exported.bytes, exported.bytes, exported.bytes])
        assert.ok(seen.length > 1, 'the file came in parts')
        assert.match(fileName ?? '', /^project-1-.*\.parquet$/)
        assert.equal(mediaType, 'application/vnd.apache.parquet')
        const table = await client.readTable(exported.url)
        assert.deepEqual([table.numRows, table.get(69_999)?.toJSON()], [70_000, { i: 69_999n, name: 'n69999' }])
      })

      it('returns warnings about unread fields with the result, and passes them to onWarning', async () => {
        warned.length = 0
        const params = { page: { limit: 1, offset: 3 } } as { page: { limit: number } }
        const { items, warnings } = await client.list(params)
        assert.deepEqual([items.length, warnings.map(({ path }) => path)], [1, ['page.offset']])
        assert.deepEqual(warned, [['projects/list', warnings[0]]])
      })

      it('throws a failure with its class, code and data', async () => {
        const error = await failureOf(client.query({ projectId: PROJECT, sql: 'SELECT nope' }))
        assert.deepEqual(
          [error.class, error.code, error.method, error.attempts],
          ['INVALID_QUERY', 1422, 'projects/query', 1],
        )
        assert.match(error.message, /nope/)
        if (error.class !== 'INVALID_QUERY') return assert.fail()
        const line: number | undefined = error.data.line
        assert.equal(line, 1)
        const absent = await failureOf(client.describe({ projectId: randomUUID() }))
        assert.deepEqual([absent.class, absent.data], ['FORBIDDEN', { path: 'projectId' }])
      })

      it('reports an invalid key', async () => {
        const stranger = createClient({ ...front.options, key: 'nobody', transport })
        const error = await failureOf(stranger.list())
        assert.deepEqual([error.class, error.code], ['UNAUTHENTICATED', 1401])
        assert.match(error.message, /unknown, revoked or expired/)
        stranger.close()
      })

      it('ends a call and an iteration when their signal aborts', async () => {
        const stop = new AbortController()
        const why = new Error('enough')
        const sql = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'
        const asked = client.query({ projectId: PROJECT, sql }, { signal: stop.signal })
        setImmediate(() => stop.abort(why))
        await assert.rejects(asked, why)
        await assert.rejects(client.list({}, { signal: stop.signal }), why)
        const during = new AbortController()
        const rows = client.rows({ projectId: PROJECT, sql: 'SELECT i FROM range(9) t(i)' }, { signal: during.signal })
        await rows.next()
        during.abort(why)
        await assert.rejects(rows.next(), why)
      })
    })

  it('says that a snapshot was replaced between two pages, and how to continue', async () => {
    const { projectId, key } = ownProject(service)
    await service.seal(projectId)
    const params = { projectId, sql: 'SELECT item FROM amounts ORDER BY ALL', page: { limit: 2 } }
    const clients = Object.values(TRANSPORTS).map(transport => createClient({ ...front.options, key, transport }))
    const readings = clients.map(client => client.rows(params))
    for (const rows of readings) assert.deepEqual(await rows.next(), { done: false, value: { item: 'land' } })
    const { nextCursor } = await createClient({ ...front.options, key }).query(params)
    await service.seal(projectId, { ...PACKAGE, 'notes.csv': 'note\nnew\n' })
    for (const rows of readings) {
      assert.equal((await rows.next()).done, false)
      await assert.rejects(rows.next(), (error: Error) => {
        assert.ok(error instanceof SnapshotReplacedError)
        assert.equal(error.rows, 2)
        assert.match(error.message, /new assessment.*2 rows so far.*call rows\(\) again/s)
        assert.ok(error.cause instanceof AnalyticsClientError)
        return true
      })
    }
    const page = { limit: 2, cursor: nextCursor }
    for (const client of clients) {
      const failed = await failureOf(client.rows({ ...params, page }).next())
      assert.deepEqual([failed.class, failed.data], ['INVALID_PARAMS', { path: 'page.cursor' }])
      const all: unknown[] = []
      for await (const row of client.rows({ ...params, page }, { restart: true })) all.push(row)
      assert.equal(all.length, 5)
      client.close()
    }
  })

  it('downloads from the configured address, whatever the host of the link', async () => {
    const client = createClient(front.options)
    const exported = await client.export({ projectId: PROJECT, sql: 'SELECT 1 AS n' })
    const elsewhere = exported.url.replace(/^http:..[^/]+/, 'https://evil.example')
    assert.equal((await client.readTable(elsewhere)).numRows, 1)
    await assert.rejects(
      client.download('https://evil.example/file'),
      /^TypeError: download\(\) takes what export\(\) gave/,
    )
  })

  it('refuses a download to a key of another owner, with NOT_FOUND', async () => {
    const { url } = await createClient(front.options).export({ projectId: PROJECT, sql: 'SELECT 1 AS n' })
    const south = createClient({ ...front.options, key: KEYS.south })
    await assert.rejects(south.download(url), { class: 'NOT_FOUND', method: 'download', data: {} })
    await assert.rejects(south.readTable(url), { class: 'NOT_FOUND' })
  })

  it('makes 40 calls on one socket, of which the service accepts 16 at a time', async () => {
    const client = createClient({ ...front.options, transport: TRANSPORTS.websocket, retry: false })
    const asked = Array.from({ length: 40 }, (_, n) => client.query({ projectId: PROJECT, sql: `SELECT ${n} AS n` }))
    const answers = await Promise.all(asked)
    assert.deepEqual(
      answers.map(({ items }) => items[0]),
      Array.from({ length: 40 }, (_, n) => ({ n })),
    )
    client.close()
  })

  it('opens a new socket after close()', async () => {
    const other = await startFront(service.api)
    const client = createClient({ ...other.options, transport: TRANSPORTS.websocket })
    assert.equal((await client.list()).items.length > 0, true)
    client.close()
    assert.equal((await client.list()).items.length > 0, true)
    client.close()
    other.close()
  })
})
