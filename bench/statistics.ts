import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, tableFiles } from 'foldgate/sealing'
import { statisticsOfFiles } from '../test/hints/file-statistics.js'
import { median, timed } from './assessed.js'
import type { Figure } from './run.js'

const [ROWS, ROUNDS] = [1_000_000, 3]
/** Columns as orders of a shop have them: keys, amounts, few and many texts, days, moments, NULLs. */
const COLUMNS = {
  line_id: ['BIGINT', 'i'],
  order_id: ['BIGINT', 'i // 4'],
  product_id: ['INTEGER', 'hash(i) % 20000'],
  supplier_id: ['INTEGER', 'hash(i + 1) % 1000'],
  quantity: ['INTEGER', '1 + hash(i + 2) % 50'],
  price: ['DECIMAL(12,2)', '(hash(i + 3) % 1000000) / 100'],
  discount: ['DECIMAL(4,2)', '(hash(i + 4) % 11) / 100'],
  weight: ['DOUBLE', 'hash(i + 5) % 100000 / 7'],
  state: ['VARCHAR', "['open', 'paid', 'cancelled'][1 + (hash(i + 6) % 3)::INTEGER]"],
  country: ['VARCHAR', "['DE', 'FR', 'ES', 'IT', 'PL', 'NL'][1 + (hash(i + 7) % 6)::INTEGER]"],
  carrier: ['VARCHAR', "CASE WHEN i % 3 > 0 THEN 'carrier ' || hash(i + 8) % 12 END"],
  remark: ['VARCHAR', "CASE WHEN i >= 5000 THEN 'remark ' || hash(i + 9) END"],
  ordered_on: ['DATE', "DATE '2024-01-01' + (i // 1500)::INTEGER"],
  shipped_on: ['DATE', "CASE WHEN i % 5 > 0 THEN DATE '2024-01-03' + (i // 1500)::INTEGER END"],
  changed_at: ['TIMESTAMP', "TIMESTAMP '2024-01-01' + to_seconds(i * 47)"],
  is_gift: ['BOOLEAN', 'i % 17 = 0'],
} as const

/** Measures what a seal takes, and of that what it takes to know what the values of the columns are. */
export async function run(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const format of ['csv', 'parquet'] as const) {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
    try {
      figures.push(await measure(format, folder))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return figures
}

async function measure(format: 'csv' | 'parquet', folder: string): Promise<Figure> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const source = join(folder, 'package')
  await mkdir(source)
  const list = Object.entries(COLUMNS).map(([name, [type, sql]]) => `(${sql})::${type} AS ${name}`)
  await connection.run(`COPY (SELECT ${list} FROM range(${ROWS}) t(i)) TO '${join(source, `lines.${format}`)}'`)
  const columns = Object.entries(COLUMNS).map(([name, [type]]) => ({ name, type }))
  const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]))
  const catalogue = defineCatalogue({
    relations: [defineTable({ name: 'lines', columns: types, unique: ['line_id'] })],
  })
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  const seals: number[] = []
  const statistics: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const projectId = randomUUID()
    const started = performance.now()
    const { manifest } = await sealer.seal({ projectId, tables: fromFolder(source) })
    seals.push(performance.now() - started)
    const files = manifest.tables.flatMap(tableFiles)
    const paths = files.map(({ file }) => join(folder, 'snapshots', 'tables', projectId, file))
    statistics.push(await timed(() => statisticsOfFiles(connection, { paths, rows: ROWS }, columns)))
  }
  await sealer.close()
  connection.closeSync()
  instance.closeSync()
  const [seal, known] = [median(seals), median(statistics)]
  return {
    what: `statistics of ${ROWS / 1e6} M rows, ${columns.length} columns, from ${format}`,
    measured: `${known.toFixed(0)} ms, ${((100 * known) / seal).toFixed(1)} %`,
    baseline: `the seal: ${seal.toFixed(0)} ms`,
    bar: '5 %',
  }
}
