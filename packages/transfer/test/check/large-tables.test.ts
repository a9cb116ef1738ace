import assert from 'node:assert/strict'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { compareTables } from '#transfer/comparison/compare-tables.js'
import { scratchFolder } from '../../../../test/server/command.js'

const ROWS = 800_000
const folder = scratchFolder()

describe('the comparison of large tables', () => {
  it('spills what does not fit into its memory', async () => {
    const [from, to, scratch] = ['from', 'to', 'scratch'].map(name => join(folder.path, name))
    assert.ok(from && to && scratch)
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    // 20 distinct texts per row, in all more than the 1 GiB that DuckDB holds at once.
    const texts = Array.from({ length: 20 }, (_, at) => `hash(k, ${at})::VARCHAR || s AS c${at}`).join(', ')
    for (const [at, path] of [from, to, scratch].entries()) {
      await mkdir(path)
      if (path === scratch) continue
      const marked = `SELECT range AS k, CASE WHEN range % 1000 = 0 THEN ${at} ELSE 9 END AS s FROM range(${ROWS})`
      await connection.run(`COPY (SELECT k, ${texts} FROM (${marked})) TO '${path}/t.parquet' (FORMAT parquet)`)
    }
    const table = { name: 't', from: join(from, 't.parquet'), to: join(to, 't.parquet'), key: ['k'] }
    const job = { tables: [table], limit: 1 }
    const [found] = await compareTables(job, scratch, AbortSignal.timeout(200_000))
    assert.deepEqual(found?.rows, { from: ROWS, to: ROWS, added: 0, removed: 0, changed: 800 })
    assert.equal(found.shown?.changed[0]?.columns.length, 20)
    assert.deepEqual(await readdir(scratch), [])
  }).timeout(200_000)
})
