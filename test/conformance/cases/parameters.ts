import { PROJECT } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import type { Case } from '../entry/case.js'
import { exported } from './export.js'
import { cursorOf } from './made.js'
import { query } from './query.js'

const ONE = 'SELECT $v AS v'

/** Values as they are sent, and as rows have them. */
const VALUES: [name: string, sent: unknown, value: unknown, type: string][] = [
  ['a string', 'it\'s; "$v" 🌍 \u0000', 'it\'s; "$v" 🌍 \u0000', 'VARCHAR'],
  ['true', true, true, 'BOOLEAN'],
  ['a whole number', 9_007_199_254_740_991, 9_007_199_254_740_991, 'BIGINT'],
  ['another number', 0.5, 0.5, 'DOUBLE'],
  ['null', null, null, 'INTEGER'],
  ['a DATE', { type: 'DATE', value: '2026-11-20' }, '2026-11-20', 'DATE'],
  ['a DECIMAL', { type: 'DECIMAL(9,2)', value: 12.5 }, 12.5, 'DECIMAL(9,2)'],
  ['a HUGEINT', { type: 'hugeint', value: '170141183460469231731687303715884105727' }, `${2n ** 127n - 1n}`, 'HUGEINT'],
  ['NaN', { type: 'DOUBLE', value: 'NaN' }, 'NaN', 'DOUBLE'],
  ['bytes', { type: 'BLOB', value: '/wA=' }, '/wA=', 'BLOB'],
  ['a list', { type: 'VARCHAR[]', value: ['a', null, ''] }, ['a', null, ''], 'VARCHAR[]'],
  ['an empty list of lists', { type: 'DATE[][]', value: [[], null] }, [[], null], 'DATE[][]'],
]

/** Values that are refused, and the path that the failure names. */
const REFUSED: [name: string, parameters: unknown, path: string][] = [
  ['a list', [], 'parameters'],
  ['a string', 'v', 'parameters'],
  ['null', null, 'parameters'],
  ['none', {}, 'parameters.v'],
  ['others alone', { w: 1 }, 'parameters.v'],
  ['an unused one', { v: 1, w: 2 }, 'parameters.w'],
  ['one name in two cases', { v: 1, V: 2 }, 'parameters.V'],
  ['a number for a name', { v: 1, 1: 2 }, 'parameters.1'],
  ['a list without its type', { v: [1] }, 'parameters.v'],
  ['an object without its type', { v: { value: 1 } }, 'parameters.v'],
  ['an object without its value', { v: { type: 'DATE' } }, 'parameters.v'],
  ['an unknown type', { v: { type: 'DAT', value: '2026-11-20' } }, 'parameters.v'],
  ['a day that does not exist', { v: { type: 'DATE', value: '2026-02-30' } }, 'parameters.v'],
  ['a number that is none', { v: { type: 'INTEGER', value: '1x' } }, 'parameters.v'],
  ['a number that JSON rounds', { v: 2 ** 53 }, 'parameters.v'],
  ['half of a surrogate pair', { v: '\ud800' }, 'parameters.v'],
  ['too many', Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`v${at}`, at])), 'parameters'],
  ['too many bytes', { v: 'x'.repeat(65_536) }, 'parameters'],
]

/** Statements whose parameter stands where the guard needs a literal, or where none can stand. */
const NO_PLACE: [name: string, sql: string, v: unknown][] = [
  ['a pattern of LIKE', "SELECT 'a' LIKE $v AS v", 'a%'],
  ['a regular expression', "SELECT regexp_matches('a', $v) AS v", '\\C'],
  ['a format', 'SELECT printf($v, 200) AS v', '%c'],
  ['a way of decoding', "SELECT decode('a'::BLOB, $v) AS v", 'ignore'],
  ['a bound of a frame', 'SELECT count(*) OVER (ROWS $v PRECEDING) AS v', 1],
  ['an offset', 'SELECT lag(1, $v) OVER () AS v', 1],
  ['a number of groups', 'SELECT ntile($v) OVER () AS v', 1],
  ['the pattern of COLUMNS', 'SELECT COLUMNS($v) FROM (SELECT 1 AS a)', 'a'],
  ['a zone', 'SELECT now() AT TIME ZONE $v AS v', 'UTC'],
  ['a value of a PIVOT', "PIVOT (SELECT 1 AS a, 'x' AS b) ON b IN ($v) USING sum(a)", 'x'],
  ['a relation', 'SELECT * FROM $v', 'sites'],
  ['a width', 'SELECT 1::DECIMAL($v, 1) AS v', 9],
  ['the size of a sample', 'SELECT 1 AS one USING SAMPLE $v ROWS', 1],
  ['a list to be graded, without a cast', 'SELECT list_grade_up(coalesce($v, $v)) AS v', 1],
  ['a text to be cut, without a cast', 'SELECT $v[$v:$v] AS v', 1],
  ['an argument whose type must be known', 'SELECT favg($v ORDER BY $v) AS v', 1],
  ['a name in a date literal', 'SELECT DATE $v AS v', '2026-01-01'],
]

const COUNTED = 'SELECT i FROM range(1_000) t(i) WHERE i >= $from ORDER BY i'
const first = { sql: COUNTED, parameters: { from: 990 }, page: { limit: 4 } }
const firstOfCounted = cursorOf({ method: 'projects/query', params: { projectId: PROJECT, ...first } })
const I = [{ name: 'i', type: 'BIGINT' }]

export const parameterCases = ({ table }: Vendor): Case[] => [
  ...VALUES.map(([name, sent, value, type]) =>
    query(`binds ${name}`, {
      rules: ['param: projects/query sql'],
      params: { sql: ONE, parameters: { v: sent }, include: ['columns'] },
      expect: { items: [{ v: value }], result: { columns: [{ name: 'v', type }] } },
    }),
  ),
  ...REFUSED.map(([name, parameters, path]) =>
    query(`refuses parameters: ${name}`, {
      rules: ['class: INVALID_PARAMS'],
      params: { sql: ONE, parameters },
      expect: { class: 'INVALID_PARAMS', data: { path } },
    }),
  ),
  ...NO_PLACE.map(([name, sql, v]) =>
    query(`refuses a parameter for ${name}`, {
      rules: ['class: INVALID_QUERY'],
      params: { sql, parameters: { v } },
      expect: { class: 'INVALID_QUERY' },
    }),
  ),
  query('refuses a statement with parameters without values, as before there were any', {
    rules: ['class: INVALID_QUERY'],
    params: { sql: ONE },
    expect: { class: 'INVALID_QUERY', data: { rule: 'construct', name: 'v', path: 'parameters.v' } },
  }),
  ...['$1', '?'].map(written =>
    query(`refuses parameters without names: ${written}`, {
      rules: ['class: INVALID_QUERY'],
      params: { sql: `SELECT ${written} AS v`, parameters: { v: 1 } },
      expect: { class: 'INVALID_QUERY', data: { rule: 'construct' } },
    }),
  ),
  query('answers without columns, total and relations unless they are asked for', {
    rules: ['param: projects/query sql'],
    params: { sql: 'SELECT 1 AS one', parameters: {}, include: [], dryRun: false },
    expect: { items: [{ one: 1 }], lacks: ['columns', 'total', 'relations'] },
  }),
  query('ignores the case of names, and binds a name wherever it stands', {
    rules: ['param: projects/query sql'],
    params: { sql: 'SELECT $Name AS a, $nAME || $name AS b', parameters: { NAME: 'x' } },
    expect: { items: [{ a: 'x', b: 'xx' }] },
  }),
  query('binds names of properties of objects', {
    rules: ['param: projects/query sql'],
    params: {
      sql: 'SELECT $toString AS a, $constructor AS b',
      parameters: { toString: 1, constructor: 2 },
    },
    expect: { items: [{ a: 1, b: 2 }] },
  }),
  query('reads lists in any column beside values', {
    rules: ['param: projects/query sql'],
    params: { sql: `SELECT ${Array.from({ length: 12 }, (_, at) => `[[$v]] AS l${at}`)}`, parameters: { v: 1 } },
    expect: { items: [Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`l${at}`, [[1]]]))] },
  }),
  query('puts no value into the statement', {
    rules: ['query-1'],
    params: { sql: ONE, parameters: { v: `'); DROP TABLE ${table.name}; --` } },
    expect: { items: [{ v: `'); DROP TABLE ${table.name}; --` }] },
  }),
  query('points into the statement when a value does not fit where it is used', {
    rules: ['query-1'],
    params: { sql: "SELECT '🌍é' AS a,\n  CAST($v AS INTEGER) AS b", parameters: { v: 'x' } },
    expect: { class: 'INVALID_QUERY', data: { rule: 'engine', line: 2, column: 3 } },
  }),
  query('continues after a cursor of the same values', {
    rules: ['query-6', 'param: projects/query page.cursor'],
    params: { ...first, include: ['columns', 'total'] },
    setUp: firstOfCounted,
    expect: { items: [994, 995, 996, 997].map(i => ({ i })), more: true, result: { columns: I, total: 10 } },
  }),
  ...(
    [
      ['other values', { from: 991 }],
      ['another type', { from: { type: 'INTEGER', value: 990 } }],
    ] as const
  ).map(([name, parameters]) =>
    query(`refuses a cursor with ${name}`, {
      rules: ['param: projects/query page.cursor', 'class: INVALID_PARAMS'],
      params: { ...first, parameters },
      setUp: firstOfCounted,
      expect: { class: 'INVALID_PARAMS', data: { path: 'page.cursor' } },
    }),
  ),
  exported('binds values', {
    rules: ['param: projects/export sql'],
    params: { sql: 'SELECT i, $v AS v FROM range($n) t(i)', parameters: { v: 'x', n: 12 }, include: ['columns'] },
    download: {},
    expect: {
      result: { rows: 12, columns: [...I, { name: 'v', type: 'VARCHAR' }] },
      download: 'file',
    },
  }),
  exported('refuses values that a statement does not use', {
    rules: ['class: INVALID_PARAMS'],
    params: { parameters: { w: 1 } },
    expect: { class: 'INVALID_PARAMS', data: { path: 'parameters.w' } },
  }),
]
