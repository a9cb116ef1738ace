import assert from 'node:assert/strict'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { fromFolder, openSealer, type SnapshotManifest, snapshotFiles, tableFiles } from 'foldgate/sealing'
import { catalogue } from '../../service/catalogue.js'
import { PACKAGE, PROJECT, type Service, startService } from '../../service/service.js'
import { tablesOf } from '../../stored.js'
import { readParquetRows } from '../../types/arrow.js'

/** DuckDB ends a file only after a row group, which has this many rows. */
const GROUP_ROWS = 122_880
const ROWS = 2 * GROUP_ROWS + 1
/** A prime that does not divide ROWS, so its multiples modulo ROWS are the numbers below ROWS, out of order. */
const STEP = 7919
const LARGE = ['amounts-0001.parquet', 'amounts-0002.parquet', 'amounts-0003.parquet']
const amountAt = (place: number) => (place * STEP) % ROWS
const IN_ORDER = `
  SELECT count(*) FILTER (WHERE amount = place * ${STEP} % ${ROWS}) AS right_places, count(*) AS n
  FROM (SELECT amount, row_number() OVER () - 1 AS place FROM amounts)`

describe('a table that is larger than a file', () => {
  let service: Service
  let manifest: SnapshotManifest
  let folder: string

  before(async () => {
    service = await startService()
    manifest = await seal({ rows: ROWS, fileBytes: 1 })
    folder = tablesOf(join(service.folder, 'snapshots'), PROJECT)
  })
  after(() => service.close())

  const filesIn = ({ tables }: SnapshotManifest) => tables.map(table => tableFiles(table).map(({ file }) => file))
  /** The names that the files had before they were stored. */
  const given = (sealed: SnapshotManifest) =>
    filesIn(sealed).map(names => names.map(name => name.replace(/-[0-9a-f]{64}-[0-9a-f]{8}/, '')))
  /** The files of the large table. */
  const large = () => filesIn(manifest).find(names => names.length > 1) ?? []
  const verified = () => service.snapshots.verify(PROJECT, manifest.snapshotId)

  async function seal({ rows, fileBytes }: { rows: number; fileBytes?: number }): Promise<SnapshotManifest> {
    const source = join(service.folder, `large-${rows}`)
    await mkdir(source, { recursive: true })
    await writeFile(join(source, 'entities.csv'), PACKAGE['entities.csv'])
    const lines = Array.from({ length: rows }, (_, place) => `group,item ${place},${amountAt(place)}\n`)
    await writeFile(join(source, 'amounts.csv'), `entity_key,item,amount\n${lines.join('')}`)
    const options = { catalogue, snapshots: service.snapshots, folder: join(service.folder, 'scratch') }
    const sealer = await openSealer(fileBytes === undefined ? options : { ...options, fileBytes })
    try {
      return (await sealer.seal({ projectId: PROJECT, assessmentId: 'large', tables: fromFolder(source) })).manifest
    } finally {
      await sealer.close()
    }
  }

  it('is sealed as several files with its rows in their order, and a small one as before', async () => {
    assert.deepEqual(given(manifest).sort(), [LARGE, ['entities.parquet']])
    assert.equal(manifest.tables.find(({ name }) => name === 'amounts')?.rows, ROWS)
    const found: unknown[] = []
    for (const file of large())
      found.push(...readParquetRows(await readFile(join(folder, file))).map(({ amount }) => Number(amount)))
    assert.deepEqual(
      found,
      Array.from({ length: ROWS }, (_, place) => amountAt(place)),
    )
  })

  it('is read as one, with its rows in their order', async () => {
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql: IN_ORDER })
    assert.deepEqual(body.result?.items, [{ right_places: ROWS, n: ROWS }], body.message)
  })

  it('has no empty file if its last row ends a group', async () => {
    const sealed = await seal({ rows: 2 * GROUP_ROWS, fileBytes: 1 })
    assert.deepEqual(given(sealed).sort(), [LARGE.slice(0, 2), ['entities.parquet']])
  })

  it('is one file by default, and if it is not larger than a file', async () => {
    for (const fileBytes of [undefined, 10_000_000]) {
      const sealed = await seal({ rows: ROWS, ...(fileBytes === undefined ? {} : { fileBytes }) })
      assert.deepEqual(given(sealed).sort(), [['amounts.parquet'], ['entities.parquet']])
    }
  })

  it('is in files of about the size that was asked for', async () => {
    const fileBytes = 300_000
    const sealed = await seal({ rows: 8 * GROUP_ROWS, fileBytes })
    const files = filesIn(sealed).find(names => names.length > 1) ?? []
    const sizes = await Promise.all(files.map(async file => (await stat(join(folder, file))).size))
    assert.ok(sizes.length > 2, String(sizes))
    for (const size of sizes.slice(0, -1)) assert.ok(size > fileBytes && size < 2 * fileBytes, String(sizes))
  })

  it('is verified file by file', async () => {
    assert.deepEqual(await verified(), [])
    const [first = '', second = '', third = ''] = large()
    const [one, two] = await Promise.all([first, second].map(file => readFile(join(folder, file))))
    assert.ok(one && two)
    await writeFile(join(folder, first), two)
    await writeFile(join(folder, second), one)
    assert.deepEqual(await verified(), [`${first} is not as it was sealed`, `${second} is not as it was sealed`])
    await writeFile(join(folder, first), one)
    await writeFile(join(folder, second), two)
    const last = await readFile(join(folder, third))
    await rm(join(folder, third))
    assert.deepEqual(await verified(), [`${third} is missing`])
    await writeFile(join(folder, third), last)
    assert.deepEqual(await verified(), [])
  })

  // Other rows than those of the snapshots before, from which the relation would be built already.
  for (const [what, rows, damage, told] of [
    [
      'differs',
      ROWS + 1,
      (path: string) => writeFile(path, 'PAR1'),
      /amounts-0002-[0-9a-f-]+\.parquet: its digest differs/,
    ],
    ['is missing', ROWS + 2, (path: string) => rm(path), /amounts-0002-[0-9a-f-]+\.parquet: .*ENOENT/],
  ] as const) {
    it(`is UNAVAILABLE if its second file ${what}, and the host is told which one`, async () => {
      const files = filesIn(await seal({ rows, fileBytes: 1 })).find(names => names.length > 1) ?? []
      const path = join(folder, files[1] ?? '')
      await damage(path)
      const own = service.events.length
      const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql: IN_ORDER })
      assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'], body.message)
      assert.doesNotMatch(body.message ?? '', /parquet|[/\\]/)
      assert.match(inspect(service.events.slice(own), { depth: null }), told)
    })
  }

  for (const [what, files, told] of [
    ['no file', [], /no file for tables\[0\]/],
    ['a file without a digest', [{ file: 'a.parquet' }], /no file for tables\[0\]/],
    ['a list of files that is none', 'a.parquet', /no file for tables\[0\]/],
    ['a file that is null', [null], /no file for tables\[0\]/],
    [
      'a second file outside of its folder',
      [
        { file: 'a.parquet', sha256: '', bytes: 0 },
        { file: '../a.parquet', sha256: '', bytes: 0 },
      ],
      /outside of its folder for tables\[0\]: "\.\.\/a\.parquet"/,
    ],
    [
      'the same file twice',
      [
        { file: 'a.parquet', sha256: '', bytes: 0 },
        { file: 'a.parquet', sha256: '', bytes: 0 },
      ],
      /a file twice: "a\.parquet"/,
    ],
  ] as const) {
    it(`is refused with ${what} in its manifest`, () => {
      const wrong = { ...manifest, tables: [{ ...manifest.tables[0], files }] } as unknown as SnapshotManifest
      assert.throws(() => snapshotFiles(wrong), told)
    })
  }

  for (const fileBytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1' as never])
    it(`cannot be sealed in files of ${JSON.stringify(fileBytes)} bytes`, async () => {
      const options = { catalogue, snapshots: service.snapshots, folder: join(service.folder, 'scratch') }
      await assert.rejects(openSealer({ ...options, fileBytes }), /^TypeError: fileBytes is a whole number above 0/)
    })
})
