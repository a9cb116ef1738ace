import assert from 'node:assert/strict'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromCsv, openSealer, type Sealer, tableFiles } from 'foldgate/sealing'
import { scratchFolder } from '../../server/command.js'

const PROJECT = '7b0f0c52-5c3b-4a64-8a2f-0d5f3e6d0009'
/** More than two groups of rows in a Parquet file. */
const ROWS = 300_000
const catalogue = defineCatalogue({
  relations: [
    defineTable({ name: 'readings', columns: { id: 'BIGINT', place: 'VARCHAR', value: 'DOUBLE' }, unique: ['id'] }),
  ],
})

describe('a table of several groups of rows', () => {
  const scratch = scratchFolder()
  let sealer: Sealer
  before(async () => {
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    const folder = join(scratch.path, 'scratch')
    sealer = await openSealer({ catalogue, snapshots, folder, fileBytes: 100_000 })
  })
  after(() => sealer?.close())

  /** Rows in another order: numbers from 0 to ROWS, each once, since both numbers have no common divisor. */
  function* readings(step: number): Generator<string> {
    yield 'id,place,value\n'
    for (let row = 0; row < ROWS; row += 1000)
      yield Array.from({ length: 1000 }, (_, at) => ((row + at) * step) % ROWS)
        .map(id => `${id},place ${id % 977},${id / 7}\n`)
        .join('')
  }
  const digests = async (step: number, isOrdered = false) => {
    const readable = fromCsv(Array.from(readings(step)), { isOrdered })
    const { manifest } = await sealer.seal({ projectId: PROJECT, tables: { readings: readable } })
    assert.equal(manifest.tables[0]?.rows, ROWS)
    return manifest.tables.flatMap(tableFiles).map(({ sha256 }) => sha256)
  }

  it('is made of the same files, whatever the order in which its rows come', async () => {
    const ascending = await digests(1)
    assert.ok(ascending.length > 1)
    assert.deepEqual(await digests(7), ascending)
    assert.deepEqual(await digests(299_999), ascending)
  })

  it('is made of others when the order says something', async () => {
    assert.notDeepEqual(await digests(7, true), await digests(1))
  })
})
