import assert from 'node:assert/strict'
import { join } from 'node:path'
import { defineCatalogue, defineQuery, defineTable, directorySnapshots } from 'foldgate'
import { fromRows, openSealer } from 'foldgate/sealing'
import { METER_FILES, meters } from '../../hints/meters.js'
import { scratchFolder } from '../../server/command.js'
import { PROJECT, type Service, startService } from '../../service/service.js'

const catalogue = defineCatalogue({
  relations: [...meters.relations.values()],
  queries: [
    defineQuery({
      name: 'of_countries',
      version: 1,
      about: 'The sites of a country and of one that callers are not told.',
      parameters: { country: { type: 'VARCHAR', about: 'The country' } },
      sql: "SELECT name FROM sites WHERE country IN ('SECRET', $country)",
    }),
  ],
})

interface Told {
  hints: { kind: string; message: string }[]
}

describe('hints', () => {
  let service: Service
  before(async () => {
    service = await startService({ catalogue, files: METER_FILES })
  })
  after(() => service.close())

  const ask = async (sql: string, more: object = {}, key?: string) => {
    const asked = { projectId: PROJECT, sql, include: ['hints'], ...more }
    const { status, body } = await service.call('projects/query', asked, key)
    assert.equal(status, 200, `${body.message}: ${sql.slice(0, 200)}`)
    return body.result as unknown as Told
  }

  it('tell nothing of relations that a key cannot read, whatever a statement calls its own tables', async () => {
    const only = { relations: ['sites'] }
    service.host.callers.set('key-sites', { keyId: 'k', ownerId: 'ada', organizations: ['north'], only })
    for (const sql of [
      "WITH RECURSIVE meters(kind) AS (SELECT 'power' UNION SELECT kind FROM meters WHERE kind = 'steel') FROM meters",
      "WITH meters AS (SELECT 'power' AS kind) SELECT * FROM meters WHERE kind = 'steel'",
      "SELECT * FROM sites, (SELECT 'power' AS kind) AS meters WHERE meters.kind = 'steel'",
    ])
      assert.deepEqual((await ask(sql, {}, 'key-sites')).hints, [], sql)
  })

  it('of a named query quote nothing of its SQL', async () => {
    const response = await fetch(`${service.url}/public/v1/queries/of_countries`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-north' },
      body: JSON.stringify({ projectId: PROJECT, include: ['hints'], parameters: { country: 'fr' } }),
    })
    assert.equal(response.status, 200)
    assert.ok(!(await response.text()).includes('SECRET'))
  })

  it('take no time for statements as long as they may be', async () => {
    const numbers = Array.from({ length: 8_000 }, (_, at) => 100_000 + at)
    const columns = Array.from({ length: 2_000 }, (_, at) => `site_id AS c${at}`)
    const names = columns.map((_, at) => `c${at}`)
    const sources = Array.from({ length: 50 }, (_, at) => `stocks s${at}`)
    const equal = sources.slice(1).map((_, at) => `s${49 - at}.site_id = s${48 - at}.site_id`)
    for (const sql of [
      `SELECT count(*) FROM sites WHERE site_id IN (${numbers.join(', ')})`,
      `SELECT ${columns.join(', ')} FROM sites GROUP BY ${names.join(', ')}`,
      `SELECT ${'count(*), '.repeat(20)}1 FROM ${sources.join(', ')} WHERE ${equal.join(' AND ')}`,
    ]) {
      const startedAt = performance.now()
      await ask(sql, { dryRun: true })
      assert.ok(performance.now() - startedAt < 4_000, `${performance.now() - startedAt} ms: ${sql.slice(0, 100)}`)
    }
  })
})

describe('statistics of values that Parquet holds otherwise', () => {
  const scratch = scratchFolder()

  it('keep no table from taking more rows', async () => {
    const columns = { id: 'BIGINT', huge: 'HUGEINT', far: 'DATE' }
    const of = defineCatalogue({ relations: [defineTable({ name: 'values', columns, unique: ['id'] })] })
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    const sealer = await openSealer({ catalogue: of, snapshots, folder: join(scratch.path, 'scratch') })
    try {
      const rows = (from: number) =>
        fromRows(Array.from({ length: 20_000 }, (_, at) => ({ id: from + at, huge: String(at), far: '12024-01-01' })))
      const seal = (from: number, append: string[]) =>
        sealer.seal({ projectId: PROJECT, tables: { values: rows(from) }, append })
      await seal(0, [])
      const { manifest } = await seal(20_000, ['values'])
      const [, huge, far] = manifest.tables[0]?.statistics?.columns ?? []
      assert.deepEqual([manifest.tables[0]?.rows, huge, far?.min], [40_000, null, undefined])
    } finally {
      await sealer.close()
    }
  })
})
