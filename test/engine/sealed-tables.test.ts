import assert from 'node:assert/strict'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineFold, defineTable } from 'foldgate'
import { PROJECT, type Service, startService } from '../service/service.js'
import { cachedRelations } from '../stored.js'
import { until } from '../until.js'

const ROWS = 200_000
const CODES = 50
const catalogue = defineCatalogue({
  relations: [
    defineTable({ name: 'sales', columns: { id: 'BIGINT', price: 'BIGINT', shop: 'VARCHAR' } }),
    defineTable({ name: 'codes', columns: { id: 'BIGINT', code: 'BLOB' } }),
    defineFold({
      name: 'takings',
      about: 'One row per shop.',
      reads: ['sales'],
      sql: 'SELECT shop, sum(price) AS price FROM sales GROUP BY shop',
    }),
  ],
})
const priceOf = (id: number) => (id * 7_919) % 1_000
const lines = (count: number, line: (id: number) => string) =>
  Array.from({ length: count }, (_, id) => line(id)).join('\n')
const files = {
  'sales.csv': `id,price,shop\n${lines(ROWS, id => `${id},${priceOf(id)},shop ${id % 7}`)}\n`,
  'codes.csv': `id,code\n${lines(CODES * 100, id => `${id},code ${id % CODES}`)}\n`,
}
const TOTAL = Array.from({ length: ROWS }, (_, id) => priceOf(id)).reduce((sum, price) => sum + price, 0)
const SUM = 'SELECT sum(price) AS n FROM sales'

/** Damages the rows of a Parquet file, and not its metadata, in a file of its own. */
async function damageRows(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes.fill(7, 100, bytes.length - 10_000)
  await rm(path)
  await writeFile(path, bytes)
}

const reasonOf = (cause: unknown) => (cause instanceof Error ? `${cause.message} ${cause.cause}` : 'done')

describe('stored tables', () => {
  let service: Service
  /** A comment makes each statement another one, whose result is not stored yet. */
  let asked = 0
  beforeEach(async () => {
    service = await startService({ catalogue, files })
  })
  afterEach(() => service.close())

  const n = async (sql: string) => {
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql: `${sql} -- ${++asked}` })
    return Number(body.result?.items?.[0]?.n ?? assert.fail(body.message))
  }
  const builds = () =>
    service.events.flatMap(event => (event.type === 'build' ? [[event.relation, reasonOf(event.cause)]] : []))
  const cached = async () =>
    [...(await cachedRelations(join(service.folder, 'engine', 'cache', PROJECT))).values()].flat()
  const kinds = async () => (await cached()).map(path => path.replace(/^.*\./, '')).sort()
  it('are read as they are sealed, and no statement waits until they are built', async () => {
    assert.equal(await n(SUM), TOTAL)
    assert.deepEqual([builds(), await kinds()], [[], ['parquet']])
  })

  it('are read as they are sealed by the folds over them', async () => {
    assert.equal(await n('SELECT sum(price) AS n FROM takings'), TOTAL)
    assert.deepEqual([builds(), await kinds()], [[['takings', 'done']], ['duckdb', 'parquet']])
  })

  it('are built behind the answers once they are read often, and answer as before', async () => {
    const statements = [
      SUM,
      'SELECT count(*) AS n FROM sales WHERE price = 77',
      "SELECT max(id) AS n FROM sales WHERE shop = 'shop 3' AND price < 500",
      'SELECT id AS n FROM sales ORDER BY price DESC, id LIMIT 1',
    ]
    const answers = () => Promise.all(statements.map(n))
    const before = await answers()
    assert.deepEqual(await kinds(), ['parquet'])
    await until(async () => {
      assert.deepEqual(await answers(), before)
      return builds().length > 0
    }, 'the table is built')
    assert.deepEqual(builds(), [['sales', 'done']])
    assert.ok((await kinds()).includes('duckdb'))
    assert.deepEqual(await answers(), before)
    assert.deepEqual(builds(), [['sales', 'done']])
  })

  it('are built although the service is never idle', async () => {
    await service.close()
    service = await startService({ catalogue, files, engine: { connections: 1 } })
    const isBuilt = () => builds().some(([name]) => name === 'sales')
    // With one connection and three clients, another call waits whenever one ends.
    const client = async () => {
      while (!isBuilt()) assert.equal(await n(SUM), TOTAL)
    }
    await Promise.all([client(), client(), client()])
    assert.deepEqual(builds(), [['sales', 'done']])
  }).timeout(60_000)

  it('have no other columns and refusals built than as they were sealed, and neither have folds', async () => {
    const refusal = async (sql: string) => {
      const { body } = await service.call('projects/query', { projectId: PROJECT, sql: `${sql} -- ${++asked}` })
      return body.message?.split(/\n| \(line/)[0] ?? assert.fail(JSON.stringify(body))
    }
    const wrong = ['SELECT rowid FROM sales', 'SELECT s.rowid FROM sales s', 'SELECT s.nothing FROM sales s']
    const refusals = async () => {
      const told: string[] = []
      for (const sql of wrong) told.push(await refusal(sql))
      return told
    }
    const before = await refusals()
    assert.match(before.join(), /^(The query failed: (Referenced column|Table "s").*){3}$/)
    assert.match(await refusal('SELECT rowid FROM takings'), /Referenced column "rowid" not found/)
    assert.equal(await n('WITH t AS (SELECT 7 AS rowid FROM sales LIMIT 1) SELECT rowid AS n FROM t'), 7)
    await until(
      async () => (await n(SUM)) === TOTAL && builds().some(([name]) => name === 'sales'),
      'the table is built',
    )
    assert.deepEqual(await refusals(), before)
  })

  it('with columns of BLOB are built first, since their values would be compared wrongly', async () => {
    assert.equal(await n("SELECT count(*) AS n FROM codes WHERE code = 'code 7'::BLOB"), 100)
    assert.deepEqual([builds(), await kinds()], [[['codes', 'done']], ['duckdb']])
  })

  for (const [what, damage] of [
    ['gone', (path: string) => rm(path)],
    ['damaged', (path: string) => rm(path).then(() => writeFile(path, 'PAR1damagedPAR1'))],
    ['damaged in its rows', (path: string) => damageRows(path)],
  ] as const)
    it(`are taken from the snapshot again when a file of the cache is ${what}`, async () => {
      assert.equal(await n(SUM), TOTAL)
      for (const path of await cached()) await damage(path)
      const held = service.api.pids() // they have the intact file open
      for (const pid of held) process.kill(pid, 'SIGKILL')
      await until(() => !service.api.pids().some(pid => held.includes(pid)), 'other processes')
      assert.equal(await n(SUM), TOTAL)
    })

  it('are taken from the snapshot again when a fold finds their rows damaged', async () => {
    assert.equal(await n(SUM), TOTAL)
    for (const path of await cached()) await damageRows(path)
    const held = service.api.pids()
    for (const pid of held) process.kill(pid, 'SIGKILL')
    await until(() => !service.api.pids().some(pid => held.includes(pid)), 'other processes')
    assert.equal(await n('SELECT sum(price) AS n FROM takings'), TOTAL)
  })

  it('that have changed since they were linked are found before they are built', async () => {
    assert.equal(await n(SUM), TOTAL)
    const [path = ''] = await cached()
    // Of another file, so that the snapshot itself stays as it is: the name of the program that wrote it.
    const bytes = await readFile(path)
    bytes.write('another', bytes.lastIndexOf('DuckDB version'))
    await writeFile(`${path}.copy`, bytes)
    await rename(`${path}.copy`, path)
    for (const pid of service.api.pids()) process.kill(pid, 'SIGKILL')
    await until(async () => {
      assert.equal(await n(SUM), TOTAL)
      return builds().some(([, reason = '']) => /digest differs from the manifest/.test(reason))
    }, 'the change is found')
    await until(async () => {
      assert.equal(await n(SUM), TOTAL)
      return (await kinds()).includes('duckdb')
    }, 'the table is built')
  })
})
