import assert from 'node:assert/strict'
import { AnalyticsError } from 'foldgate'
import { checkStatement, isVolatile, relationsIn, wrapped } from '#trino/statement.js'

/** Refusals, by rule: a statement, and the line and column that the refusal points at. */
const REFUSED: Record<string, [sql: string, line?: number, column?: number][]> = {
  text: [
    [''],
    [' \n\t'],
    ['-- only a comment'],
    [';'],
    ['/* */;;'],
    ['SELECT \0'],
    ["SELECT '\ud800'"],
    [`SELECT '${'x'.repeat(64 * 1024)}'`],
  ],
  syntax: [
    ["SELECT 'a", 1, 8],
    [`SELECT 'it''s`, 1, 12],
    ['SELECT "a', 1, 8],
    ['SELECT 1 /* no end', 1, 10],
    ['SELECT 1 /* /* */ */ /* ', 1, 22],
    ['SELECT `a`', 1, 8],
    ['SELECT 1)', 1, 9],
    ['SELECT 1) AS q, (SELECT 2', 1, 9],
    ['SELECT 1\n  ) AS q CROSS JOIN (SELECT 2', 2, 3],
    ['SELECT (1', 1, 8],
    ['SELECT (1))(', 1, 11],
    [`SELECT '😀' )`, 1, 12],
    ['SELECT\u00a01', 1, 7],
    ['\ufeffSELECT 1', 1, 1],
    ['ſELECT 1', 1, 1],
    ['SELECT ı', 1, 8],
    ['SELECT\f1', 1, 7],
  ],
  'one-select': [
    ['SELECT 1; SELECT 2', 1, 11],
    ['SELECT 1;; /* x */ DROP TABLE t', 1, 20],
    ["'SELECT' 1", 1, 1],
    ['"SELECT" 1', 1, 1],
    ...[
      'SHOW TABLES',
      'describe t',
      'DESC t',
      'EXPLAIN SELECT 1',
      'EXPLAIN ANALYZE SELECT 1',
      'PREPARE p FROM SELECT 1',
      "EXECUTE IMMEDIATE 'SELECT 1'",
      'EXECUTE p',
      'DEALLOCATE PREPARE p',
      'SET SESSION a = 1',
      'SET ROLE ALL',
      'USE a.b',
      'CALL system.f()',
      'INSERT INTO t VALUES 1',
      'CREATE TABLE t AS SELECT 1',
      'DELETE FROM t',
      'START TRANSACTION',
      'FROM t',
      '/* SELECT */ DROP TABLE t',
    ].map((sql): [string] => [sql]),
  ],
  construct: [
    ["WITH SESSION query_max_memory = '1TB' SELECT 1", 1, 6],
    ['with /* */ session a = 1 SELECT 1', 1, 12],
    ['WITH FUNCTION f(x int) RETURNS int RETURN x SELECT f(1)', 1, 6],
    ['SELECT * FROM amounts FOR VERSION AS OF 1', 1, 23],
    ['SELECT * FROM amounts for /* */ timestamp AS OF x', 1, 23],
    ['SELECT ?', 1, 8],
    ['SELECT 1 LIMIT ?', 1, 16],
    ['SELECT pattern(1), ?', 1, 20],
  ],
  relation: [
    ['SELECT * FROM information_schema.tables', 1, 15],
    ['SELECT * FROM "INFORMATION_SCHEMA"."tables"', 1, 15],
    ['SELECT * FROM "amounts$files"', 1, 15],
    ['SELECT "$path" FROM amounts', 1, 8],
  ],
  function: [
    ['SELECT current_user', 1, 8],
    ['SELECT CURRENT_CATALOG, 1', 1, 8],
    ['SELECT 1 WHERE current_Schema IS NULL', 1, 16],
    ['SELECT current_path', 1, 8],
    ['SELECT "current_groups"()', 1, 8],
    ['SELECT combinations(a, 3)', 1, 8],
    ['SELECT "NGRAMS" (a, 3)', 1, 8],
    ["SELECT lpad('', 10001, 'x')", 1, 8],
    ["SELECT 1, Rpad(concat(a, b), n, 'x')", 1, 11],
    ["SELECT lpad('', 1000 * 1000, 'x')", 1, 8],
    ['SELECT numeric_histogram(1000000000, n) FROM t', 1, 8],
    ['SELECT approx_most_frequent(3, n, 1000000000) FROM t', 1, 8],
    ["SELECT lpad('', 1e9, 'x')", 1, 8],
    ["SELECT lpad('', (1000000000), 'x')", 1, 8],
    ...[
      'frobnicate(1)',
      '"frobnicate"(a)',
      'FROBNICATE (a, b)',
      'reduce(a, 0, (s, x) -> s + x, s -> s)',
      'bar(1.0, 1000000000)',
      "format('%2000000000d', 1)",
      'format(pattern, 1)',
      "format('%' || '99999d', 1)",
      '"if"(true, 1)',
    ].map((call): [string, number, number] => [`SELECT ${call}`, 1, 8]),
    ['SELECT system.builtin.abs(1)', 1, 23],
    ['SELECT * FROM TABLE(a.system.table_changes(n))', 1, 30],
    ['SELECT 1 WHERE frobnicate(a)', 1, 16],
    ['SELECT a FROM t ORDER BY frobnicate(b)', 1, 26],
    ['SELECT a AT TIME ZONE frobnicate(b)', 1, 23],
    ['SELECT trim(BOTH frobnicate(a) FROM b)', 1, 18],
    ['SELECT CASE WHEN a THEN frobnicate(b) END', 1, 25],
    ['SELECT 1, frobnicate(a) AS b', 1, 11],
    ['SELECT * FROM t AS f(a, 1)', 1, 20],
    ['SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS frobnicate(b))', 1, 58],
    ['SELECT * FROM t MATCH_RECOGNIZE (MEASURES frobnicate(b) AS c PATTERN (A) DEFINE A AS true)', 1, 43],
  ],
  complexity: [
    [`SELECT ${'('.repeat(51)}1${')'.repeat(51)}`, 1, 58],
    [`SELECT ${'f(a, x -> '.repeat(6)}1${')'.repeat(6)}`],
    [`SELECT f(a, ${'x -> '.repeat(6)}1)`],
    [`SELECT ${'ARRAY['.repeat(51)}1${']'.repeat(51)}`],
    ["SELECT replace(replace(rpad('', 1000, 'x'), 'x', rpad('', 1000, 'y')), 'y', rpad('', 1000, 'z'))", 1, 1],
    ['SELECT transform(sequence(1, 10000), i -> transform(sequence(1, 10000), j -> i * j))'],
    ["SELECT transform(sequence(1, 10000), i -> rpad('', 10000, 'x'))"],
    [`SELECT array_join(sequence(1, 10000), '${'x'.repeat(60_000)}')`],
    [`SELECT ${'to_hex(to_utf8('.repeat(24)}'x'${'))'.repeat(24)}`],
    [`SELECT ${'transform('.repeat(20)}a${', x -> x || x)'.repeat(20)}`],
    ["SELECT replace(s, 'x', rpad('', 9999, 'x')) FROM (SELECT replace(s, 'x', rpad('', 9999, 'x')) AS s FROM t)"],
    [`SELECT ${'f(a, x /* */ - > ARRAY['.repeat(6)}1${'])'.repeat(6)}`],
  ],
}

const ACCEPTED = [
  'SELECT 1',
  'select\t1\r\n',
  '(SELECT 1)',
  '((SELECT 1) UNION (SELECT 2)) ORDER BY 1',
  'TABLE amounts',
  "SELECT lpad(concat(a, 'x'), 10, '0'), rpad(x[1], 10000, ' '), numeric_histogram(10, n), lpad, ngrams FROM combinations",
  'SELECT substring(a FROM 1 FOR version) AS of FROM t',
  'VALUES 1, 2',
  'WITH a AS (SELECT 1) SELECT * FROM a',
  'WITH session AS (SELECT 1) SELECT * FROM session',
  'WITH function (n) AS (SELECT 1) SELECT * FROM function',
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r',
  "SELECT ')', ';', '?', '--', '/*', '\"', 'it''s', '\\'",
  `SELECT ")", ";", "?", "--", "/*", "'", "a""b", "current_user"`,
  "SELECT U&'\\0041', X'00', 1e5, 0xFF, .5, '😀', \"é\"",
  'SELECT 1 -- ) ; ? information_schema é',
  'SELECT 1 /* ) ; ? /* " \' */',
  '/* first */ -- second\n SELECT 1',
  `SELECT ${'('.repeat(50)}1${')'.repeat(50)}`,
  `SELECT ${'transform(a, x -> '.repeat(5)}1${')'.repeat(5)}`,
  `SELECT ${Array.from({ length: 20 }, () => 'filter(a, x -> x > 1)').join(', ')}`,
  'SELECT greatest(a, x -> 1, x -> 2, x -> 3, x -> 4, x -> 5, x -> 6)',
  'SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A? (B C)+? D*?) DEFINE A AS true)',
  'SELECT * FROM t MATCH_RECOGNIZE (MEASURES last(A.n) AS n PATTERN (A (B | C)+ PERMUTE(D, E)) DEFINE B AS n > prev(n))',
  'WITH a(n) AS (SELECT 1), "b c" (m, k) AS (SELECT 1, 2) SELECT * FROM a, "b c" x(p, q) JOIN (VALUES 1) AS v(o) ON (o = p)',
  'SELECT * FROM UNNEST(sequence(1, 10000)) AS u(n) CROSS JOIN TABLE(sequence(1, 100)) t(m) WHERE (n, m) IN (SELECT 1, 2)',
  "SELECT CAST(a AS decimal(10, 2)), CAST(b AS row(c varchar(3), d map(varchar, char(4)))), TRY(1 / 0), IF(a > 1, 'b')",
  'SELECT count(*) FILTER (WHERE n > 1), sum(n) OVER (PARTITION BY m ORDER BY n RANGE BETWEEN abs(1) PRECEDING AND CURRENT ROW)',
  'SELECT extract(year FROM date(d)), position(lower(a) IN b), substring(a FROM 2), trim(BOTH lower(x) FROM y) FROM t LIMIT 5',
  `SELECT format('%,.2f of %s', n, m), ${Array.from({ length: 30 }, (_, n) => `lpad(c${n}, 20, '0')`).join(', ')} FROM t`,
  "SELECT replace(replace(replace(a, 'x', '<x>'), 'y', ''), 'z', '...'), array_join(transform(tags, t -> upper(t) || '!'), ', ')",
  "SELECT transform(sequence(1, 12), m -> format('%02d', m)) FROM (SELECT array_join(array_agg(a), ', ') FROM t)",
]

function failure(sql: string): AnalyticsError {
  try {
    checkStatement(sql)
  } catch (error) {
    assert.ok(error instanceof AnalyticsError, String(error))
    return error
  }
  return assert.fail(`accepted: ${sql}`)
}

describe('a statement for Trino, before Trino sees it', () => {
  for (const [rule, statements] of Object.entries(REFUSED))
    it(`is refused by the rule ${rule}, with its place and what to do`, () => {
      for (const [sql, line, column] of statements) {
        const { class: name, message, data } = failure(sql)
        assert.deepEqual([name, data?.rule], ['INVALID_QUERY', rule], sql.slice(0, 80))
        if (line !== undefined) assert.deepEqual([data?.line, data?.column], [line, column], sql.slice(0, 80))
        assert.match(String(data?.hint), / This project speaks Trino's SQL\.$/)
        assert.ok(message.endsWith(String(data?.hint)) && message.length < 400, message)
      }
    })

  it('passes as it is, whatever stands in quotes and comments', () => {
    for (const sql of ACCEPTED) assert.equal(checkStatement(sql), sql)
  })

  it('loses a semicolon at its end, and what follows it', () => {
    for (const end of [';', ' ;; ', ';-- done', '; /* ; */ ;\n'])
      assert.equal(checkStatement(`SELECT 1${end}`).trimEnd(), 'SELECT 1')
  })

  it('is wrapped so that its comments end before the wrapper does', () => {
    assert.equal(wrapped('SELECT 1 -- one'), 'SELECT * FROM (\nSELECT 1 -- one\n) AS q')
  })

  it('is checked in linear time', () => {
    const largest = 64 * 1024 - 10
    for (const piece of [
      'a ',
      '1,',
      "''",
      '""',
      '/**/',
      '- ',
      '[',
      "'a'",
      '--\n',
      '->,',
      '*/',
      'lpad(',
      "lpad('',1,''),",
    ])
      for (const sql of [`SELECT ${piece.repeat(Math.floor(largest / piece.length))}`]) {
        const start = performance.now()
        try {
          checkStatement(sql)
        } catch (error) {
          assert.ok(error instanceof AnalyticsError, String(error))
        }
        assert.ok(performance.now() - start < 1000, piece)
      }
  })
})

describe('what a statement for Trino reads', () => {
  it('are all relations that it has the name of, in any case and quotes, and none of comments and strings', () => {
    const names = ['amounts', 'sites', 'units', 'rows_of']
    assert.deepEqual(relationsIn('SELECT * FROM Amounts, "SITES" /* units */ -- rows_of', names), ['amounts', 'sites'])
    assert.deepEqual(relationsIn(`SELECT 'amounts', sites.x FROM (TABLE a."units")`, names), ['sites', 'units'])
    assert.deepEqual(relationsIn('SELECT amounts2, xsites, "a""units"', names), [])
  })

  it('may differ from run to run if it has a word that says so', () => {
    for (const sql of [
      'SELECT random()',
      'SELECT RAND( 5)',
      'SELECT "uuid"()',
      'SELECT now()',
      'SELECT CURRENT_DATE',
      'SELECT current_timestamp(3)',
      'SELECT localtime',
      'SELECT LocalTimestamp(0)',
      'SELECT shuffle(a) FROM t',
      'SELECT * FROM t TABLESAMPLE BERNOULLI (10)',
      'SELECT random_string(5)',
    ])
      assert.equal(isVolatile(sql), true, sql)
    for (const sql of [
      "SELECT 'random()'",
      'SELECT randomised FROM t -- now()'.replace('randomised', 'brand'),
      'SELECT nowhere',
    ])
      assert.equal(isVolatile(sql), false, sql)
  })
})
