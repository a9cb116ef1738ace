import assert from 'node:assert/strict'
import { fromPostgres } from 'foldgate-postgres'
import { sealOne } from '../../../../test/engine/one-table.js'
import { scratchFolder } from '../../../../test/server/command.js'
import { ask } from '../../../../test/server/stores.js'
import { givenPool } from './reading.js'

/** Values that a table does not hold, with the types that are declared, or told, and what is said of them. */
const WRONG: readonly [value: string, declared: string, shown: string, isOf: string][] = [
  ["'NaN'::numeric(5,2)", 'DECIMAL(5,2)', 'NaN', 'a DECIMAL(5,2)'],
  ["'{{1,2},{3,4}}'::int[]", 'INTEGER[]', '[[1,2],[3,4]]', 'an INTEGER[]'],
  ["'{{a},{b}}'::text[]", 'VARCHAR[]', '{{a},{b}}', 'a VARCHAR[]'],
  ["'[2:3]={1,2}'::int[]", 'INTEGER[]', '[2:3]=[1,2]', 'an INTEGER[]'],
  ["'0044-03-15 01:02:03 BC'::timestamp", 'TIMESTAMP', '0044-03-15 01:02:03 BC', 'a TIMESTAMP'],
  [`'"\\ud800"'::json`, 'JSON', '"\\ud800"', 'a JSON'],
  ["''::varbit", 'BIT', '', 'a BIT'],
]
/** Values of which a declared type holds a part only. */
const CUT: readonly [value: string, declared: string, shown: string, part: string][] = [
  ['1.2345::numeric(12,4)', 'DECIMAL(10,2)', '1.2345', '1.23'],
  ["'{1.2345}'::numeric(12,4)[]", 'DECIMAL(10,2)[]', '[1.2345]', '[1.23]'],
  ["'2026-10-01 00:30+02'::timestamptz", 'DATE', '2026-09-30 22:30:00+00', '2026-09-30'],
  ["'2026-10-01 00:30:01'::timestamp", 'DATE', '2026-10-01 00:30:01', '2026-10-01'],
  ["'10:00+05:30'::timetz", 'TIME', '10:00:00+05:30', '10:00:00'],
  ['9007199254740993::int8', 'DOUBLE', '9007199254740993', '9007199254740992.0'],
  ['1.5::float8', 'INTEGER', '1.5', '2'],
]
/** Values that are kept, with the types that are told of them, and what is stored. */
const KEPT: readonly [value: string, declared: string, stored: string][] = [
  ["'2026-10-01 00:30+02'::timestamptz", 'TIMESTAMP', '2026-09-30 22:30:00'],
  ["'10:00+05:30'::timetz", 'TIME WITH TIME ZONE', '04:30:00+00'],
  ["'NaN'::float8", '', 'nan'],
  ["'{NaN,1e-300}'::float8[]", '', '[nan, 1e-300]'],
  ['1.50::numeric(12,4)', 'DECIMAL(10,2)', '1.50'],
  ["'{1.50,NULL}'::numeric(12,4)[]", 'DECIMAL(10,2)[]', '[1.50, NULL]'],
  ["'0044-03-15 BC'::date", 'DATE', '0044-03-15 (BC)'],
  ["'2026-10-01 00:00:00+00'::timestamptz", 'DATE', '2026-10-01'],
]

describe('a wrong value of PostgreSQL', () => {
  const scratch = scratchFolder()
  const given = givenPool()
  const statement = (values: readonly string[]) =>
    `SELECT ${values.map((value, at) => `(CASE WHEN i = 2 THEN ${value} END)::${value.split('::')[1]} AS c${at}`).join(', ')} FROM generate_series(1, 3) AS i ORDER BY i`
  const sourceOf = (cases: readonly (readonly [value: string, ...rest: string[]])[]) =>
    fromPostgres(given.pool, statement(cases.map(([value]) => value)), { isOrdered: true })
  const columnsOf = (cases: readonly (readonly [value: string, declared: string, ...rest: string[]])[]) =>
    Object.fromEntries(cases.map(([, declared], at) => [`c${at}`, declared]))

  for (const isDeclared of [true, false])
    it(`is named by row, column and value in a table ${isDeclared ? 'with' : 'without'} declared columns`, async () => {
      const { problems } = await sealOne(scratch.path, isDeclared ? columnsOf(WRONG) : undefined, sourceOf(WRONG))
      assert.deepEqual(
        problems.map(({ column, message, rows }) => [column, message.replace(/: write it as .*/, ''), rows]),
        WRONG.map(([, , shown, isOf], at) => [`c${at}`, `row 2: "${shown}" is not ${isOf}`, 1]),
      )
    })

  it('of which the declared type holds a part is named, with the part', async () => {
    const { problems } = await sealOne(scratch.path, columnsOf(CUT), sourceOf(CUT))
    assert.deepEqual(
      problems.map(({ column, message }) => [column, message.replace(/ is not .* it would be stored as /, ' → ')]),
      CUT.map(([, , shown, part], at) => [
        `c${at}`,
        `row 2: "${shown}" → ${part}. Correct it, or declare the column with lossy: true`,
      ]),
    )
  })

  it('is counted as PostgreSQL counts it', async () => {
    await ask(`CREATE TABLE foldgate_drawn AS SELECT i AS id, ((random() - 0.5) * 10 ^ (i % 9))::numeric(20,4) AS price,
      round(((random() - 0.5) * 10 ^ (i % 12))::numeric, i % 4) AS size, timestamptz '1900-01-01 00:00Z' + random() * interval '300 years'
        - CASE WHEN i % 2 = 0 THEN interval '0' ELSE interval '12 hours' END AS at FROM generate_series(1, 5000) AS i`)
    try {
      const statement =
        'SELECT id, price, size::numeric(30,4) AS size, at, CASE WHEN id % 3 = 0 THEN at ELSE date_trunc($$day$$, at, $$UTC$$) END AS day FROM foldgate_drawn'
      const lossy = { price: 'DECIMAL(10,2)', size: 'BIGINT', at: 'TIMESTAMP_MS', day: 'DATE' }
      const columns = Object.fromEntries(Object.entries(lossy).map(([name, type]) => [name, { type, lossy: true }]))
      const { manifest, rows } = await sealOne(
        scratch.path,
        { id: 'INTEGER', ...columns },
        fromPostgres(given.pool, statement),
      )
      const [counted] = await ask(`SELECT count(*) FILTER (WHERE price <> round(price, 2))::int AS price,
        count(*) FILTER (WHERE size <> round(size))::int AS size, count(*) FILTER (WHERE at <> date_trunc('milliseconds', at))::int AS at,
        count(*) FILTER (WHERE day <> date_trunc('day', day, 'UTC'))::int AS day FROM (${statement}) AS drawn`)
      assert.deepEqual(
        Object.fromEntries((manifest?.warnings ?? []).map(({ column, rows }) => [column, rows])),
        counted,
      )
      const sum = rows.reduce((sum, [, price]) => sum + BigInt((price ?? '0').replace('.', '')), 0n)
      const [expected] = await ask('SELECT (sum(round(price, 2)) * 100)::bigint::text AS sum FROM foldgate_drawn')
      assert.equal(`${sum}`, expected?.sum)
    } finally {
      await ask('DROP TABLE foldgate_drawn')
    }
  })

  it('is not told of a value that the type holds', async () => {
    const declared = KEPT.filter(([, type]) => type !== '')
    for (const [cases, columns] of [
      [declared, columnsOf(declared)],
      [KEPT.filter(([, type]) => type === ''), undefined],
    ] as const) {
      const { rows, problems } = await sealOne(scratch.path, columns, sourceOf(cases))
      assert.deepEqual(problems, [])
      assert.deepEqual(
        rows[1],
        cases.map(([, , stored]) => stored),
      )
    }
  })
})
