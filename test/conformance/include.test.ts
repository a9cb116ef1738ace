import assert from 'node:assert/strict'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { readCsv } from '../types/csv-fields.js'

const SQL = 'SELECT i, $v AS v FROM range(40) t(i) ORDER BY i'
const COLUMNS = [
  { name: 'i', type: 'BIGINT' },
  { name: 'v', type: 'VARCHAR' },
]
const { fold, table, catalogue } = VENDOR

interface Sent {
  status: number
  etag: string | null
  headers: Headers
  text: string
}

describe('what results have besides rows', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  async function ask(params: object, headers: Record<string, string> = {}): Promise<Sent> {
    const response = await fetch(`${service.url}/public/v1/api/projects/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.north}`, ...headers },
      body: JSON.stringify({ projectId: PROJECT, ...params }),
    })
    const { status } = response
    return { status, headers: response.headers, etag: response.headers.get('etag'), text: await response.text() }
  }
  const resultOf = ({ text }: Sent) => JSON.parse(text).result

  it('is the same on every page, whether it runs alone or is cut from stored rows', async () => {
    for (const [sql, type] of [
      [SQL, 'VARCHAR'],
      ['SELECT random() AS r, $v AS v FROM range(40)', 'VARCHAR'],
    ] as const) {
      const call = { sql, parameters: { v: 'x' }, include: ['total', 'columns'] }
      const seen: unknown[] = []
      let cursor: string | undefined
      do {
        const result = resultOf(await ask({ ...call, page: { limit: 9, ...(cursor ? { cursor } : {}) } }))
        assert.equal(result.total, 40)
        assert.equal(result.columns[1].type, type)
        seen.push(...result.items)
        cursor = result.nextCursor
      } while (cursor)
      assert.equal(seen.length, 40)
    }
  })

  // Some body parsers of hosts refuse this name, so that it is no case of every mount.
  it('has a column for a value whose name is __proto__', async () => {
    const params = JSON.parse('{"sql":"SELECT $__proto__ AS a","parameters":{"__proto__":1},"include":["columns"]}')
    const { items, columns } = resultOf(await ask(params))
    assert.deepEqual([items, columns], [[{ a: 1 }], [{ name: 'a', type: 'BIGINT' }]])
  })

  it('is on a page that is known, and can be left out of the next one', async () => {
    const call = { sql: SQL, parameters: { v: 'known' }, page: { limit: 9 } }
    const plain = resultOf(await ask(call))
    const both = resultOf(await ask({ ...call, include: ['columns', 'total'] }))
    assert.deepEqual(both, { ...plain, columns: COLUMNS, total: 40 })
    const { nextCursor } = both
    assert.equal('columns' in resultOf(await ask({ ...call, page: { cursor: nextCursor } })), false)
  })

  it('is in the ETag: with columns it is another one, and with a total there is none', async () => {
    const call = { sql: SQL, parameters: { v: 'tag' }, page: { limit: 9 } }
    const plain = await ask(call)
    const columns = await ask({ ...call, include: ['columns'] })
    const other = await ask({ ...call, parameters: { v: 'gat' } })
    const total = await ask({ ...call, include: ['columns', 'total'] })
    assert.equal(new Set([plain.etag, columns.etag, other.etag]).size, 3)
    assert.ok(plain.etag && columns.etag && other.etag)
    assert.equal(total.etag, null)
    for (const [sent, { etag }, status] of [
      [call, plain, 304],
      [{ ...call, include: ['columns'] }, columns, 304],
      [{ ...call, include: ['columns', 'columns'] }, columns, 304],
      [{ ...call, parameters: { V: { type: 'text', value: 'tag' } } }, plain, 304],
      [call, columns, 200],
      [{ ...call, include: ['columns'] }, plain, 200],
      [call, other, 200],
      [{ ...call, include: ['columns', 'total'] }, columns, 200],
      [{ ...call, dryRun: true }, plain, 200],
    ] as const)
      assert.equal((await ask(sent, { 'if-none-match': etag ?? '' })).status, status, JSON.stringify(sent))
  })

  it('changes nothing of a page as CSV', async () => {
    const call = { sql: SQL, parameters: { v: 'a;b' }, page: { limit: 2 } }
    const plain = await ask(call, { accept: 'text/csv' })
    const both = await ask({ ...call, include: ['columns', 'total'] }, { accept: 'text/csv' })
    assert.equal(both.status, 200, both.text)
    assert.equal(both.text, plain.text)
    assert.deepEqual(
      readCsv(both.text).map(record => record.map(({ text }) => text)),
      [
        ['i', 'v'],
        ['0', 'a;b'],
        ['1', 'a;b'],
      ],
    )
  })

  it('is told by a dry run, which builds nothing and keeps nothing', async () => {
    const mine = await startService()
    try {
      const { cacheBytes } = mine.api.stats()
      const call = { projectId: PROJECT, sql: `SELECT * FROM ${fold.name} WHERE $v`, parameters: { v: true } }
      const dry = await mine.call('projects/query', { ...call, dryRun: true })
      const { result } = dry.body as { result: { relations: unknown; columns: unknown; items: unknown } }
      assert.deepEqual(result.relations, [{ name: fold.name, built: false }], dry.body.message)
      assert.deepEqual(result.items, [])
      assert.equal(mine.api.stats().cacheBytes, cacheBytes)
      assert.deepEqual(
        mine.events.filter(({ type }) => type === 'build'),
        [],
      )
      const { body } = await mine.call('projects/query', { ...call, include: ['columns'] })
      assert.deepEqual(body.result?.columns, result.columns)
      const after = (await mine.call('projects/query', { ...call, dryRun: true })).body as typeof dry.body
      assert.deepEqual(after.result, { ...result, relations: [{ name: fold.name, built: true }] })
      const both = await mine.call('projects/query', {
        projectId: PROJECT,
        sql: `SELECT count(*) AS n FROM ${fold.name}, ${fold.other}`,
        dryRun: true,
      })
      assert.deepEqual(
        new Map(
          (both.body.result?.relations as { name: string; built?: boolean }[]).map(each => [each.name, each.built]),
        ),
        new Map([
          [fold.name, true],
          [fold.other, false],
        ]),
      )
    } finally {
      await mine.close()
    }
  })

  it('is told by a dry run where no snapshot is: NOT_READY, unless the statement is refused', async () => {
    const projectId = '44444444-4444-4444-8444-444444444444'
    service.host.addProject({ projectId, running: true })
    for (const [sql, error] of [
      ['SELECT 1', 'NOT_READY'],
      [`DELETE FROM ${table.name}`, 'INVALID_QUERY'],
    ]) {
      const { body } = await service.call('projects/query', { projectId, sql, dryRun: true })
      assert.equal(body.class, error, sql)
    }
    const { body } = await service.call(
      'projects/query',
      { projectId: PROJECT, sql: 'SELECT 1', dryRun: true },
      KEYS.south,
    )
    assert.equal(body.class, 'FORBIDDEN')
  })

  it('has the types that projects/describe has', async () => {
    for (const name of [fold.name, fold.other, table.name, ...catalogue.summaries.map(each => each.name)].slice(0, 8)) {
      const described = await service.call('projects/describe', { projectId: PROJECT, relation: name })
      const { body } = await service.call('projects/query', {
        projectId: PROJECT,
        sql: `FROM ${name} LIMIT 1`,
        include: ['columns'],
      })
      const told = (described.body.result?.columns ?? []).map(({ name: column, type }) => ({ name: column, type }))
      assert.deepEqual(body.result?.columns, told, name)
    }
  })
})
