import { TYPE_CASES } from '../../types/cases.js'

/** SQL of three values per column, beyond the cases of each type: NULL, nested values, limits, names. */
const FURTHER: [name: string, sql: string[]][] = [
  ['decimal_4', ['-99.99::DECIMAL(4, 2)', '99.99::DECIMAL(4, 2)', '0.01::DECIMAL(4, 2)']],
  ['decimal_9', ['-9999999.99::DECIMAL(9, 2)', '9999999.99::DECIMAL(9, 2)', '-0.01::DECIMAL(9, 2)']],
  ['decimal_18', ['-9999999999999999.99::DECIMAL(18, 2)', '9999999999999.99::DECIMAL(18, 2)', '-0.07::DECIMAL(18, 2)']],
  [
    'decimal_38',
    [
      `-${'9'.repeat(28)}.${'9'.repeat(10)}::DECIMAL(38, 10)`,
      '12345.6789000000::DECIMAL(38, 10)',
      '-0.0000000001::DECIMAL(38, 10)',
    ],
  ],
  ['sum_of_integers', [`(SELECT sum(i) FROM range(5) t(i))`, '(-7)::HUGEINT', 'NULL']],
  ['date_before_1970', [`DATE '1969-12-31'`, `DATE '1582-10-15'`, `DATE '1900-02-28'`]],
  ['time_of_micros', [`TIME '00:00:00'`, `TIME '23:59:59.999999'`, `TIME '12:00:00.000001'`]],
  [
    'timestamp_before_1970',
    [`TIMESTAMP '1969-12-31 23:59:59.999999'`, `TIMESTAMP '1900-01-01 00:00:00.5'`, `TIMESTAMP '1970-01-01 00:00:00'`],
  ],
  [
    'timestamptz_before_1970',
    [
      `TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'`,
      `TIMESTAMPTZ '1960-06-01 00:00:00-11'`,
      `TIMESTAMPTZ '1970-01-01 00:00:00+00'`,
    ],
  ],
  ['blob_of_text', [`'text'::BLOB`, `'\\xFF\\xFE'::BLOB`, 'NULL']],
  ['double_of_all', [`'nan'::DOUBLE`, `'-inf'::DOUBLE`, '-1.7976931348623157e308::DOUBLE']],
  ['list_of_uuids', [`[uuid '00000000-0000-4000-8000-00000000000a', NULL]`, '[]::UUID[]', 'NULL']],
  ['list_of_decimals', ['[-1.25::DECIMAL(9, 2), NULL]', '[0.01::DECIMAL(9, 2)]', '[]::DECIMAL(9, 2)[]']],
  [
    'list_of_wide_decimals',
    [`[${'9'.repeat(20)}.5::DECIMAL(38, 2), 1.5::DECIMAL(38, 2)]`, '[]::DECIMAL(38, 2)[]', 'NULL'],
  ],
  ['list_of_dates', [`[DATE '1969-07-20', NULL]`, `[]::DATE[]`, `[DATE '2026-11-20']`]],
  ['list_of_timestamps', [`[TIMESTAMP '1969-07-20 20:17:40.25', NULL]`, 'NULL', `[]::TIMESTAMP[]`]],
  ['list_of_zoned', [`[TIMESTAMPTZ '2026-11-20 01:02:03+01', NULL]`, 'NULL', `[]::TIMESTAMPTZ[]`]],
  ['list_of_blobs', [`['\\x00\\x01'::BLOB, NULL]`, 'NULL', `[''::BLOB]`]],
  ['list_of_enums', [`['b'::ENUM('a', 'b'), NULL]`, 'NULL', 'NULL']],
  ['list_of_maps', [`[MAP {'a': 1}, NULL, MAP {}]`, 'NULL', `[]`]],
  ['array_of_uuids', [`['00000000-0000-4000-8000-00000000000b', NULL]::UUID[2]`, 'NULL', 'NULL']],
  ['array_of_arrays', ['[[1, NULL], NULL, [3, 4]]::INTEGER[2][3]', 'NULL', '[[1, 2], [3, 4], NULL]::INTEGER[2][3]']],
  [
    'struct_of_many',
    [
      `{'id': uuid '00000000-0000-4000-8000-00000000000c', 'at': TIMESTAMPTZ '2026-11-20 01:02:03.5+00',
      'day': DATE '1969-12-31', 'cost': -1.50::DECIMAL(9, 2), 'raw': 'x'::BLOB, 'tags': ['a', NULL], 'huge': 1::HUGEINT,
      'pair': [1, NULL]::INTEGER[2], 'nan': 'nan'::DOUBLE}`,
      'NULL',
      'NULL',
    ],
  ],
  ['struct_of_structs', [`{'a': {'b': {'c': [1, 2]}}}`, `{'a': {'b': NULL}}`, `{'a': NULL}`]],
  ['map_of_uuids', [`MAP {'a': uuid '00000000-0000-4000-8000-00000000000d', 'b': NULL}`, 'NULL', 'MAP {}']],
  ['map_of_lists', [`MAP {'a': [1, NULL], 'b': [], 'c': NULL}`, 'NULL', 'MAP {}']],
  ['map_of_structs', [`MAP {'a': {'n': 1.5::DECIMAL(4, 2), 'd': DATE '1969-12-31'}}`, 'NULL', 'MAP {}']],
  // Names.
  ['größe 🌍 "x"', ['1', '2', '3']],
  ['a.b', [`'dot'`, 'NULL', 'NULL']],
  ['__proto__', [`'name'`, 'NULL', `''`]],
]

const COLUMNS = [...TYPE_CASES.map(({ name, sql }) => [name, sql] as const), ...FURTHER]

/** A statement with three rows and a column for every type; `casts` maps names to the types to cast columns to. */
export function statementOfAll(casts: ReadonlyMap<string, string> = new Map()): string {
  const values = COLUMNS.map(([name, sql]) => `unnest([${sql.join(', ')}]) AS ${quoted(name)}`)
  const columns = COLUMNS.map(([name]) => {
    const type = casts.get(name)
    return type ? `CAST(${quoted(name)} AS ${type}) AS ${quoted(name)}` : quoted(name)
  })
  return `SELECT ${columns.join(', ')} FROM (SELECT ${values.join(',\n  ')})`
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
