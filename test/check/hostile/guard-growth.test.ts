import { DuckDBInstance } from '@duckdb/node-api'
import { openCheck } from '#lib/duckdb/child/guard/check.js'
import { groupingSets, skipBlanks, statementLength } from '#lib/duckdb/child/guard/lexemes.js'
import { Refusal } from '#lib/guard/refusal.js'
import { assertLinear } from '../../growth.js'

/** The longest statement, in bytes. */
const LONGEST = 64 * 1024
/** Processor time within which the growth says nothing. */
const SHORT_US = 50_000

/** Pieces that statements repeat, with each of the engine's keywords in place of `$`. */
const OF_KEYWORDS = ['$ ', '$(a,', 'a $ (']
const PIECES = [
  ...['CUBE(a,', 'ROLLUP((a),', 'GROUPING SETS(', 'GROUP BY CUBE(', 'SETS(a),', 'CUBE ', '(SELECT ', 'CASE WHEN '],
  ...[
    'CASE ',
    'NOT ',
    '[',
    '(',
    '{',
    '{a:',
    '[a,',
    '(a,',
    'x->',
    'a.',
    'a..',
    '- ',
    '~ ',
    '+ ',
    'a+',
    'a::INT::',
    'f(',
  ],
  ...['MAP {', 'a[1:', 'lambda x: ', '[x for x in ', 'COLUMNS(', '* EXCLUDE (', ']', ')', '}', '](', ')[', ',', ', '],
  ...[
    "'a'",
    "''",
    "'",
    '"',
    '"a"',
    '""',
    "E'\\",
    "E'a'",
    "x'",
    "U&'",
    '$$',
    '$a$',
    '$a$b$',
    '$',
    '$1',
    ':a',
    '?',
    '#1',
  ],
  ...[
    '--\n',
    '-- a\n',
    '/* */ ',
    '/*/ ',
    '*/ ',
    '/* ',
    '/**/a',
    '\\',
    '`',
    '``',
    ';',
    '; ',
    '\n',
    ' ',
    '\u00a0',
    '\u200b',
  ],
  ...[
    'é',
    '😀',
    '_',
    '1',
    '1_',
    '1.',
    '1e',
    '0x',
    'a',
    'a ',
    'SELECT',
    '<>',
    '|| ',
    '-> ',
    '=',
    '= ',
    '! ',
    '@ ',
    '% ',
  ],
]

/** Statements of this length that the engine parses: what grows with it is read by the walk over the tree. */
const repeated = (piece: string, length: number) => piece.repeat(Math.floor(length / piece.length))
const numbered = (piece: string, length: number) =>
  Array.from({ length: Math.floor(length / (piece.length + 4)) }, (_, at) => piece.replaceAll('#', String(at))).join(
    ', ',
  )
const STATEMENTS: Readonly<Record<string, (length: number) => string>> = {
  columns: length => `SELECT ${repeated('a, ', length)}1`,
  'columns with tables': length => `SELECT ${repeated('a.b.c, ', length)}1`,
  values: length => `SELECT ${repeated('1, ', length)}1`,
  'casts of values': length => `SELECT ${repeated("'a'::DATE, ", length)}1`,
  'casts to structs': length => `SELECT ${repeated('a::STRUCT(a INT), ', length)}1`,
  calls: length => `SELECT ${repeated('upper(a), ', length)}1`,
  'unknown calls': length => `SELECT ${repeated('1, ', length)}nope(1)`,
  aliases: length => `SELECT ${numbered('1 a#', length)}`,
  'a sum': length => `SELECT ${repeated('(a + 1) * 2, ', length)}1`,
  conditions: length => `SELECT 1 FROM t WHERE ${repeated('a = 1 AND ', length)}true`,
  cases: length => `SELECT CASE ${repeated('WHEN a THEN 1 ', length)}END`,
  patterns: length => `SELECT ${repeated("a LIKE '%b', ", length)}1`,
  'one pattern': length => `SELECT regexp_matches(a, '${repeated('[[:alpha:]b](c)', length)}')`,
  'one format': length => `SELECT format('${repeated('{:>{}} ', length)}')`,
  structs: length => `SELECT {${numbered('a#: 1', length)}}`,
  parameters: length => `SELECT ${numbered('$a#', length)}`,
  windows: length => `SELECT ${repeated('sum(a) OVER (ORDER BY b), ', length)}1 FROM t`,
  'a window': length => `SELECT sum(a) OVER (PARTITION BY ${numbered('a#', length)}) FROM t`,
  tables: length => `SELECT 1 FROM t${repeated(', t', length)}`,
  joins: length => `SELECT 1 FROM t${repeated(' JOIN t ON a', length / 8)}`,
  'an ASOF join': length =>
    `SELECT 1 FROM t a ASOF JOIN t b ON ${repeated('a.x >= b.y AND ', length / 2)}${repeated('a.z IS NOT NULL AND ', length / 2)}a.x IS NOT NULL AND b.y IS NOT NULL`,
  'names of WITH': length => `WITH ${numbered('a# AS (SELECT 1)', length)} SELECT 1`,
  'names of WITH in each other': length =>
    `WITH a AS (FROM t), ${numbered('a# AS (WITH b AS (SELECT 1) FROM b, t)', length)} SELECT 1`,
  rows: length => `VALUES ${repeated('(1), ', length)}(1)`,
  unions: length => `SELECT 1${repeated(' UNION SELECT 1', length)}`,
  pivots: length => `PIVOT t ON a IN (${numbered('#', length)}) USING sum(b)`,
  replacements: length => `SELECT * REPLACE (${numbered('1 AS a#', length)}) FROM t`,
  strings: length => `SELECT '${repeated("''", length)}'`,
  'an error at the end': length => `SELECT ${repeated("'é',\n", length)}FROM FROM`,
}

describe('the time that the guard takes', () => {
  it('grows with the length of a statement, whatever it repeats: its lexer', async () => {
    const keywords = await keywordsOfEngine()
    const pieces = [...PIECES, ...OF_KEYWORDS.flatMap(form => keywords.map(word => form.replace('$', word)))]
    for (const piece of pieces)
      for (const before of ['', 'SELECT 1 FROM t GROUP BY ']) {
        const read = (length: number) => lex(before + repeated(piece, length))
        const from = process.cpuUsage()
        read(LONGEST)
        if (process.cpuUsage(from).user > SHORT_US) await assertLinear(read, LONGEST, JSON.stringify(before + piece))
      }
  }).timeout(300_000)

  it('grows with the length of a statement: its walk over the tree', async () => {
    const check = await openMemoizedCheck()
    for (const [what, write] of Object.entries(STATEMENTS))
      await assertLinear(length => check(write(length)), LONGEST - 256, what)
  }).timeout(300_000)
})

function lex(sql: string): void {
  try {
    const length = statementLength(sql)
    skipBlanks(sql, length, ';')
    groupingSets(sql.slice(0, length))
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
  }
}

async function keywordsOfEngine(): Promise<string[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const rows = (await connection.runAndReadAll('SELECT DISTINCT keyword_name FROM duckdb_keywords()')).getRows()
  instance.closeSync()
  return rows.map(([word]) => String(word))
}

/** The guard's check; the engine parses each statement once, so that the time of its parser does not count. */
async function openMemoizedCheck() {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', storage_compatibility_version: 'latest' })
  const prepared = await (await instance.connect()).prepare(
    'SELECT system.main.json_serialize_sql($1::VARCHAR), system.main.json_serialize_sql($2::VARCHAR)',
  )
  const parsed = new Map<string, [string, string]>()
  return openCheck({ relations: ['t'], functions: [] }, async texts => {
    const known = parsed.get(texts[0])
    if (known) return known
    prepared.bind(texts)
    const [one, other] = (await prepared.run()).getChunk(0).getRowValues(0)
    const trees: [string, string] = [String(one), String(other)]
    parsed.set(texts[0], trees)
    return trees
  })
}
