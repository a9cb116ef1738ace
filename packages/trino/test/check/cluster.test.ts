import assert from 'node:assert/strict'
import { rowsOf } from './ask.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'

describe('the Trino of the suites', () => {
  let trino: Cluster
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
  })

  it('answers, and keeps tables in its warehouse', async () => {
    const { url, catalog } = trino
    await rowsOf(url, `CREATE SCHEMA ${catalog}.cluster_test`)
    await rowsOf(url, `CREATE TABLE ${catalog}.cluster_test.t AS SELECT 20 + 22 AS n`)
    assert.deepEqual(await rowsOf(url, `SELECT n FROM ${catalog}.cluster_test.t`), [[42]])
    await rowsOf(url, `DROP SCHEMA ${catalog}.cluster_test CASCADE`)
  })
})
