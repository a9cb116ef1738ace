import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromArrays } from 'apache-arrow'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import {
  fromArrow,
  fromCsv,
  fromFile,
  fromParquet,
  fromRows,
  openSealer,
  type Sealer,
  type TableSource,
} from 'foldgate/sealing'
import { knowSound } from '#lib/duckdb/check/sound-catalogue.js'
import { sealOne } from '../../engine/one-table.js'
import { scratchFolder } from '../../server/command.js'

const MOST_BYTES = 2_000_000
const NOTES = { id: 'BIGINT', note: 'VARCHAR' } as const
const COLUMNS = { id: 'BIGINT', note: 'VARCHAR', data: 'BLOB', tags: 'VARCHAR[]' } as const
const scratch = scratchFolder()

/** The SQL of a table of three rows, the second of which has texts of so many bytes; `note` is SQL of a text. */
const three = (note: string, types = true) =>
  `SELECT id${types ? '::BIGINT' : ''} AS id, CASE id WHEN 2 THEN ${note} ELSE 'short' END AS note
   FROM (VALUES (1), (2), (3)) AS each (id)`

async function parquetOf(name: string, select: string): Promise<string> {
  const path = join(scratch.path, `${name}.parquet`)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  try {
    await (await instance.connect()).run(`COPY (${select}) TO '${path}' (FORMAT parquet)`)
  } finally {
    instance.closeSync()
  }
  return path
}

/** The CSV of three rows, the second of which has this text. */
const csvOf = (note: string) => `id,note\n1,short\n2,"${note.replaceAll('"', '""')}"\n3,short\n`
const rowsOf = (note: string) => [1, 2, 3].map(id => ({ id, note: id === 2 ? note : 'short' }))

async function csvFile(note: string): Promise<TableSource> {
  const path = join(scratch.path, 'long.csv')
  await writeFile(path, csvOf(note))
  return fromFile(path)
}

/** Sources of a table whose second row has a text. */
const SOURCES: Record<string, (note: string) => TableSource | Promise<TableSource>> = {
  'a CSV file': csvFile,
  'CSV from elsewhere': note => fromCsv([csvOf(note)]),
  rows: note => fromRows(rowsOf(note)),
  'a Parquet file': async note => fromFile(await parquetOf('long', three(`repeat('${note[0]}', ${note.length})`))),
  'Parquet from elsewhere': async note => {
    const path = await parquetOf('from', three(`repeat('${note[0]}', ${note.length})`))
    return fromParquet((await import('node:fs')).createReadStream(path))
  },
  Arrow: note => fromArrow(tableFromArrays({ id: BigInt64Array.of(1n, 2n, 3n), note: ['short', note, 'short'] })),
}

describe('a row', () => {
  for (const [kind, sourceOf] of Object.entries(SOURCES))
    it(`is refused with more than 2 MB, and sealed with 2 MB, in ${kind}`, async () => {
      for (const [letter, columns] of [
        ['"', NOTES],
        ['ß', undefined],
      ] as const) {
        const bytes = Buffer.byteLength(letter)
        const fits = letter.repeat(MOST_BYTES / bytes)
        const { manifest, problems } = await sealOne(scratch.path, columns, await sourceOf(fits))
        assert.deepEqual([manifest?.tables[0]?.rows, problems], [3, []])
        const refused = await sealOne(scratch.path, columns, await sourceOf(fits + letter))
        const where = kind === 'a CSV file' || kind === 'CSV from elsewhere' ? 'line 3' : 'row 2'
        const message = `${where}: the row is longer than 2 MB, with ${MOST_BYTES + bytes} bytes: shorten it`
        assert.deepEqual(refused.problems, [{ table: 't', message, rows: 1 }])
      }
    })

  it('has the bytes of its texts, BLOBs and lists together, and others are counted', async () => {
    const half = MOST_BYTES / 2
    const row = (id: number, more = 0) => ({
      id,
      note: 'x'.repeat(half - 3),
      data: Buffer.alloc(half, 200),
      tags: ['a'.repeat(1 + more)], // [a] and [aa]
    })
    assert.deepEqual((await sealOne(scratch.path, COLUMNS, fromRows([row(1), row(2)]))).problems, [])
    const { problems } = await sealOne(scratch.path, COLUMNS, fromRows([row(1), row(2, 1), row(3, 1)]))
    const message = 'row 2: the row is longer than 2 MB, with 2000001 bytes: shorten it (and 1 more row)'
    assert.deepEqual(problems, [{ table: 't', message, rows: 2 }])
  })

  it('of tens of megabytes is refused by the same sentence, or by its line where no engine reads it', async () => {
    const huge = 'x'.repeat(20_000_000)
    for (const source of [await csvFile(huge), fromRows(rowsOf(huge))])
      assert.deepEqual((await sealOne(scratch.path, NOTES, source)).problems, [
        { table: 't', message: 'line 3: the row is longer than 2 MB: shorten it' },
      ])
    const path = await parquetOf('huge', three("repeat('x', 100_000_000)"))
    assert.deepEqual((await sealOne(scratch.path, undefined, fromFile(path))).problems, [
      { table: 't', message: 'row 2: the row is longer than 2 MB, with 100000000 bytes: shorten it', rows: 1 },
    ])
  })

  describe('of one of many tenants', () => {
    let sealer: Sealer
    before(async () => {
      const relations = [defineTable({ name: 't', columns: NOTES })]
      const catalogue = defineCatalogue({ relations })
      knowSound(catalogue)
      const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
      sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
    })
    after(() => sealer?.close())

    it('keeps none of the others from being sealed', async () => {
      const projects = new Map(['a', 'b'].map((key, at) => [key, `7b0f0c52-5c3b-4a64-8a2f-0d5f3e6d000${at}`]))
      const long = 'x'.repeat(MOST_BYTES + 1)
      const rows = [
        { tenant: 'a', id: 1, note: 'short' },
        { tenant: 'b', id: 2, note: long },
        { tenant: 'a', id: 3, note: long.slice(1) },
      ]
      const parquet = await parquetOf(
        'tenants',
        three(`repeat('x', ${long.length})`).replace('id::BIGINT', "'a' AS tenant, id"),
      )
      const { sealed, failed } = await sealer.sealMany({ tables: { t: fromRows(rows) }, by: 'tenant', projects })
      assert.deepEqual([sealed.map(({ key }) => key), failed.map(({ key }) => key)], [['a'], ['b']])
      assert.match(`${failed[0]?.error}`, /t: row 2: the row is longer than 2 MB, with 2000001 bytes: shorten it$/)
      const found = await sealer.sealMany({ tables: { t: fromFile(parquet) }, by: 'tenant', projects })
      assert.match(`${found.failed[0]?.error}`, /t: row 2: the row is longer than 2 MB, with 2000001 bytes/)
    })
  })
})
