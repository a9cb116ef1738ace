import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportFormat } from 'foldgate/client'
import { scratchFolder } from '../../server/command.js'
import { KEYS, PROJECT, type Service, sharedService } from '../../service/service.js'
import { statementOfAll } from './columns.js'
import { LEFT_OUT, type LeftOut } from './left-out.js'
import { assertRead, namesBut, type Printed, type Row, valuesOf, withoutRows } from './printed.js'
import { built } from './programs.js'

interface Reader {
  name: string
  /** What the program calls it. */
  key: string
  leftOut?: LeftOut
  /** Whether it gives texts, which stand for values as the table of the protocol says. */
  givesTexts?: boolean
  /** Whether it gives NULL as an empty text. */
  nullIsEmpty?: boolean
}

const ARROW: Reader[] = [
  { name: 'pyarrow', key: 'pyarrow_stream', leftOut: LEFT_OUT.pyarrow },
  { name: 'Polars', key: 'polars_stream', leftOut: LEFT_OUT.polars },
]
const CSV: Reader[] = [
  { name: "Python's csv", key: 'csv', nullIsEmpty: true },
  { name: 'pandas', key: 'pandas', nullIsEmpty: true },
  { name: 'pyarrow', key: 'pyarrow' },
  { name: 'Polars', key: 'polars', leftOut: LEFT_OUT['polars, of CSV'] },
  { name: 'DuckDB', key: 'duckdb' },
].map(reader => ({ ...reader, givesTexts: true }))
const NDJSON: Reader[] = [
  { name: "Python's json", key: 'json' },
  { name: 'pandas', key: 'pandas', leftOut: LEFT_OUT['pandas, of NDJSON'] },
  { name: 'Polars', key: 'polars', givesTexts: true },
  { name: 'DuckDB', key: 'duckdb' },
]
const EVERY = statementOfAll()
const BUILD_MS = 600_000

/** Every type of the contract in each of the other formats, as other libraries read them. */
describe('readers of exports', function () {
  this.timeout(BUILD_MS)
  const scratch = scratchFolder()
  let service: Service
  let paged: Row[]
  let run: (...args: string[]) => Promise<string>
  before(async function () {
    const python = await built('python')
    if (!python) {
      console.log('Left out: exports in Arrow, CSV and NDJSON read by Python, whose packages are not to be had.')
      return this.skip()
    }
    run = python
    service = await sharedService()
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql: EVERY })
    paged = body.result?.items ?? []
    assert.equal(paged.length, 3, body.message)
  })

  async function download(format: ExportFormat, name: string, sql: string): Promise<string> {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql, format })
    assert.ok(body.result?.url, body.message)
    const answer = await fetch(body.result.url, { headers: { authorization: `Bearer ${KEYS.north}` } })
    const path = join(scratch.path, `${name}.${format}`)
    await writeFile(path, new Uint8Array(await answer.arrayBuffer()))
    return path
  }

  describe('in Arrow:', () => {
    let files: { rows: string; none: string }
    before(async () => {
      files = {
        rows: await download('arrow', 'rows', EVERY),
        none: await download('arrow', 'none', withoutRows(EVERY)),
      }
    })

    for (const { name, key, leftOut = {} } of ARROW)
      it(`${name} reads what pages have, and a file without rows`, async () => {
        const columns = namesIn(leftOut)
        const read = async (path: string) =>
          JSON.parse(await run('read.py', key, path, JSON.stringify(columns))) as Printed
        assertRead(await read(files.rows), paged, columns)
        const none = await read(files.none)
        assert.deepEqual([none.columns, none.rows], [namesBut(columns, paged), []])
      })
  })

  describeTexts('csv', CSV, true)
  describeTexts('ndjson', NDJSON, false)

  /** Reads a file in every reader with one program; a file of NDJSON without rows is empty. */
  function describeTexts(format: ExportFormat, readers: readonly Reader[], hasHeader: boolean) {
    describe(`in ${format.toUpperCase()}:`, () => {
      const texts = async (name: string, sql: string) =>
        JSON.parse(await run('texts.py', format, await download(format, name, sql))) as Record<string, Printed>
      let rows: Record<string, Printed>
      let none: Record<string, Printed> | null
      before(async () => {
        rows = await texts('rows', EVERY)
        none = hasHeader ? await texts('none', withoutRows(EVERY)) : null
      })

      for (const reader of readers)
        it(`${reader.name} reads what pages have${reader.nullIsEmpty ? ', but NULL as an empty text' : ''}`, () => {
          const { key, leftOut = {} } = reader
          const given = rows[key]
          assert.ok(given?.rows, given?.error)
          const columns = namesIn(leftOut)
          assertRead(apart(given, columns, paged, reader), paged, columns)
          if (!none) return
          assert.ok(none[key]?.rows, none[key]?.error)
          assert.deepEqual(none[key], { columns: given.columns, rows: [] })
        })
    })
  }
})

const namesIn = (leftOut: LeftOut) => [...new Set(Object.values(leftOut).flat())]

/** What a reader gave as values, with the columns that are left out apart. */
function apart({ columns, rows }: Printed, leftOut: string[], paged: readonly Row[], reader: Reader): Printed {
  const valueAt = (column: string, row: number) => {
    const given = rows[row]?.[columns.indexOf(column)]
    return reader.givesTexts ? meaning(given, valuesOf(column, paged)[row], reader.nullIsEmpty ? '' : null) : given
  }
  const valuesAt = (column: string) => rows.map((_, row) => valueAt(column, row))
  const missing = { error: 'There is no column of this name.' }
  // A column that has another name stands where the one of this name stood.
  const names = Object.keys(paged[0] ?? {})
  const kept = columns.filter((_, at) => !leftOut.includes(names[at] ?? ''))
  return {
    columns: kept,
    rows: rows.map((_, row) => kept.map(column => valueAt(column, row))),
    apart: Object.fromEntries(leftOut.map(column => [column, columns.includes(column) ? valuesAt(column) : missing])),
  }
}

/** The value that a text stands for, where pages have `wanted`. */
function meaning(given: unknown, wanted: unknown, ofNull: string | null): unknown {
  if (wanted === null) return given === ofNull ? null : given
  if (typeof wanted === 'string' || typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
