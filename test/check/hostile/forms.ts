import type { Overload } from './calls.js'
import { EDGES } from './edges.js'

const TYPES = [
  ...['VARCHAR', 'BLOB', 'BIT', 'BOOLEAN', 'INTEGER', 'UTINYINT', 'HUGEINT', 'UHUGEINT', 'FLOAT', 'DOUBLE', 'UUID'],
  ...['DECIMAL(18, 3)', 'DECIMAL(38, 0)', 'DATE', 'TIME', 'TIMETZ', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS'],
  ...['TIMESTAMP_NS', 'TIMESTAMPTZ', 'INTERVAL', 'JSON', 'VARCHAR[]', 'INTEGER[]', 'VARCHAR[2]', "ENUM('a', 'é')"],
  ...['MAP(VARCHAR, INTEGER)', 'STRUCT(a VARCHAR, b INTEGER)'],
]
const TIMES = ['DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', 'TIME WITH TIME ZONE', 'INTERVAL']

const form = (name: string, ...types: string[]): Overload => ({ name, types, isAggregate: false })

/** Edge values of each type, with times that have zones, and intervals that are longer than days. */
export const VALUES: typeof EDGES = {
  ...EDGES,
  INTERVAL: [...(EDGES.INTERVAL ?? []), "INTERVAL '17 hours'", "INTERVAL '-100000 hours'"],
  'TIME WITH TIME ZONE': [
    "TIMETZ '00:00:00+15:59:59'",
    "TIMETZ '24:00:00-15:59:59'",
    "TIMETZ '12:00:00.000003+00'",
    'NULL',
  ],
}

/** Expressions that are no calls, with `$1`, `$2` … where their arguments stand. */
export const FORMS: readonly Overload[] = [
  ...TYPES.flatMap(type => [
    form(`TRY_CAST($1 AS ${type})`, 'ANY'),
    form(`CAST(TRY_CAST(CAST($1 AS VARCHAR) AS ${type}) AS VARCHAR)`, 'ANY'),
  ]),
  ...['VARCHAR', 'VARCHAR[]', 'BIGINT[]', 'MAP(K, V)'].map(type => form('$1[$2]', type, 'BIGINT')),
  ...['VARCHAR', 'VARCHAR[]', 'BLOB'].map(type => form('$1[$2:$3]', type, 'BIGINT', 'BIGINT')),
  form('$1[$2:$3:$4]', 'VARCHAR[]', 'BIGINT', 'BIGINT', 'BIGINT'),
  ...TIMES.flatMap(type => [
    form('$1 + $2', type, 'INTERVAL'),
    form('$1 - $2', type, 'INTERVAL'),
    form('$1 - $2', type, type),
    form('TRY_CAST($1 + $2 * $3 AS TIME)', type, 'INTERVAL', 'INTEGER'),
  ]),
  form('$1 + $2', 'DATE', 'INTEGER'),
  form('$1 + $2', 'DATE', 'TIME'),
  form('$1 * $2', 'INTERVAL', 'BIGINT'),
  form('$1 / $2', 'INTERVAL', 'DOUBLE'),
  form('$1 AT TIME ZONE $2', 'TIMESTAMP', 'VARCHAR'),
  ...['VARCHAR', 'VARCHAR[]', 'BIT', 'BLOB'].map(type => form('$1 || $2', type, type)),
  ...['&', '|', '<<', '>>'].map(sign => form(`$1 ${sign} $2`, 'BIT', 'INTEGER')),
  ...['+', '-', '*', '/', '//', '%', '&', '<<', '>>', '^'].map(sign => form(`$1 ${sign} $2`, 'BIGINT', 'BIGINT')),
  form('$1 IN ($2, $3)', 'ANY', 'ANY', 'ANY'),
  form('$1 BETWEEN $2 AND $3', 'ANY', 'ANY', 'ANY'),
  form('$1 IS DISTINCT FROM $2', 'ANY', 'ANY'),
  form('CASE $1 WHEN $2 THEN $3 END', 'ANY', 'ANY', 'ANY'),
  form('coalesce($1, $2)', 'ANY', 'ANY'),
  form('$1 ->> $2', 'JSON', 'VARCHAR'),
  form('$1 -> $2', 'JSON', 'BIGINT'),
  form('[x FOR x IN $1 IF x IS NOT NULL]', 'VARCHAR[]'),
  form('(SELECT max(x) FROM (VALUES ($1), ($2)) v(x))', 'ANY', 'ANY'),
]
