import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { median } from '../assessed.js'
import type { Figure } from '../run.js'

/** The compiled library, of which an engine process runs these files. */
const inside = (file: string) => import(new URL(`../../dist/${file}`, import.meta.url).href)
const ROUNDS = 5
const BAR = 1.6
const hashed = (n: number, below: number) => `hash(i + ${n}) % ${below}`
const money = (n: number, below: number) => `CAST(${hashed(n, below)} / 100 AS DECIMAL(15, 2))`
const day = (n: number) => `DATE '1992-01-01' + CAST(${hashed(n, 2500)} AS INTEGER)`
const word = (n: number, words: string) =>
  `string_split('${words}', ',')[1 + CAST(${hashed(n, words.split(',').length)} AS INTEGER)]`
/** A million rows with the types of TPC-H's lineitem: whole numbers, decimals, dates, and short and longer texts. */
const LINEITEM = `CREATE TABLE lineitem AS SELECT
  i // 4 AS orderkey, CAST(${hashed(0, 200_000)} AS BIGINT) AS partkey, CAST(${hashed(1, 10_000)} AS BIGINT) AS suppkey,
  i % 7 AS linenumber, CAST(1 + ${hashed(2, 50)} AS DECIMAL(15, 2)) AS quantity, ${money(3, 1e7)} AS price,
  ${money(4, 11)} AS discount, ${money(5, 9)} AS tax, ${word(6, 'A,N,R')} AS returnflag, ${word(7, 'O,F')} AS linestatus,
  ${day(8)} AS shipdate, ${day(9)} AS commitdate, ${day(10)} AS receiptdate,
  ${word(11, 'DELIVER IN PERSON,COLLECT COD,NONE,TAKE BACK RETURN')} AS shipinstruct,
  ${word(12, 'TRUCK,MAIL,REG AIR,SHIP,AIR,FOB,RAIL')} AS shipmode,
  substr('carefully final deposits detect slyly again. furiously ironic packages sleep', CAST(1 + ${hashed(13, 30)} AS INTEGER), CAST(10 + ${hashed(14, 34)} AS INTEGER)) AS comment
FROM range(1000000) t(i)`

/** Compares the processor time of files of plain values, as an engine process writes them, with that of bare COPYs. */
export async function filesOfPlainValues(folder: string): Promise<Figure[]> {
  const { resultColumns } = await inside('duckdb/child/bound-statement.js')
  const { jsonLines, writeRows } = await inside('duckdb/child/write-rows.js')
  const { CsvRows } = await inside('values/csv.js')
  const instance = await DuckDBInstance.create(join(folder, 'lineitem.duckdb'), { threads: '1' }) // as built relations are
  try {
    const connection = await instance.connect()
    await connection.run(LINEITEM)
    await connection.run('CHECKPOINT')
    const statement = { sql: 'SELECT * FROM lineitem' }
    const columns = await resultColumns(connection, statement)
    const { signal } = new AbortController()
    const path = join(folder, 'rows')
    const figures: Figure[] = []
    for (const [format, written] of [
      ['csv', () => new CsvRows(columns, true)],
      ['json', () => jsonLines(columns)],
    ] as const) {
      const [ours, bare]: [number[], number[]] = [[], []]
      for (let round = 0; round < ROUNDS; round++) {
        bare.push(await cpuMs(() => connection.run(`COPY lineitem TO '${path}' (FORMAT ${format})`)))
        const copying = { statement, columns, path, maxBytes: 2 ** 40, signal }
        ours.push(await cpuMs(() => writeRows(connection, copying, written())))
        await rm(path)
      }
      const [a, b] = [median(ours), median(bare)]
      figures.push({
        what: `a million rows of lineitem as ${format === 'csv' ? 'CSV' : 'NDJSON'}, processor time`,
        measured: `${a.toFixed(0)} ms`,
        baseline: `${b.toFixed(0)} ms COPY`,
        bar: `${BAR}×, here ${(a / b).toFixed(2)}×`,
      })
    }
    return figures
  } finally {
    instance.closeSync()
  }
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
