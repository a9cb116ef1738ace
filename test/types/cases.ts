import { JSON_CASES } from './json-cases.js'

/** One SQL type: values as SQL and as JSON, and as Parquet stores them if that differs. */
export interface TypeCase {
  name: string
  sql: string[]
  json: unknown[]
  /** Defaults to `json`. */
  parquet?: unknown[]
}

const MAX = Number.MAX_SAFE_INTEGER

/** Every row of the contract's two tables of types: values as JSON, and values in a Parquet file. */
export const TYPE_CASES: TypeCase[] = [
  { name: 'boolean', sql: ['true', 'false'], json: [true, false] },
  {
    name: 'varchar',
    sql: [`'a "quoted" \\ text'`, `'é😀' || chr(10) || chr(0)`],
    json: ['a "quoted" \\ text', 'é😀\n\0'],
  },
  { name: 'enum', sql: [`'low'::ENUM('low', 'high')`, `'high'::ENUM('low', 'high')`], json: ['low', 'high'] },
  {
    name: 'uuid',
    sql: [`'0F0E0D0C-0B0A-4909-8807-060504030201'::UUID`, 'NULL'],
    json: ['0f0e0d0c-0b0a-4909-8807-060504030201', null],
  },
  { name: 'tinyint', sql: ['(-128)::TINYINT', '127::TINYINT'], json: [-128, 127] },
  { name: 'smallint', sql: ['(-32768)::SMALLINT', '32767::SMALLINT'], json: [-32768, 32767] },
  { name: 'integer', sql: ['(-2147483648)::INTEGER', '2147483647::INTEGER'], json: [-2147483648, 2147483647] },
  { name: 'utinyint', sql: ['0::UTINYINT', '255::UTINYINT'], json: [0, 255] },
  { name: 'usmallint', sql: ['0::USMALLINT', '65535::USMALLINT'], json: [0, 65535] },
  { name: 'uinteger', sql: ['0::UINTEGER', '4294967295::UINTEGER'], json: [0, 4294967295] },
  { name: 'float', sql: ['0.1::FLOAT', `'nan'::FLOAT`], json: [0.1, 'NaN'] },
  { name: 'float_large', sql: ['3.4028235e38::FLOAT', '16777216::FLOAT'], json: [3.4028235e38, 16777216] },
  { name: 'double', sql: ['0.1::DOUBLE', '5e-324::DOUBLE'], json: [0.1, 5e-324] },
  { name: 'double_infinite', sql: [`'inf'::DOUBLE`, `'-inf'::DOUBLE`], json: ['Infinity', '-Infinity'] },
  { name: 'double_nan', sql: [`'nan'::DOUBLE`, '-1e16::DOUBLE'], json: ['NaN', -1e16] },
  { name: 'bigint', sql: [`${MAX}::BIGINT`, `-${MAX}::BIGINT`], json: [MAX, -MAX] },
  {
    name: 'bigint_beyond',
    sql: ['9007199254740992::BIGINT', '(-9223372036854775808)::BIGINT'],
    json: ['9007199254740992', '-9223372036854775808'],
  },
  { name: 'ubigint', sql: [`${MAX}::UBIGINT`, '18446744073709551615::UBIGINT'], json: [MAX, '18446744073709551615'] },
  {
    name: 'hugeint',
    sql: [`${MAX}::HUGEINT`, '(-9223372036854775808)::HUGEINT'],
    json: [MAX, '-9223372036854775808'],
  },
  {
    name: 'uhugeint',
    sql: ['9223372036854775807::UHUGEINT', 'NULL'],
    json: ['9223372036854775807', null],
  },
  {
    name: 'decimal',
    sql: ['1234567890.12345::DECIMAL(15, 5)', '-0.5::DECIMAL(15, 5)'],
    json: [1234567890.12345, -0.5],
  },
  {
    name: 'decimal_beyond',
    sql: ['9999999999999.99::DECIMAL(18, 2)', '10000000000000.00::DECIMAL(18, 2)'],
    json: [9999999999999.99, '10000000000000.00'],
  },
  {
    name: 'decimal_wide',
    sql: ['-999999999999999::DECIMAL(38, 0)', '1000000000000000::DECIMAL(38, 0)'],
    json: [-999999999999999, '1000000000000000'],
  },
  {
    name: 'decimal_small',
    sql: ['0.00000000000000000001::DECIMAL(38, 20)', '0.123456789012345678::DECIMAL(38, 20)'],
    json: [1e-20, '0.12345678901234567800'],
  },
  { name: 'decimal_fraction', sql: ['0.5::DECIMAL(1, 1)', '-0.05::DECIMAL(2, 2)'], json: [0.5, -0.05] },
  {
    name: 'decimal_fraction_wide',
    sql: ['0.5::DECIMAL(38, 38)', 'NULL'],
    json: [`0.5${'0'.repeat(37)}`, null],
  },
  { name: 'date', sql: [`DATE '2026-11-20'`, `DATE '0001-01-01'`], json: ['2026-11-20', '0001-01-01'] },
  { name: 'date_far', sql: [`DATE '12026-11-20'`, `DATE '0044-03-15 (BC)'`], json: ['+012026-11-20', '-000043-03-15'] },
  { name: 'date_year_zero', sql: [`DATE '0001-12-31 (BC)'`, `DATE '9999-12-31'`], json: ['0000-12-31', '9999-12-31'] },
  { name: 'time', sql: [`TIME '01:02:03.456'`, `TIME '23:59:59'`], json: ['01:02:03.456', '23:59:59'] },
  {
    name: 'timetz',
    sql: [`TIMETZ '01:02:03+02'`, `TIMETZ '01:02:03.5-02:30'`],
    json: ['01:02:03+02:00', '01:02:03.5-02:30'],
  },
  {
    name: 'timetz_seconds',
    sql: [`TIMETZ '10:00:00+00:00:01'`, `TIMETZ '10:00:00.5-01:02:03'`],
    json: ['10:00:00+00:00:01', '10:00:00.5-01:02:03'],
  },
  { name: 'timetz_null', sql: ['NULL::TIMETZ', `TIMETZ '01:02:03+00'`], json: [null, '01:02:03+00:00'] },
  {
    name: 'timestamp',
    sql: [`TIMESTAMP '2026-11-20 01:02:03.456'`, `TIMESTAMP '2026-11-20 01:02:03'`],
    json: ['2026-11-20T01:02:03.456', '2026-11-20T01:02:03'],
  },
  {
    name: 'timestamp_far',
    sql: [`TIMESTAMP '12026-11-20 01:02:03.5'`, `TIMESTAMP '0044-03-15 (BC) 01:02:03'`],
    json: ['+012026-11-20T01:02:03.5', '-000043-03-15T01:02:03'],
  },
  { name: 'timestamp_s', sql: [`TIMESTAMP_S '2026-11-20 01:02:03'`, 'NULL'], json: ['2026-11-20T01:02:03', null] },
  {
    name: 'timestamp_ms',
    sql: [`TIMESTAMP_MS '2026-11-20 01:02:03.450'`, 'NULL'],
    json: ['2026-11-20T01:02:03.45', null],
  },
  {
    name: 'timestamp_ns',
    sql: [`TIMESTAMP_NS '2026-11-20 01:02:03.123456789'`, 'NULL'],
    json: ['2026-11-20T01:02:03.123456789', null],
  },
  {
    name: 'timestamp_ns_of_micros',
    sql: [`TIMESTAMP_NS '2026-11-20 01:02:03.123456'`, `TIMESTAMP_NS '1960-01-01 00:00:00.000001'`],
    json: ['2026-11-20T01:02:03.123456', '1960-01-01T00:00:00.000001'],
  },
  {
    name: 'timestamptz',
    sql: [`TIMESTAMPTZ '2026-11-20 03:02:03+02'`, `TIMESTAMPTZ '2026-11-20 01:02:03.25+00'`],
    json: ['2026-11-20T01:02:03Z', '2026-11-20T01:02:03.25Z'],
  },
  {
    name: 'interval',
    sql: [`INTERVAL '1 month 2 days 3.5 seconds'`, `INTERVAL '-14 months 40 days -25 hours'`],
    json: ['P1M2DT3.5S', 'P-1Y-2M40DT-25H'],
  },
  {
    name: 'interval_zero',
    sql: [`INTERVAL '0 days'`, `INTERVAL '90 minutes -0.25 seconds'`],
    json: ['PT0S', 'PT1H29M59.75S'],
  },
  { name: 'blob', sql: [`'\\xDE\\xAD\\x00'::BLOB`, `''::BLOB`], json: ['3q0A', ''] },
  { name: 'bit', sql: [`'0101'::BIT`, `'1'::BIT`], json: ['0101', '1'] },
  { name: 'list', sql: ['[1, NULL, 3]', '[]::INTEGER[]'], json: [[1, null, 3], []] },
  {
    name: 'list_of_lists',
    sql: [`[['a'], NULL, ['b', NULL]]`, '[[]]::VARCHAR[][]'],
    json: [[['a'], null, ['b', null]], [[]]],
  },
  { name: 'list_of_doubles', sql: [`[[1.5::DOUBLE, 'nan'::DOUBLE]]`, 'NULL'], json: [[[1.5, 'NaN']], null] },
  { name: 'list_of_bigints', sql: ['[1::BIGINT, 9007199254740993]', 'NULL'], json: [[1, '9007199254740993'], null] },
  { name: 'array', sql: ['[1, NULL, 3]::INTEGER[3]', 'NULL'], json: [[1, null, 3], null] },
  {
    name: 'array_nested',
    sql: ["{'a': [[1, 2], NULL]::INTEGER[2][2]}", "{'a': NULL}"],
    json: [{ a: [[1, 2], null] }, { a: null }],
  },
  {
    name: 'struct',
    sql: [`{'a': 1, 'day': DATE '2026-11-20', 'none': NULL::VARCHAR}`, 'NULL'],
    json: [{ a: 1, day: '2026-11-20', none: null }, null],
  },
  {
    name: 'struct_of_lost',
    sql: [`{'span': INTERVAL '1 day', 'huge': 5::HUGEINT}`, 'NULL'],
    json: [{ span: 'P1D', huge: 5 }, null],
  },
  { name: 'struct_unnamed', sql: [`row(1, 'x')`, 'NULL'], json: [{ 1: 1, 2: 'x' }, null] },
  {
    name: 'struct_proto',
    sql: [`{'__proto__': {'a': 1}}`, 'NULL'],
    json: [JSON.parse('{"__proto__": {"a": 1}}'), null],
  },
  {
    name: 'list_of_structs',
    sql: [`[{'k': 'x', 'v': TIMESTAMP '2026-11-20 00:00:00'}]`, 'NULL'],
    json: [[{ k: 'x', v: '2026-11-20T00:00:00' }], null],
  },
  { name: 'list_of_intervals', sql: [`[INTERVAL '1 hour', NULL]`, 'NULL'], json: [['PT1H', null], null] },
  { name: 'map', sql: [`MAP {'a': 1, 'b': NULL}`, 'MAP {}::MAP(VARCHAR, INTEGER)'], json: [{ a: 1, b: null }, {}] },
  { name: 'map_of_huge', sql: [`MAP {'a': 1::HUGEINT}`, 'NULL'], json: [{ a: 1 }, null] },
  {
    name: 'map_by_number',
    sql: ['MAP {1: [true], 2: NULL}', 'NULL'],
    json: [
      [
        { key: 1, value: [true] },
        { key: 2, value: null },
      ],
      null,
    ],
    parquet: ['[{"key":1,"value":[true]},{"key":2,"value":null}]', null],
  },
  { name: 'union_number', sql: [`union_value(n := 2)`, 'NULL'], json: [2, null], parquet: ['2', null] },
  {
    name: 'union_mixed',
    sql: [`'word'::UNION(n INTEGER, s VARCHAR)`, `1::UNION(n INTEGER, s VARCHAR)`],
    json: ['word', 1],
    parquet: ['word', '1'],
  },
  ...JSON_CASES,
  { name: 'null', sql: ['NULL', 'NULL'], json: [null, null] },
]

/** Values that exist as JSON but not in the engine's Parquet files. */
export const JSON_ONLY_CASES: TypeCase[] = [
  { name: 'date_infinite', sql: [`DATE 'infinity'`, `DATE '-infinity'`], json: ['infinity', '-infinity'] },
  {
    name: 'timestamp_infinite',
    sql: [`TIMESTAMP 'infinity'`, `TIMESTAMP '-infinity'`],
    json: ['infinity', '-infinity'],
  },
  ...['S', 'MS', 'NS'].map(precision => ({
    name: `timestamp_${precision.toLowerCase()}_infinite`,
    sql: [`'infinity'::TIMESTAMP_${precision}`, `'-infinity'::TIMESTAMP_${precision}`],
    json: ['infinity', '-infinity'],
  })),
  {
    name: 'timestamptz_infinite',
    sql: [`TIMESTAMPTZ 'infinity'`, `TIMESTAMPTZ '-infinity'`],
    json: ['infinity', '-infinity'],
  },
]

/** Returns a statement with a column for each case and a row for each value. */
export function statementOf(cases: readonly TypeCase[]): string {
  const columns = cases.map(({ name, sql }) => `unnest([${sql.join(', ')}]) AS ${name}`)
  return `SELECT ${columns.join(',\n  ')}`
}
