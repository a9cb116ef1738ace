import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineTables, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, tableFiles } from 'foldgate/sealing'
import { PACKAGE } from '../../service/service.js'
import { tablesOf } from '../../stored.js'

const MIB = 1024 ** 2
const ROWS = 1_200_000
const FILE_BYTES = 16 * MIB
/** DuckDB may use a quarter of it, which is less than it would take to sort the table in memory. */
const MEMORY_BYTES = 1536 * MIB

const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: defineTables('entities', 'readings'),
})

describe('a large table', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('is sealed in its order and within the memory limit, in files of the size that was asked for', async function () {
    this.timeout(120_000)
    const source = join(folder, 'package')
    await mkdir(source)
    await writeFile(join(source, 'entities.csv'), PACKAGE['entities.csv'])
    const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GiB' })
    const connection = await instance.connect()
    const text = Array.from({ length: 8 }, (_, at) => `md5(i || '-${at}')`).join(' || ')
    await connection.run(
      `COPY (SELECT i AS place, ${text} AS reading FROM range(${ROWS}) t(i))
       TO '${join(source, 'readings.parquet')}' (FORMAT parquet)`,
    )
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    const limits = { memoryLimitBytes: MEMORY_BYTES, fileBytes: FILE_BYTES }
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch'), ...limits })
    const projectId = randomUUID()
    const { manifest } = await sealer
      .seal({ projectId, assessmentId: 'large', tables: fromFolder(source) })
      .finally(() => sealer.close())
    const sealed = tablesOf(join(folder, 'snapshots'), projectId)
    assert.deepEqual(await snapshots.verify(projectId, manifest.snapshotId), [])
    const files = manifest.tables.flatMap(table => (table.name === 'readings' ? tableFiles(table) : []))
    const paths = files.map(({ file }) => join(sealed, file))
    const sizes = await Promise.all(paths.map(async path => (await stat(path)).size))
    assert.ok(sizes.length > 5, String(sizes))
    for (const size of sizes.slice(0, -1)) assert.ok(size >= FILE_BYTES && size < 2 * FILE_BYTES, String(sizes))
    const read = await connection.runAndReadAll(
      `SELECT count(*), count(*) FILTER (WHERE place = number)
       FROM (SELECT place, row_number() OVER () - 1 AS number FROM read_parquet([${paths.map(path => `'${path}'`)}]))`,
    )
    assert.deepEqual(read.getRows(), [[BigInt(ROWS), BigInt(ROWS)]])
    instance.closeSync()
  })
})
