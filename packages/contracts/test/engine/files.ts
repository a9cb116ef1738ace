import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, isAbsolute, join } from 'node:path'
import type { defineTable } from 'foldgate'
import type { ExportFormat } from 'foldgate/internal'
import { openRegular } from 'foldgate/internal'
import { must, mustBe, shown, together } from '#contracts/contract.js'
import { READINGS, SAMPLED, wrongInParquet } from './assessment.js'
import { type Bench, linesOf, mustHaveRows } from './bench.js'
import { ALL_SAMPLES, RANGES } from './rows.js'

const NAMED = 'SELECT n, 7 AS "MixedCase", n + 1 AS n FROM readings WHERE n < 3 ORDER BY readings.n DESC'

/** How a file of each format begins. */
const MAGIC = { parquet: 'PAR1', csv: '', ndjson: '{', arrow: '\xff\xff\xff\xff', xlsx: 'PK' }

export const FILES = {
  async 'writes the rows of a range as lines'(bench: Bench) {
    const written = async (sql: string, offset: number, limit: number, expected: readonly object[]) => {
      const did = `write() from ${offset}, at most ${limit},`
      const chunk = await bench.answered(did, bench.write(sql, { offset, limit }))
      await mustBeFile(did, chunk)
      mustHaveRows(did, await linesOf(did, chunk.path), expected)
      mustBe(`rows of ${did}`, chunk.rows, expected.length)
      await rm(chunk.path)
      return { did, more: chunk.more, columns: chunk.columns }
    }
    for (const [offset, limit] of [...RANGES, [READINGS, 10]] as const) {
      const rows = Array.from({ length: Math.min(limit, READINGS - offset) }, (_, at) => ({
        n: offset + at,
        one: 1,
      }))
      const chunk = await written('SELECT n, 1 AS one FROM readings ORDER BY n', offset, limit, rows)
      mustBe(`more of ${chunk.did}`, chunk.more, offset + limit < READINGS)
      if (rows.length === 0) mustBe(`columns of ${chunk.did}`, chunk.columns, ['n', 'one'])
    }
    await written(ALL_SAMPLES, 0, 10, SAMPLED)
  },

  async 'leaves out the rows of earlier pages, each as often as they have it'(bench: Bench) {
    const earlier = [0, 5, 1, 5].map(n => JSON.stringify({ n })) // a 5 twice, which the result has once
    const sql = 'SELECT n FROM readings ORDER BY n'
    const did = 'write() after a page and a file with rows 0, 5, 1 and 5'
    const path = join(await mkdtemp(join(tmpdir(), 'foldgate-contract-')), 'rows')
    await writeFile(
      path,
      earlier
        .slice(2)
        .map(row => `${row}\n`)
        .join(''),
    )
    try {
      const before = [
        { from: Buffer.from(earlier.slice(0, 2).join(',')), rows: 2 },
        { from: path, rows: 2 },
      ]
      for (const isStable of [false, true]) {
        const chunk = await bench.answered(did, bench.write(sql, { offset: 2, limit: 3, before, isStable }))
        mustHaveRows(did, await linesOf(did, chunk.path), [{ n: 4 }, { n: 6 }, { n: 7 }])
        mustBe(`rows and more of ${did}`, [chunk.rows, chunk.more], [3, true])
        mustBe(`settledAt of ${did}, since a row never came`, chunk.settledAt, undefined)
        await rm(chunk.path)
      }
      const met = await bench.answered(
        did,
        bench.write(sql, { offset: 0, limit: 2, before: before.slice(0, 1), isStable: true }),
      )
      mustHaveRows(did, await linesOf(did, met.path), [{ n: 1 }, { n: 2 }])
      await rm(met.path)
    } finally {
      await rm(dirname(path), { recursive: true })
    }
  },

  async 'exports every row to NDJSON, CSV and Parquet'(bench: Bench) {
    const ndjson = await exported(bench, ALL_SAMPLES, 'ndjson', 4)
    mustHaveRows('export() to NDJSON', await linesOf('export() to NDJSON', ndjson), SAMPLED)
    const csv = await exportedCsv(bench, "SELECT label, id, '' AS empty FROM samples ORDER BY id DESC", 4)
    const first = 'label,id,empty\n,4,""\nGrüße \\ 雪 😀,3,""\n'
    mustBe('export() to CSV', csv, `${first}"it's ""quoted"", and\ngoes on",2,""\nplain,1,""\n`)
    const parquet = await exported(bench, 'SELECT n, n * 2 AS twice FROM readings ORDER BY n', 'parquet', READINGS)
    const ranges = { n: { least: 0, most: READINGS - 1 }, twice: { least: 0, most: 2 * READINGS - 2 } }
    await mustBeParquet(parquet, READINGS, {
      columns: { n: 'INTEGER', twice: 'INTEGER' },
      unique: ['n'],
      ranges,
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
    mustBe('export() to CSV', await exportedCsv(bench, NAMED, 3), 'n,MixedCase,n_1\n2,7,3\n1,7,2\n0,7,1\n')
    const columns = { n: 'INTEGER', MixedCase: 'INTEGER', n_1: 'INTEGER' }
    const ranges = { MixedCase: { least: 7, most: 7 }, n_1: { least: 1 } }
    await mustBeParquet(await exported(bench, NAMED, 'parquet', 3), 3, { columns, unique: ['n'], ranges })
    const empty = await exportedCsv(bench, 'SELECT n, 1 AS "One" FROM readings WHERE n < 0', 0)
    mustBe('export() of no rows to CSV', empty.trimEnd(), 'n,One')
  },

  async 'escapes formulas in CSV only when it is asked to'(bench: Bench) {
    for (const escapes of [true, false]) {
      const csv = await exportedCsv(bench, "SELECT '=1+1' AS text, -1 AS number", 1, escapes)
      const did = `export() of a formula to CSV, ${escapes ? '' : 'not '}to be escaped,`
      mustBe(did, csv.replaceAll('"', ''), `text,number\n${escapes ? "'" : ''}=1+1,-1\n`)
    }
  },

  async 'gives each caller a file of its own'(bench: Bench) {
    const calls = [1, 2, 3].flatMap(() => [bench.export(NAMED, 'csv'), bench.write(NAMED)])
    const files = await bench.answered('six calls of export() and write()', together<{ path: string }>(calls))
    const paths = new Set(files.map(({ path }) => path))
    must(paths.size === 6, `six calls of export() and write() gave ${paths.size} files`, 'give each call its own')
    for (const path of paths) await rm(path)
  },
}

/** Exports a statement, and fails unless the file is as reported. Returns its path. */
async function exported(bench: Bench, sql: string, format: ExportFormat, rows: number, escapes = false) {
  const verb = `export() to ${format} of ${shown(sql)}`
  const file = await bench.answered(verb, bench.export(sql, format, { escapes }))
  await mustBeExported(verb, file, format, rows)
  return file.path
}

async function exportedCsv(bench: Bench, sql: string, rows: number, escapes = false): Promise<string> {
  return (await readFile(await exported(bench, sql, 'csv', rows, escapes), 'utf8')).replaceAll('\r', '')
}

type Told = { path: string; bytes: number }

async function mustBeExported(verb: string, file: Told & { rows: number }, format: ExportFormat, rows: number) {
  await mustBeFile(verb, file)
  mustBe(`rows of ${verb}`, file.rows, rows)
  const start = (await readFile(file.path)).subarray(0, MAGIC[format].length).toString('latin1')
  mustBe(`the first bytes of ${verb}`, start, MAGIC[format])
}

/** Seals what was exported, which checks its columns, types and values. */
async function mustBeParquet(path: string, rows: number, table: Omit<Parameters<typeof defineTable>[0], 'name'>) {
  const required = Object.keys(table.columns ?? {})
  const wrong = await wrongInParquet(path, rows, { name: 'exported', required, ...table })
  must(wrong === null, `export() to Parquet gave a file with other rows or columns: ${wrong}`, 'keep every row')
}

async function mustBeFile(verb: string, { path, bytes }: Told): Promise<void> {
  must(isAbsolute(path), `${verb} gave the path ${shown(path)}`, 'give an absolute path')
  const found = await openRegular(path).catch(() => null)
  must(found !== null, `${verb} gave a path without a file`, 'leave the file to its caller')
  await found.handle.close()
  must(found.bytes === bytes, `${verb} reported ${bytes} of ${found.bytes} bytes`, 'report the exact size')
}

/** Fails unless files like this one are the same after the work as before. */
export async function mustLeaveNothing(verb: string, path: string, work: () => Promise<unknown>): Promise<void> {
  const files = async () => (await readdir(dirname(path))).filter(name => extname(name) === extname(path))
  const before = await files()
  await work()
  const left = (await files()).filter(name => !before.includes(name))
  must(left.length === 0, `${verb} left ${left.length} files behind`, 'remove what nobody gets')
}
