import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompressionType, compressionRegistry } from 'apache-arrow'
import { fromLz4Frame } from '#lib/client/lz4.js'
import { BareEngine } from './bare-engine.js'
import type { Right } from './compare.js'
import { type Report, readReports, writeReportTables } from './reports.js'
import { serve } from './service.js'
import { type Answerers, differencesOf, rightOf } from './ways.js'

describe('a reported wrong answer', () => {
  let folder: string
  let who: Answerers
  before(async function () {
    this.timeout(120_000)
    compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: fromLz4Frame })
    folder = await mkdtemp(join(tmpdir(), 'foldgate-reports-'))
    const tables = await writeReportTables(folder)
    const service = await serve(folder, tables)
    const bare = await BareEngine.open(folder, tables, service.sealed)
    await bare.read('sealed')
    who = { service, bare, next: null }
  })
  after(async () => {
    who?.bare.close()
    await who?.service.close()
    await rm(folder, { recursive: true, force: true })
  })

  for (const report of readReports())
    it(`is right: ${report.name}`, async () => {
      const statement = { sql: report.sql, keys: [], columns: [], condition: 'true' }
      const differences = await differencesOf(statement, await rowsOf(report), who)
      // A refusal is an answer too where it may be one, by every way alike but for its place.
      const told = differences.map(({ what }) => what.replace(/The query failed: | \(line \d+, column \d+\)/g, ''))
      if (report.mayBeRefused && differences[0]?.isLoud && told.every(each => each === told[0])) return
      assert.deepEqual(
        differences.map(({ way, what }) => `${way}: ${what}`),
        [],
        report.sql,
      )
    }).timeout(60_000)

  /** The right rows, which many are computed without the optimizer and checked by their number and the first ones. */
  async function rowsOf({ sql, right, isSorted, name }: Report): Promise<Right> {
    const places = (rows: readonly (readonly unknown[])[]) => (isSorted ? (rows[0] ?? []).map((_, at) => at) : [])
    if (!('first' in right)) return { rows: right, keys: places(right) }
    const found = await rightOf(who.bare, { sql, keys: [], columns: [], condition: 'true' }, Number.POSITIVE_INFINITY)
    assert.ok(found, name)
    const { rows } = found
    assert.deepEqual([rows.length, rows.slice(0, right.first.length)], [right.rows, right.first])
    return { rows, keys: places(rows) }
  }
})
