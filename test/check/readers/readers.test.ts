import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from 'foldgate/client'
import { scratchFolder } from '../../server/command.js'
import { KEYS, PROJECT, type Service, sharedService } from '../../service/service.js'
import { rowsOf } from '../../types/arrow.js'
import { statementOfAll } from './columns.js'
import { LEFT_OUT, type LeftOut } from './left-out.js'
import { assertPaged, assertRead, namesBut, type Printed, type Row, withoutRows } from './printed.js'
import { built, type ProgramName } from './programs.js'

type Run = (...args: string[]) => Promise<string>

const READERS: { name: string; program: ProgramName; first?: string[]; leftOut: LeftOut }[] = [
  ...(['pyarrow', 'pandas', 'polars', 'duckdb', 'fastparquet'] as const).map(name => ({
    name,
    program: 'python' as const,
    first: ['read.py', name],
    leftOut: LEFT_OUT[name],
  })),
  { name: 'hyparquet', program: 'node', leftOut: LEFT_OUT.hyparquet },
  { name: 'parquet-go', program: 'go', leftOut: LEFT_OUT['parquet-go'] },
  { name: "Rust's parquet", program: 'rust', leftOut: LEFT_OUT.parquet },
]
/** What Spark refuses, as the documents say to select it. */
const FOR_SPARK = new Map(['time', 'time_of_micros', 'timestamp_ns'].map(name => [name, 'VARCHAR']))
const EVERY = statementOfAll()
const BUILD_MS = 600_000
/** Spark alone takes 15 s of a processor. */
const READ_MS = 180_000

/** One file with every type of the contract, and one without rows, as other libraries read them. */
describe('readers of Parquet', function () {
  this.timeout(READ_MS)
  const scratch = scratchFolder()
  const programs = new Map<ProgramName, Run | null>()
  let service: Service
  let paged: Row[]
  let files: { rows: string; none: string }
  before(async function () {
    this.timeout(BUILD_MS)
    service = await sharedService()
    paged = await rowsOfPages(EVERY)
    assert.equal(paged.length, 3)
    files = { rows: await download('rows', EVERY), none: await download('none', withoutRows(EVERY)) }
    const names = ['python', 'node', 'go', 'rust', 'spark'] as const
    await Promise.all(names.map(async name => programs.set(name, await built(name))))
    const absent = names.filter(name => !programs.get(name))
    if (absent.length > 0)
      console.log(`Left out: Parquet files read by programs in ${absent.join(', ')}, not to be had.`)
  })

  async function rowsOfPages(sql: string): Promise<Row[]> {
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
    assert.ok(body.result?.items, body.message)
    return body.result.items
  }

  async function link(sql: string): Promise<string> {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql })
    assert.ok(body.result?.url, body.message)
    return body.result.url
  }

  async function download(name: string, sql: string): Promise<string> {
    const answer = await fetch(await link(sql), { headers: { authorization: `Bearer ${KEYS.north}` } })
    const path = join(scratch.path, `${name}.parquet`)
    await writeFile(path, new Uint8Array(await answer.arrayBuffer()))
    return path
  }

  const need = (test: Mocha.Context, program: ProgramName): Run => programs.get(program) ?? test.skip()

  const readIn = async (run: Run, first: string[], path: string, leftOut: string[]) =>
    JSON.parse(await run(...first, path, JSON.stringify(leftOut))) as Printed

  for (const { name, program, first = [], leftOut } of READERS) {
    const columns = [...new Set(Object.values(leftOut).flat())]

    it(`${name} reads what pages have`, async function () {
      const run = need(this, program)
      assertRead(await readIn(run, first, files.rows, columns), paged, columns)
    })

    it(`${name} reads a file without rows`, async function () {
      const printed = await readIn(need(this, program), first, files.none, columns)
      assert.deepEqual([printed.columns, printed.rows], [namesBut(columns, paged), []])
    })
  }

  it('Spark reads what pages have if TIME and TIMESTAMP_NS are cast, and refuses them otherwise', async function () {
    const run = need(this, 'spark')
    const sql = statementOfAll(FOR_SPARK)
    const precise = await download(
      'precise',
      "SELECT timestamp_ns FROM (SELECT TIMESTAMP_NS '2026-11-20 01:02:03.123456789' AS timestamp_ns)",
    )
    const time = await download('time', "SELECT TIME '01:02:03' AS time")
    const cast = [await download('cast', sql), await download('cast-none', withoutRows(sql))]
    const [rows, none, refusedTime, refusedPrecise] = (await run(...cast, time, precise))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Printed)
    assert.ok(rows?.rows, rows?.error)
    assertPaged(rows, await rowsOfPages(sql), [])
    assert.deepEqual([none?.columns, none?.rows], [namesBut([], paged), []])
    assert.match(refusedTime?.error ?? '', /Illegal Parquet type: INT64 \(TIME\(MICROS,false\)\)/)
    assert.match(refusedPrecise?.error ?? '', /Illegal Parquet type: INT64 \(TIMESTAMP\(NANOS,false\)\)/)
  })

  it('readTable() of the client reads what pages have', async () => {
    const client = createClient({ url: service.url, key: KEYS.north })
    const table = await client.readTable(await link(EVERY))
    const rows = rowsOf(table).map(row => Object.values(row))
    assertPaged({ columns: table.schema.names.map(String), rows }, paged, [])
    const none = await client.readTable(await link(withoutRows(EVERY)))
    assert.deepEqual([none.numRows, none.schema.names], [0, namesBut([], paged)])
  })

  it('pandas computes with sums of integers, and merges UUIDs with rows of pages', async function () {
    const run = need(this, 'python')
    const sql = `SELECT CAST('00000000-0000-4000-8000-00000000000' || (i % 3) AS UUID) AS id, sum(i) AS n
      FROM range(10) t(i) GROUP BY ALL ORDER BY id`
    const file = await download('frames', sql)
    const printed = JSON.parse(await run('frames.py', file, JSON.stringify(await rowsOfPages(sql))))
    assert.deepEqual(printed, { products: [27, 18, 22.5], merged: [0, 0, 0] })
  })
})
