import assert from 'node:assert/strict'
import { ask, rowsOf } from './ask.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'

const [OWN, OTHER] = ['p_00000000000000aa', 'p_00000000000000ab']
const HIDDEN = 's_00000000000000aa'

describe('the rules on a cluster', () => {
  let trino: Cluster
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
    await rowsOf(trino.url, `CREATE SCHEMA ${HIDDEN}`)
    await rowsOf(trino.url, `CREATE TABLE ${HIDDEN}.t AS SELECT 'kept' AS word`)
    for (const schema of [OWN, OTHER]) {
      await rowsOf(trino.url, `CREATE SCHEMA ${schema}`)
      await rowsOf(trino.url, `CREATE VIEW ${schema}.v SECURITY DEFINER AS SELECT word FROM ${HIDDEN}.t`)
    }
  })
  after(async () => {
    for (const schema of [OWN, OTHER, HIDDEN]) if (trino) await rowsOf(trino.url, `DROP SCHEMA ${schema} CASCADE`)
  })

  const as = (user: string, sql: string) => ask(trino.url, sql, { user, source: 'foldgate/aa', schema: OWN })
  const denied = async (user: string, sql: string) => {
    const { error, rows } = await as(user, sql)
    assert.deepEqual([error?.errorName, rows], ['PERMISSION_DENIED', []], `${sql}: ${error?.message}`)
  }

  it('let a caller read views of the own schema, over tables that it may not read', async () => {
    assert.deepEqual((await as(OWN, 'SELECT word FROM v')).rows, [['kept']])
    await denied(OWN, `SELECT word FROM ${HIDDEN}.t`)
    await denied(OWN, `SELECT word FROM ${OTHER}.v`)
    await denied(OTHER, 'SELECT word FROM v')
  })

  it('list a caller the own relations only', async () => {
    const list = 'SELECT table_schema, table_name FROM information_schema.tables'
    assert.deepEqual((await as(OWN, `${list} WHERE table_schema <> 'information_schema'`)).rows, [[OWN, 'v']])
    const columns = `SELECT DISTINCT table_schema FROM information_schema.columns WHERE table_schema LIKE '%\\_0%' ESCAPE '\\'`
    assert.deepEqual((await as(OWN, columns)).rows, [[OWN]])
  })

  it('let a caller write nothing, and set nothing', async () => {
    for (const sql of [
      'CREATE TABLE t (n int)',
      'CREATE VIEW w AS SELECT 1 AS n',
      'DROP VIEW v',
      `INSERT INTO ${HIDDEN}.t VALUES 'x'`,
      `DELETE FROM ${HIDDEN}.t`,
      'CREATE SCHEMA mine',
      `CALL iceberg.system.register_table('a', 'b', 'local:///x')`,
      "SET SESSION join_reordering_strategy = 'NONE'",
    ])
      await denied(OWN, sql)
  })

  it('hide the queries of others, and refuse the catalog of the system', async () => {
    await denied(OWN, 'SELECT * FROM system.runtime.queries')
    await denied(OWN, 'SELECT * FROM system.runtime.nodes')
    await denied(OWN, `CALL system.runtime.kill_query('x', 'y')`)
  })

  it('refuse everyone else everything', async () => {
    await denied('somebody', 'SELECT word FROM v')
    await denied(`${OWN}0`, 'SELECT word FROM v')
    await denied('somebody', 'SELECT 1')
  })

  it('put a query into the queue of its organization', async () => {
    const { id } = await as(OWN, 'SELECT 1')
    const queues = `SELECT resource_group_id FROM system.runtime.queries WHERE query_id = '${id}'`
    assert.deepEqual(await rowsOf(trino.url, queues), [[['foldgate', 'callers', 'aa']]])
    const { error } = await ask(trino.url, 'SELECT 1', { user: OWN, source: 'elsewhere' })
    assert.equal(error?.errorName, 'QUERY_REJECTED')
  })

  it('end a statement that is planned for too long', async () => {
    const { error } = await as(
      OWN,
      `SELECT regexp_like('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(x+x+)+y|(a?){40}a{40}b')`,
    )
    assert.equal(error?.errorName, 'EXCEEDED_TIME_LIMIT')
  }).timeout(60_000)
})
