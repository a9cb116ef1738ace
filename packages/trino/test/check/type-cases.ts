import { TYPE_CASES, type TypeCase } from '../../../../test/types/cases.js'

/** Values in Trino's SQL whose JSON and Parquet are those of a case of DuckDB's. */
const AS_ON_DUCKDB: Record<string, [first: string, second: string]> = {
  boolean: ['true', 'false'],
  varchar: [`'a "quoted" \\ text'`, `'é😀' || chr(10) || chr(0)`],
  uuid: [`uuid '0F0E0D0C-0B0A-4909-8807-060504030201'`, 'NULL'],
  tinyint: [`tinyint '-128'`, `tinyint '127'`],
  smallint: [`smallint '-32768'`, `smallint '32767'`],
  integer: ['-2147483648', '2147483647'],
  float: [`real '0.1'`, 'CAST(nan() AS real)'],
  float_large: [`real '3.4028235e38'`, `real '16777216'`],
  double: ['0.1e0', '4.9e-324'],
  double_infinite: ['infinity()', '-infinity()'],
  double_nan: ['nan()', '-1e16'],
  bigint: ['9007199254740991', '-9007199254740991'],
  bigint_beyond: ['9007199254740992', `bigint '-9223372036854775808'`],
  decimal: [`CAST('1234567890.12345' AS decimal(15, 5))`, `CAST('-0.5' AS decimal(15, 5))`],
  date: [`date '2026-11-20'`, `date '0001-01-01'`],
  date_far: [`date '12026-11-20'`, `date '-0043-03-15'`],
  date_year_zero: [`date '0000-12-31'`, `date '9999-12-31'`],
  time: [`time '01:02:03.456'`, `time '23:59:59.000'`],
  timetz: [`time '01:02:03.0+02:00'`, `time '01:02:03.5-02:30'`],
  timetz_null: ['CAST(NULL AS time(3) with time zone)', `time '01:02:03.000+00:00'`],
  timestamp: [`timestamp '2026-11-20 01:02:03.456'`, `timestamp '2026-11-20 01:02:03.000'`],
  timestamp_far: [`timestamp '12026-11-20 01:02:03.5'`, `timestamp '-0043-03-15 01:02:03.0'`],
  timestamp_s: [`timestamp '2026-11-20 01:02:03'`, 'NULL'],
  timestamp_ms: [`timestamp '2026-11-20 01:02:03.450'`, 'NULL'],
  timestamp_ns: [`timestamp '2026-11-20 01:02:03.123456789'`, 'NULL'],
  timestamp_ns_of_micros: [`timestamp '2026-11-20 01:02:03.123456000'`, `timestamp '1960-01-01 00:00:00.000001000'`],
  timestamptz: [`timestamp '2026-11-20 03:02:03.00 +02:00'`, `timestamp '2026-11-20 02:02:03.25 Europe/Berlin'`],
  blob: [`X'DEAD00'`, `X''`],
  list: ['ARRAY[1, NULL, 3]', 'CAST(ARRAY[] AS array(integer))'],
  list_of_lists: [`ARRAY[ARRAY['a'], NULL, ARRAY['b', NULL]]`, 'CAST(ARRAY[ARRAY[]] AS array(array(varchar)))'],
  list_of_doubles: ['ARRAY[ARRAY[1.5e0, nan()]]', 'NULL'],
  list_of_bigints: ["ARRAY[bigint '1', 9007199254740993]", 'NULL'],
  struct: [`CAST(ROW(1, date '2026-11-20', NULL) AS row(a integer, "day" date, "none" varchar))`, 'NULL'],
  struct_of_lost: [`CAST(ROW(interval '1' day, 5) AS row("span" interval day to second, huge decimal(38, 0)))`, 'NULL'],
  struct_unnamed: [`ROW(1, 'x')`, 'NULL'],
  struct_proto: ['CAST(ROW(ROW(1)) AS row("__proto__" row(a integer)))', 'NULL'],
  list_of_structs: [`ARRAY[CAST(ROW('x', timestamp '2026-11-20 00:00:00') AS row(k varchar, v timestamp(0)))]`, 'NULL'],
  list_of_intervals: [`ARRAY[interval '1' hour, NULL]`, 'NULL'],
  map: [`MAP(ARRAY['a', 'b'], ARRAY[1, NULL])`, 'CAST(MAP() AS map(varchar, integer))'],
  map_of_huge: [`MAP(ARRAY['a'], ARRAY[decimal '1'])`, 'NULL'],
  map_by_number: ['MAP(ARRAY[1, 2], ARRAY[ARRAY[true], NULL])', 'NULL'],
  null: ['NULL', 'NULL'],
}

/** What only Trino has, or has otherwise. */
const ONLY_ON_TRINO: TypeCase[] = [
  { name: 'char', sql: [`CAST('ab' AS char(4))`, 'NULL'], json: ['ab  ', null] },
  { name: 'ipaddress', sql: [`ipaddress '10.0.0.1'`, `ipaddress '2001:db8::1'`], json: ['10.0.0.1', '2001:db8::1'] },
  { name: 'zero', sql: ['-0e0', '0e0'], json: [-0, 0] },
  {
    name: 'decimal_of_29',
    sql: [`decimal '12345678901234567890123456.789'`, `decimal '-00000000000000000000000000.050'`],
    json: ['12345678901234567890123456.789', -0.05],
  },
  {
    name: 'json',
    sql: [`json '{"a": [1, "x", null]}'`, 'NULL'],
    json: [{ a: [1, 'x', null] }, null],
    parquet: ['{"a":[1,"x",null]}', null],
  },
  {
    name: 'months',
    sql: [`interval '14' month`, `interval '-2' year`],
    json: ['P1Y2M', 'P-2Y'],
  },
  {
    name: 'seconds',
    sql: [`-(interval '1' day + interval '3.5' second)`, `interval '0' second`],
    json: ['P-1DT-3.5S', 'PT0S'],
  },
  { name: 'no_months', sql: [`interval '0' month`, `interval '1' month`], json: ['PT0S', 'P1M'] },
  {
    name: 'picoseconds',
    sql: [`timestamp '2026-11-20 01:02:03.123456789012'`, `timestamp '2026-11-20 01:02:03.000000000000'`],
    json: ['2026-11-20T01:02:03.123456789012', '2026-11-20T01:02:03'],
  },
  {
    name: 'time_ps',
    sql: [`time '01:02:03.123456789012'`, `time '01:02:03.100000000000'`],
    json: ['01:02:03.123456789012', '01:02:03.1'],
  },
  {
    name: 'instant_ps',
    sql: [
      `timestamp '2026-11-20 01:02:03.123456789012 UTC'`,
      `timestamp '2026-07-20 01:02:03.000000000001 Europe/Berlin'`,
    ],
    json: ['2026-11-20T01:02:03.123456789012Z', '2026-07-19T23:02:03.000000000001Z'],
  },
  {
    name: 'instant_far',
    sql: [`timestamp '12026-11-20 01:02:03.5 UTC'`, `timestamp '-0043-03-15 01:02:03.0 UTC'`],
    json: ['+012026-11-20T01:02:03.5Z', '-000043-03-15T01:02:03Z'],
  },
  {
    name: 'nested',
    sql: [
      `CAST(ROW(X'AB', json '[1]', MAP(ARRAY['k'], ARRAY[X'00'])) AS row(b varbinary, j json, m map(varchar, varbinary)))`,
      'NULL',
    ],
    json: [{ b: 'qw==', j: [1], m: { k: 'AA==' } }, null],
    parquet: [{ b: 'qw==', j: '[1]', m: { k: 'AA==' } }, null],
  },
  {
    name: 'list_of_blobs',
    sql: [`ARRAY[X'AB', NULL]`, 'NULL'],
    json: [['qw==', null], null],
  },
  {
    name: 'map_by_date',
    sql: [`MAP(ARRAY[date '2026-11-20'], ARRAY[9007199254740993])`, 'NULL'],
    json: [[{ key: '2026-11-20', value: '9007199254740993' }], null],
    parquet: ['[{"key":"2026-11-20","value":"9007199254740993"}]', null],
  },
  {
    name: 'map_by_double',
    sql: ["MAP(ARRAY[1.5e0], ARRAY['x'])", 'NULL'],
    json: [[{ key: 1.5, value: 'x' }], null],
    parquet: ['[{"key":1.5,"value":"x"}]', null],
  },
]

/** Cases in Trino's SQL; those of the first kind have the values that the engine of the library gives. */
export const TRINO_CASES: TypeCase[] = [
  ...Object.entries(AS_ON_DUCKDB).map(([name, sql]) => {
    const known = TYPE_CASES.find(each => each.name === name)
    if (!known) throw new Error(`test/types/cases.ts has no case ${name}`)
    return { ...known, sql }
  }),
  ...ONLY_ON_TRINO,
]

/** Values that no result can hold, with what the refusal says. */
export const REFUSED: [sql: string, says: RegExp][] = [
  ['approx_set(1)', /HYPERLOGLOG/],
  ['qdigest_agg(1)', /QDIGEST/],
  ['tdigest_agg(1.0)', /TDIGEST/],
  ['ARRAY[approx_set(1)]', /HYPERLOGLOG/],
  [`MAP(ARRAY[ARRAY['a, b']], ARRAY[1])`, /maps with keys of type ARRAY\(VARCHAR/],
  [`timestamp '2026-10-25 02:30:00 Europe/Berlin'`, /AT TIME ZONE 'UTC'/],
]

/** A statement with a column for each case and a row for each value. */
export function trinoStatementOf(cases: readonly TypeCase[]): string {
  const names = cases.map(({ name }) => `"${name}"`)
  const rows = [0, 1].map(row => `(${[row, ...cases.map(({ sql }) => sql[row])].join(',\n')})`)
  return `SELECT ${names.join(', ')} FROM (VALUES ${rows.join(', ')}) AS t(i, ${names.join(', ')}) ORDER BY i`
}
