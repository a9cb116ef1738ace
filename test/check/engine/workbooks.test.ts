import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { resultColumns } from '#lib/duckdb/child/bound-statement.js'
import { DuckDBInstance, type Instance } from '#lib/duckdb/child/duckdb.js'
import { describeFailure } from '#lib/duckdb/child/duckdb-failure.js'
import { writeXlsx } from '#lib/duckdb/child/write-xlsx.js'
import type { JobFailure } from '#lib/duckdb/jobs.js'
import { until } from '../../until.js'

/** More rows than any test waits for. */
const ENDLESS = 'SELECT md5(i::VARCHAR) AS a, md5((i + 1)::VARCHAR) AS b FROM range(1000000) t(i)'

describe('a workbook that cannot be written', () => {
  let instance: Instance
  let connection: DuckDBConnection
  let folder: string
  before(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1', errors_as_json: 'true' })
    folder = await mkdtemp(join(tmpdir(), 'foldgate-workbooks-'))
  })
  beforeEach(async () => {
    connection = await instance.connect()
  })
  afterEach(async () => {
    connection.disconnectSync()
    assert.deepEqual(await readdir(folder), [], 'nothing is left')
  })
  after(async () => {
    instance.closeSync()
    await rm(folder, { recursive: true })
  })

  const limits = { maxBytes: 2 ** 30, spillBytes: 2 ** 30, signal: new AbortController().signal, file: 'a.xlsx' }

  async function failureOf(sql: string, given: Partial<typeof limits> = {}): Promise<JobFailure> {
    const { maxBytes, spillBytes, signal, file } = { ...limits, ...given }
    const statement = { sql, relations: [], volatile: false }
    const columns = await resultColumns(connection, statement)
    const copying = { statement, columns, path: join(folder, file), maxBytes, signal }
    const written = writeXlsx(connection, copying, { metadata: {} }, spillBytes)
    return written.then(() => assert.fail('it was written'), describeFailure)
  }

  it('fails when its file passes the limit', async () => {
    assert.deepEqual(await failureOf(ENDLESS, { maxBytes: 100_000 }), {
      kind: 'file-bytes',
      text: 'The file passed 100000 bytes. Select fewer rows or columns.',
    })
  })

  it('fails when the sheet passes the limit of what may be spilled, however small its file is', async () => {
    const { kind, text } = await failureOf("SELECT repeat('x', 30000) AS a FROM range(1000000)", {
      spillBytes: 2 ** 20,
    })
    assert.equal(kind, 'file-bytes')
    assert.match(text, /^The sheet passed 1048576 bytes of XML\./)
  })

  it('fails with the reason of a caller that leaves', async () => {
    const leaving = new AbortController()
    const failed = failureOf(ENDLESS, { signal: leaving.signal })
    await until(async () => (await stat(join(folder, 'a.xlsx')).catch(() => null))?.size, 'rows are written')
    connection.interrupt()
    leaving.abort(new Error('left'))
    assert.equal((await failed).cause, 'left')
  })

  it('fails on text that is not UTF-8', async () => {
    const half = "regexp_extract('é', '\\C')" // the guard refuses this
    for (const text of [half, `'&' || ${half}`, `['a' || ${half}]`]) {
      const { kind, text: message } = await failureOf(`SELECT ${text} AS a FROM range(3000)`)
      assert.equal(kind, 'query')
      assert.match(message, /UTF-?8/i)
    }
  })

  it('fails when its file cannot be made', async () => {
    assert.equal((await failureOf('SELECT 1 AS a', { file: 'missing/a.xlsx' })).kind, 'disk')
  })
})
