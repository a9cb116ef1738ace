import { PROJECT } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import type { Case } from '../entry/case.js'

/** Accepted statements that read no relation, and their rows. */
const ACCEPTED: [name: string, sql: string, rows: unknown[]][] = [
  ['UNION', 'SELECT 2 AS n UNION SELECT 1 ORDER BY n', [{ n: 1 }, { n: 2 }]],
  ['UNION ALL', "SELECT 'a' AS s UNION ALL SELECT 'a'", [{ s: 'a' }, { s: 'a' }]],
  ['EXCEPT', 'SELECT * FROM range(3) t(i) EXCEPT SELECT 1 ORDER BY i', [{ i: 0 }, { i: 2 }]],
  ['INTERSECT', 'SELECT * FROM range(3) t(i) INTERSECT SELECT 1', [{ i: 1 }]],
  [
    'WITH RECURSIVE',
    'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3) FROM r',
    [{ i: 1 }, { i: 2 }, { i: 3 }],
  ],
  ['VALUES', "VALUES (1, 'x')", [{ col0: 1, col1: 'x' }]],
  ['a semicolon at the end', 'SELECT 1 AS one;', [{ one: 1 }]],
  ['a semicolon and a comment at the end', 'SELECT 1 AS one; -- done;', [{ one: 1 }]],
  ['a comment at the end, without a line break', 'SELECT 1 AS one -- done', [{ one: 1 }]],
  ['comments in comments', '/* a /* b */ ; c */ SELECT 1 AS one', [{ one: 1 }]],
  ['a string like a second statement', "SELECT '; DROP TABLE amounts' AS s", [{ s: '; DROP TABLE amounts' }]],
  ['a dollar-quoted string', 'SELECT $q$it\'s; "this"$q$ AS s', [{ s: 'it\'s; "this"' }]],
  ['non-ASCII names', 'SELECT 1 AS "größe 🌍"', [{ 'größe 🌍': 1 }]],
]

/** Values that entry points must pass on unchanged. */
const VALUES: [name: string, expression: string, value: unknown][] = [
  ['the largest safe integer', '9007199254740991::BIGINT', 9_007_199_254_740_991],
  ['one beyond the safe integers', '9007199254740992::BIGINT', '9007199254740992'],
  ['a HUGEINT', '170141183460469231731687303715884105727::HUGEINT', '170141183460469231731687303715884105727'],
  ['NaN', "'NaN'::DOUBLE", 'NaN'],
  ['negative infinity', "'-inf'::DOUBLE", '-Infinity'],
  ['a FLOAT in its own digits', '0.1::FLOAT', 0.1],
  ['a DECIMAL', '12.50::DECIMAL(9, 2)', 12.5],
  ['a long DECIMAL', '1234567890123456.78::DECIMAL(18, 2)', '1234567890123456.78'],
  ['a date', "DATE '2026-11-20'", '2026-11-20'],
  ['a time with a zone', "TIMESTAMPTZ '2026-11-20 01:02:03+00'", '2026-11-20T01:02:03Z'],
  ['an interval', "INTERVAL '1 month 2 days 3.5 seconds'", 'P1M2DT3.5S'],
  ['bytes', "'\\xFF\\x00'::BLOB", '/wA='],
  ['a list of structs', "[{'a': 1, 'b': NULL}]", [{ a: 1, b: null }]],
  ['JSON', `'{"k":[1,2.50,"x"]}'::JSON`, { k: [1, 2.5, 'x'] }],
  ['control characters, quotes and an emoji', "chr(1) || chr(34) || chr(92) || chr(8232) || '🌍'", '\u0001"\\\u2028🌍'],
]

/** Refused statements, with the rule and the position that the failure names. */
const refused = ({
  table: { name, misspelt, text, values },
}: Vendor): [name: string, sql: string, data: Record<string, unknown>][] => [
  ['INSERT', `INSERT INTO ${name} VALUES ${values}`, { rule: 'one-select' }],
  ['UPDATE', `UPDATE ${name} SET ${text} = ''`, { rule: 'one-select' }],
  ['DELETE', `DELETE FROM ${name}`, { rule: 'one-select' }],
  ['CREATE', 'CREATE TABLE t AS SELECT 1', { rule: 'one-select' }],
  ['DROP', `DROP TABLE ${name}`, { rule: 'one-select' }],
  ['COPY', `COPY ${name} TO 'out.csv'`, { rule: 'one-select' }],
  ['ATTACH', "ATTACH 'other.db'", { rule: 'one-select' }],
  ['SET', "SET memory_limit = '1TB'", { rule: 'one-select' }],
  ['PRAGMA', 'PRAGMA database_list', { rule: 'one-select' }],
  ['CALL', 'CALL pragma_version()', { rule: 'one-select' }],
  ['EXPLAIN', 'EXPLAIN SELECT 1', { rule: 'one-select' }],
  ['a second statement', 'SELECT 1; SELECT 2', { rule: 'one-select' }],
  ['a second statement that writes', `SELECT 1; DROP TABLE ${name}`, { rule: 'one-select' }],
  ['a parenthesis that closes the wrapping query', 'SELECT 1) AS q; SELECT (2', {}],
  ['an empty string', '', { rule: 'text' }],
  ['blanks', ' \n\t', { rule: 'text' }],
  ['only a comment', '-- nothing here', {}],
  ['English', 'what is the total?', {}],
  ['a NUL character', 'SELECT \u0000 1', { rule: 'text' }],
  ['half of a surrogate pair', "SELECT '\ud800'", { rule: 'text' }],
  ['more than 64 KiB', `SELECT '${'x'.repeat(65_536)}'`, { rule: 'text' }],
  ['a file by function', "SELECT * FROM read_csv('/etc/passwd')", { line: 1 }],
  ['a file by its name', "SELECT * FROM '/etc/passwd'", { line: 1 }],
  ['a table of the engine', 'SELECT * FROM duckdb_settings()', { line: 1 }],
  ['a relation of another schema', 'SELECT * FROM information_schema.tables', { line: 1 }],
  ['an unknown relation', `SELECT *\nFROM ${misspelt}`, { rule: 'relation', name: misspelt, line: 2 }],
  ['an unknown function', 'SELECT summ(1)', { rule: 'function', line: 1 }],
  ['a function that reveals the environment', "SELECT getenv('HOME')", { rule: 'function' }],
  ['a parameter', 'SELECT $1', {}],
  ['an unknown column', `SELECT ${text},\n  nope\nFROM ${name}`, { rule: 'engine', line: 2, column: 3 }],
  ['a failing cast', `SELECT CAST(${text} AS INTEGER) FROM ${name}`, { rule: 'engine' }],
]

export const statementCases = (vendor: Vendor): Case[] => [
  ...[...vendor.statements, ...ACCEPTED].map(
    ([name, sql, items]): Case => ({
      name: `runs ${name}`,
      rules: ['param: projects/query sql'],
      method: 'projects/query',
      params: { projectId: PROJECT, sql },
      expect: { items: [...items], more: false },
    }),
  ),
  ...VALUES.map(
    ([name, expression, value]): Case => ({
      name: `passes on ${name}`,
      rules: ['envelope-1'],
      method: 'projects/query',
      params: { projectId: PROJECT, sql: `SELECT ${expression} AS v` },
      expect: { items: [{ v: value }] },
    }),
  ),
  {
    name: 'passes on columns named like properties of objects, and repeated names',
    rules: ['envelope-1'],
    method: 'projects/query',
    params: { projectId: PROJECT, sql: 'SELECT 1 AS "__proto__", 2 AS "constructor", 3 AS n, 4 AS n' },
    expect: { items: [JSON.parse('{"__proto__":1,"constructor":2,"n":3,"n_1":4}')] },
  },
  ...refused(vendor).map(
    ([name, sql, data]): Case => ({
      name: `refuses ${name}`,
      rules: ['query-1', 'class: INVALID_QUERY'],
      method: 'projects/query',
      params: { projectId: PROJECT, sql },
      expect: { class: 'INVALID_QUERY', data },
    }),
  ),
]
