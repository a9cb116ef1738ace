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

/** What is no number, has a sign of its own, or is at the end of what a type holds. */
const FLOATS = ['nan', '-nan', 'inf', '-inf', '-0.0', '0.5', '1.0000001', '3.4e38', '-3.4e38', '1e-45']
const DOUBLES = [...FLOATS, '1.7e308', '-1.7e308', '1.7976931348623157e308', '5e-324', '0.9999999999999999']
const OTHERS = ['3', '0.0', '-1.5', '1e20', '10']
const numbers = (type: string, texts: readonly string[]) => [...texts.map(text => `'${text}'::${type}`), 'NULL']
const lists = (type: string, texts: readonly string[]) => [
  ...texts.map((text, at) => `['${text}', '${texts[(at * 3 + 1) % texts.length]}', '1']::${type}`),
  'NULL',
]
const INTO_LISTS = [...DOUBLES, '0', '1']
const FLOATS_IN_LISTS = [...FLOATS, '0', '1']

/** Edge values of each type, with times that have zones, and intervals that are longer than days. */
export const VALUES: typeof EDGES = {
  ...EDGES,
  DOUBLE: [...numbers('DOUBLE', [...DOUBLES, ...OTHERS]), '0', '2.5', '1e308'],
  FLOAT: numbers('FLOAT', [...FLOATS, ...OTHERS]),
  DECIMAL: [...numbers('DECIMAL(18, 3)', ['0', '-0.001', '999999999999999.999', '0.5', '1.001']), '0.25'],
  'DOUBLE[]': [...lists('DOUBLE[]', INTO_LISTS), '[]::DOUBLE[]', "['nan', NULL]::DOUBLE[]", '[0.25, 0.75]', '[NULL]'],
  'FLOAT[]': [...lists('FLOAT[]', FLOATS_IN_LISTS), '[]::FLOAT[]', "['nan', NULL]::FLOAT[]", '[0.5]', '[1, 0, 0.5]'],
  'DOUBLE[3]': [...lists('DOUBLE[3]', INTO_LISTS), '[1, NULL, 2]::DOUBLE[3]', '[0, 0, 0]::DOUBLE[3]'],
  'FLOAT[3]': [...lists('FLOAT[3]', FLOATS_IN_LISTS), '[1, NULL, 2]::FLOAT[3]', '[0, 0, 0]::FLOAT[3]'],
  'T[][]': ["[['é', NULL], [], NULL, ['😀']]", '[]::VARCHAR[][]', '[[1, 240]]', 'NULL::VARCHAR[][]'],
  'STRUCT(K, V)[]': ["[{'k': 'é', 'v': 1}, {'k': '', 'v': NULL}]", '[]::STRUCT(k VARCHAR, v INTEGER)[]', 'NULL'],
  STRUCT: [...(EDGES.STRUCT ?? []), "row('é', 240)", 'row(NULL, NULL)', 'NULL::STRUCT(a VARCHAR, b INTEGER)'],
  ENUM: ["'b'::ENUM('a', 'b', 'é')", "'é'::ENUM('a', 'b', 'é')", "NULL::ENUM('a', 'b', 'é')"],
  UNION: ["union_value(a := 'é')", 'union_value(n := 240)', 'NULL::UNION(a VARCHAR, n INTEGER)'],
  TIMESTAMP_NS: ["'2026-11-20 01:02:03.123456789'::TIMESTAMP_NS", "'infinity'::TIMESTAMP_NS", 'NULL::TIMESTAMP_NS'],
  INTERVAL: [...(EDGES.INTERVAL ?? []), "INTERVAL '17 hours'", "INTERVAL '-100000 hours'"],
  'TIME WITH TIME ZONE': [
    "TIMETZ '00:00:00+15:59:59'",
    "TIMETZ '24:00:00-15:59:59'",
    "TIMETZ '12:00:00.000003+00'",
    'NULL',
  ],
}

/** Functions whose first argument must be cast to a number, see `typed.ts`. */
export const OF_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  approx_quantile: ['DOUBLE', 'FLOAT', 'BIGINT', 'DECIMAL(18, 3)', 'HUGEINT'],
}

const FRACTIONS = ['0', '1', '0.5', '0.9999999', '1e-300', '0.3::FLOAT', '[0.25, 0.75]', '[1, 0, 0.5, 0.5]', '[]']

/** Last arguments that must be literals in a range, which few of the values above are. */
export const IN_RANGE: Readonly<Record<string, readonly string[]>> = {
  approx_quantile: FRACTIONS,
  approx_top_k: ['1', '7', '1000'],
  quantile: FRACTIONS,
  quantile_cont: FRACTIONS,
  quantile_disc: FRACTIONS,
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
  ...['DOUBLE', 'FLOAT'].flatMap(type =>
    ['+', '-', '*', '/', '//', '%', '**'].map(sign => form(`$1 ${sign} $2`, type, type)),
  ),
  ...['FLOAT', 'DOUBLE'].flatMap(type =>
    ['<->', '<=>'].flatMap(sign => [`${type}[3]`, `${type}[]`].map(each => form(`$1 ${sign} $2`, each, each))),
  ),
  ...['@>', '<@', '&&', '^@'].map(sign => form(`$1 ${sign} $2`, 'VARCHAR[]', 'VARCHAR[]')),
  ...['LIKE', 'NOT LIKE'].flatMap(sign => [
    form(`$1 ${sign} left($2, 900)`, 'VARCHAR', 'VARCHAR'),
    form(`$1 ${sign} '%' || left($2, 3) || '_'`, 'VARCHAR', 'VARCHAR'),
    form(`$1 ${sign} 'É%' COLLATE NOCASE`, 'VARCHAR'),
  ]),
  ...['TINYINT', 'BIGINT', 'UHUGEINT', 'DECIMAL(4, 2)', 'TIME', 'DATE', 'TIMESTAMP', 'BOOLEAN'].flatMap(type => [
    form(`TRY_CAST($1 AS ${type})`, 'DOUBLE'),
    form(`TRY_CAST($1 AS ${type})`, 'FLOAT'),
    form(`TRY_CAST($1 AS ${type}[])`, 'DOUBLE[]'),
  ]),
  form('$1 COLLATE NOCASE = $2', 'VARCHAR', 'VARCHAR'),
  form('(SELECT max(x) FROM (VALUES ($1), ($2)) v(x))', 'ANY', 'ANY'),
]
