import { readFile, rm } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { defineTable } from '../../catalogue/definitions.js'
import type { ExportedFile, WrittenChunk } from '../../engine/port.js'
import { openRegular } from '../../files/regular.js'
import type { ExportFormat } from '../../model.js'
import { must, mustBe, shown, together } from '../contract.js'
import { READINGS, siblings, wrongInParquet } from './assessment.js'
import { type Bench, linesOf, mustHaveRows } from './bench.js'
import { ALL_SAMPLES, SAMPLED } from './rows.js'

const NAMED = 'SELECT n, 7 AS "MixedCase", n + 1 AS n FROM readings WHERE n < 3 ORDER BY readings.n DESC'
const FORMULA = "SELECT '=1+1' AS text, -1 AS number"

/** How a file of each format begins. */
const MAGIC: Record<ExportFormat, string> = {
  parquet: 'PAR1',
  csv: '',
  ndjson: '{',
  arrow: '\xff\xff\xff\xff',
  xlsx: 'PK',
}

export const FILES = {
  async 'writes the rows of a range as lines'(bench: Bench) {
    const sql = 'SELECT n, 1 AS one FROM readings ORDER BY n'
    for (const [offset, limit] of [
      [0, 500],
      [2_500, 500],
      [2_990, 100],
      [READINGS, 10],
    ] as const) {
      const did = `write() from ${offset}, at most ${limit},`
      const chunk = await bench.answered(did, bench.write(sql, { offset, limit }))
      const rows = Math.max(0, Math.min(limit, READINGS - offset))
      const expected = Array.from({ length: rows }, (_, at) => ({ n: offset + at, one: 1 }))
      await mustBeWritten(did, chunk, expected)
      mustBe(`more of ${did}`, chunk.more, offset + limit < READINGS)
      if (rows === 0) mustBe(`columns of ${did}`, chunk.columns, ['n', 'one'])
      await rm(chunk.path)
    }
    const chunk = await bench.answered('write()', bench.write(ALL_SAMPLES))
    await mustBeWritten('write()', chunk, SAMPLED)
    await rm(chunk.path)
  },

  async 'exports every row to NDJSON, CSV and Parquet'(bench: Bench) {
    const ndjson = await exported(bench, ALL_SAMPLES, 'ndjson', 4)
    mustHaveRows('export() to NDJSON', await linesOf('export() to NDJSON', ndjson), SAMPLED)
    const csv = await exported(bench, "SELECT label, id, '' AS empty FROM samples ORDER BY id DESC", 'csv', 4)
    const lines = [
      'label,id,empty',
      ',4,""',
      'Grüße \\ 雪 😀,3,""',
      '"it\'s ""quoted"", and\ngoes on",2,""',
      'plain,1,""',
    ]
    mustBe('export() to CSV', (await readFile(csv, 'utf8')).replaceAll('\r\n', '\n'), `${lines.join('\n')}\n`)
    const parquet = await exported(bench, 'SELECT n, n * 2 AS twice FROM readings ORDER BY n', 'parquet', READINGS)
    const values = { n: { least: 0, most: READINGS - 1 }, twice: { least: 0, most: 2 * READINGS - 2 } }
    await mustBeParquet(parquet, READINGS, {
      columns: { n: 'INTEGER', twice: 'INTEGER' },
      unique: ['n'],
      ranges: values,
    })
  },

  async 'exports to the other formats, or says that it cannot'(bench: Bench) {
    for (const format of ['arrow', 'xlsx'] as const) {
      const file = await bench.export(NAMED, format).catch(() => null)
      if (file) await mustBeExported(`export() to ${format}`, file, format, 3)
      else await bench.failure(`export() to ${format}`, bench.export(NAMED, format), 'format')
    }
  },

  async 'keeps the names of columns in files'(bench: Bench) {
    const rows = [3, 2, 1].map(next => ({ n: next - 1, MixedCase: 7, n_1: next }))
    mustHaveRows('export() to NDJSON', await linesOf('export()', await exported(bench, NAMED, 'ndjson', 3)), rows)
    const csv = await readFile(await exported(bench, NAMED, 'csv', 3), 'utf8')
    mustBe('export() to CSV', csv.replaceAll('\r', ''), 'n,MixedCase,n_1\n2,7,3\n1,7,2\n0,7,1\n')
    const columns = { n: 'INTEGER', MixedCase: 'INTEGER', n_1: 'INTEGER' }
    const path = await exported(bench, NAMED, 'parquet', 3)
    await mustBeParquet(path, 3, {
      columns,
      unique: ['n'],
      ranges: { MixedCase: { least: 7, most: 7 }, n_1: { least: 1 } },
    })
    const empty = await exported(bench, 'SELECT n, 1 AS "One" FROM readings WHERE n < 0', 'csv', 0)
    mustBe('export() of no rows to CSV', (await readFile(empty, 'utf8')).trimEnd(), 'n,One')
  },

  async 'escapes formulas in CSV only when it is asked to'(bench: Bench) {
    for (const [escapes, text] of [
      [true, "'=1+1"],
      [false, '=1+1'],
    ] as const) {
      const csv = await readFile(await exported(bench, FORMULA, 'csv', 1, escapes), 'utf8')
      const did = `export() of a formula to CSV, ${escapes ? '' : 'not '}to be escaped,`
      mustBe(did, csv.replaceAll('\r', '').replaceAll('"', ''), `text,number\n${text},-1\n`)
    }
  },

  async 'gives each caller a file of its own'(bench: Bench) {
    const exports = [1, 2, 3].map(() => bench.answered('export()', bench.export(NAMED, 'csv')))
    const chunks = [1, 2, 3].map(() => bench.answered('write()', bench.write(NAMED)))
    const files = await together<{ path: string }>([...exports, ...chunks])
    const paths = new Set(files.map(({ path }) => path))
    must(paths.size === 6, `six calls of export() and write() gave ${paths.size} files`, 'give each call its own')
    for (const path of paths) await rm(path)
  },
}

/** Exports a statement, and fails unless the file is as it is told. Returns its path. */
async function exported(bench: Bench, sql: string, format: ExportFormat, rows: number, escapes = false) {
  const verb = `export() to ${format} of ${shown(sql)}`
  const file = await bench.answered(verb, bench.export(sql, format, { escapes }))
  await mustBeExported(verb, file, format, rows)
  return file.path
}

async function mustBeExported(verb: string, file: ExportedFile, format: ExportFormat, rows: number): Promise<void> {
  await mustBeFile(verb, file)
  mustBe(`rows of ${verb}`, file.rows, rows)
  const start = (await readFile(file.path)).subarray(0, MAGIC[format].length).toString('latin1')
  mustBe(`the first bytes of ${verb}`, start, MAGIC[format])
}

/** Seals what was exported, which checks its columns, types and values. */
async function mustBeParquet(path: string, rows: number, table: Omit<Parameters<typeof defineTable>[0], 'name'>) {
  const required = Object.keys(table.columns ?? {})
  const wrong = await wrongInParquet(path, rows, { name: 'exported', required, ...table })
  must(
    wrong === null,
    `export() to Parquet gave a file with other rows or columns: ${wrong}`,
    'keep every row as it is',
  )
}

async function mustBeFile(verb: string, { path, bytes }: { path: string; bytes: number }): Promise<void> {
  must(isAbsolute(path), `${verb} gave the path ${shown(path)}`, 'give an absolute path')
  const found = await openRegular(path).catch(() => null)
  must(found !== null, `${verb} gave a path without a file`, 'leave the file to its caller')
  await found.handle.close()
  must(found.bytes === bytes, `${verb} told ${bytes} of ${found.bytes} bytes`, 'tell the exact size')
}

async function mustBeWritten(verb: string, chunk: WrittenChunk, expected: readonly object[]): Promise<void> {
  await mustBeFile(verb, chunk)
  mustHaveRows(verb, await linesOf(verb, chunk.path), expected)
  mustBe(`rows of ${verb}`, chunk.rows, expected.length)
}

/** Fails unless files like this one are the same after the work as before. */
export async function mustLeaveNothing(verb: string, path: string, work: () => Promise<unknown>): Promise<void> {
  const before = await siblings(path)
  await work()
  const left = (await siblings(path)).filter(name => !before.includes(name))
  must(left.length === 0, `${verb} left ${left.length} files behind`, 'remove what nobody gets')
}
