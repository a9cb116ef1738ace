import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromArrays } from 'apache-arrow'
import { fromArrow, fromCsv, fromRows, type TableSource } from 'foldgate/sealing'
import { sealOne } from '../../engine/one-table.js'
import { scratchFolder } from '../../server/command.js'
import { type Drawn, type Fate, NO_DAYS, NUMBERS, normalNumber, TIMES } from './kept-values.js'

type Row = Record<string, string | null>

const csvOf = (names: readonly string[], rows: readonly Row[]) =>
  [names, ...rows.map(row => names.map(name => (row[name] == null ? '' : `"${row[name]}"`)))]
    .map(line => `${line.join(',')}\n`)
    .join('')
const SOURCES: readonly [string, (names: readonly string[], rows: readonly Row[]) => TableSource][] = [
  ['CSV', (names, rows) => fromCsv([csvOf(names, rows)])],
  ['rows', (_, rows) => fromRows(rows)],
  // Texts in Arrow, and so in Parquet.
  [
    'Arrow',
    (names, rows) =>
      fromArrow(tableFromArrays(Object.fromEntries(names.map(name => [name, rows.map(row => row[name] ?? null)])))),
  ],
]

/** Draws as columns of rows, whose shorter ones end in NULL. */
function rowsOf(columns: readonly (readonly string[])[]): { names: string[]; rows: Row[] } {
  const names = columns.map((_, at) => `c${at}`)
  const length = Math.max(...columns.map(texts => texts.length))
  const rows = Array.from({ length }, (_, row) =>
    Object.fromEntries(columns.map((texts, at) => [`c${at}`, texts[row] ?? null])),
  )
  return { names, rows }
}

/** Draws of lists of a type: the fate of one is the worst of its elements. */
function listsOf({ type, texts, fate, normal }: Drawn): Drawn {
  const elements = (text: string) => text.slice(1, -1).split(', ')
  return {
    type: `${type}[]`,
    texts: Array.from(
      { length: Math.floor(texts.length / 3) },
      (_, at) => `[${texts.slice(at * 3, at * 3 + 3).join(', ')}]`,
    ),
    fate(text) {
      const fates = elements(text).map(fate)
      if (fates.some(({ is }) => is === 'none')) return { is: 'none' }
      if (fates.some(({ is }) => is === 'cut')) return { is: 'cut' }
      return { is: 'kept', value: fates.map(each => (each as Fate & { value: string }).value).join(', ') }
    },
    normal: stored => elements(stored.replaceAll("'", '')).map(normal).join(', '),
  }
}

const DRAWN = [...NUMBERS, ...TIMES]
const ALL = [...DRAWN, ...DRAWN.map(listsOf)]

for (const [name, sourceOf] of SOURCES)
  describe(`a value of ${name}`, function () {
    this.timeout(120_000)
    const scratch = scratchFolder()
    const textsThat = (is: (fate: Fate['is']) => boolean) =>
      ALL.map(({ texts, fate }) => texts.filter(text => is(fate(text).is)))

    it('is stored as it is, or is counted among those of which a part is stored', async () => {
      const columns = textsThat(is => is !== 'none')
      const { names, rows } = rowsOf(columns)
      const declared = Object.fromEntries(ALL.map(({ type }, at) => [`c${at}`, { type, lossy: true }]))
      const sealed = await sealOne(scratch.path, declared, sourceOf(names, rows))
      assert.deepEqual(sealed.problems, [])
      for (const [at, { type, fate, normal }] of ALL.entries()) {
        const texts = columns[at] ?? []
        const cut = texts.filter(text => fate(text).is === 'cut')
        const warning = sealed.manifest?.warnings?.find(({ column }) => column === `c${at}`)
        assert.equal(warning?.rows ?? 0, cut.length, `${type}: ${warning?.message}`)
        if (!type.endsWith(']')) assert.ok(cut.length > 0 && cut.length < texts.length, type)
        for (const [row, text] of texts.entries()) {
          const expected = fate(text)
          if (expected.is === 'kept')
            assert.equal(normal(sealed.rows[row]?.[at] ?? ''), expected.value, `${type} of ${text}`)
        }
      }
    })

    it('is refused when the type does not have it', async () => {
      const none = [...textsThat(is => is === 'none'), NO_DAYS, NO_DAYS, NO_DAYS]
      const types = [...ALL.map(({ type }) => type), 'DATE', 'TIMESTAMP', 'TIMESTAMPTZ']
      const used = types.flatMap((type, at) => ((none[at]?.length ?? 0) > 0 ? [[type, none[at] ?? []] as const] : []))
      const { names, rows } = rowsOf(used.map(([, texts]) => texts))
      const declared = Object.fromEntries(used.map(([type], at) => [`c${at}`, { type, lossy: true }]))
      const { problems } = await sealOne(scratch.path, declared, sourceOf(names, rows))
      assert.deepEqual(
        problems.map(({ column, rows, message }) => [column, rows, /is not an? /.test(message)]),
        used.map(([, texts], at) => [`c${at}`, texts.length, true]),
      )
    })
  })

describe('a number of Parquet', function () {
  this.timeout(120_000)
  const scratch = scratchFolder()

  it('is stored as another type with its value, or is counted', async () => {
    const doubles = NUMBERS.flatMap(({ type, texts }) => (/^(DECIMAL\(10|UTINY|DOUBLE)/.test(type) ? texts : []))
      .map(Number)
      .filter(number => Math.abs(number) < 1e7)
    const targets = NUMBERS.filter(({ type }) => /INTEGER|DECIMAL/.test(type))
    const path = join(scratch.path, 'doubles.parquet')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const values = doubles.map((number, at) => `(${at}, '${number}'::DOUBLE)`).join(', ')
    const copies = targets.map((_, at) => `d AS c${at}`).join(', ')
    await connection.run(
      `COPY (SELECT ${copies} FROM (VALUES ${values}) AS t(i, d) ORDER BY i) TO '${path}' (FORMAT parquet)`,
    )
    instance.closeSync()
    const declared = Object.fromEntries(targets.map(({ type }, at) => [`c${at}`, { type, lossy: true }]))
    const sealed = await sealOne(scratch.path, declared, path)
    assert.deepEqual(sealed.problems, [])
    for (const [at, { type, fate }] of targets.entries()) {
      const fates = doubles.map(number => fate(`${number}`))
      const warning = sealed.manifest?.warnings?.find(({ column }) => column === `c${at}`)
      assert.equal(warning?.rows ?? 0, fates.filter(({ is }) => is === 'cut').length, type)
      for (const [row, expected] of fates.entries())
        if (expected.is === 'kept')
          assert.equal(normalNumber(sealed.rows[row]?.[at] ?? ''), expected.value, `${type} of ${doubles[row]}`)
    }
  })
})
