import assert from 'node:assert/strict'
import { tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'
import { readParquetRows } from '../../../../test/types/arrow.js'
import { statementOf, TYPE_CASES } from '../../../../test/types/cases.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'
import { ON_DUCKDB, ON_TRINO, type Site, startSite } from './site.js'
import { REFUSED, TRINO_CASES, trinoStatementOf } from './type-cases.js'

/** Cases of HUGEINT, of which Trino has decimals, and of timestamps of fewer digits than Iceberg's. */
const ONLY_ON_DUCKDB = new Set(['timestamp_s', 'timestamp_ms', 'struct_of_lost', 'map_of_huge'])

describe('the types of Trino', () => {
  let site: Site
  let items: Record<string, unknown>[]
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    const trino: Cluster = await sharedCluster(this)
    site = await startSite(trino)
    await site.seal(ON_TRINO)
    await site.seal(ON_DUCKDB)
    const page = await site.query(trinoStatementOf(TRINO_CASES))
    items = page.result?.items ?? assert.fail(page.message)
  })
  after(() => site?.close())

  for (const { name, json } of TRINO_CASES)
    it(`are ${name} as the contract has it, in pages`, () => {
      assert.deepEqual(
        items.map(row => row[name]),
        json,
      )
    })

  it('are the same values in exports, in their order and with their names', async () => {
    const bytes = await site.exported(ON_TRINO, trinoStatementOf(TRINO_CASES))
    const expected = [0, 1].map(row =>
      Object.fromEntries(TRINO_CASES.map(({ name, json, parquet = json }) => [name, parquet[row]])),
    )
    assert.deepEqual(readParquetRows(bytes), expected)
  })

  it('have the types of Parquet that the same types of DuckDB have', async () => {
    const shared = TRINO_CASES.flatMap(({ name }) => TYPE_CASES.find(each => each.name === name) ?? [])
    const typesOf = (bytes: Uint8Array) =>
      new Map(tableFromIPC(readParquet(bytes).intoIPCStream()).schema.fields.map(({ name, type }) => [name, `${type}`]))
    const onTrino = typesOf(await site.exported(ON_TRINO, trinoStatementOf(TRINO_CASES)))
    const onDuckdb = typesOf(await site.exported(ON_DUCKDB, statementOf(shared)))
    for (const { name } of shared) {
      if (!ONLY_ON_DUCKDB.has(name)) assert.equal(onTrino.get(name), onDuckdb.get(name), name)
    }
  })

  for (const [sql, says] of REFUSED)
    it(`refuse ${sql} with a way round`, async () => {
      for (const method of ['projects/query', 'projects/export']) {
        const refused = await site.call(method, { projectId: ON_TRINO, sql: `SELECT ${sql}` })
        assert.equal(refused.class, 'INVALID_QUERY', `${method}: ${refused.message}`)
        assert.match(refused.message ?? '', says)
      }
    })
})
