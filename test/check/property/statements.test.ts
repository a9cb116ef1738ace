import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { wrapStatement } from '#lib/duckdb/child/guard/check.js'
import { GuardProbe } from '../../unit/guard-probe.js'

/** Tokens that open, close, escape or end something, and harmless ones. */
const TOKENS = [
  ...[
    "'",
    "''",
    '"',
    '$$',
    '$a$',
    '$a',
    '--',
    '/*',
    '*/',
    '\n',
    '\r',
    ';',
    ' ',
    '(',
    ')',
    ',',
    '\\',
    "\\'",
    'E',
    "e'",
    "U&'",
    "x'",
  ],
  ...[
    ' SELECT 1',
    ' UNION ALL SELECT 2',
    ' AS q',
    ' FROM dash_ipbes',
    '1',
    '+',
    ' a',
    'é',
    '\u00a0',
    '🌍',
    '\t',
    '$1',
    '?',
    ' WHERE true',
  ],
  ...[
    '; DROP TABLE canary',
    ') AS q; DELETE FROM canary; SELECT * FROM (SELECT 1',
    '; INSERT INTO canary VALUES (2)',
    ') TO',
  ],
]
const soup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 10 }).map(tokens => `SELECT 1${tokens.join('')}`)

/**
 * Contents of strings and comments, with everything that could end them too early or too late, but no non-ASCII space:
 * the engine replaces those by plain spaces before it parses, after a quote in a comment even within strings.
 */
const content = fc
  .array(fc.constantFrom(...TOKENS.filter(token => token !== '\u00a0')), { maxLength: 5 })
  .map(tokens => tokens.join(''))

/** A literal and its value, in every notation. */
interface Literal {
  sql: string
  value: string
}
const literal: fc.Arbitrary<Literal> = fc.oneof(
  content.map(value => ({ sql: `'${value.replaceAll("'", "''")}'`, value })),
  content.map(value => ({ sql: `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`, value })),
  content.map(value => ({ sql: `e'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`, value })),
  content.filter(value => !value.includes('$')).map(value => ({ sql: `$$${value}$$`, value })),
  content.filter(value => !value.includes('$a')).map(value => ({ sql: `$a$${value}$a$`, value: value })),
)

/** Separators of two words. */
const blank = fc.oneof(
  fc.constantFrom(' ', '\n', '\t', '\r\n', '/**/', '--\n'),
  content.map(inner => `--${inner.replaceAll(/[\n\r]/g, '')}\n`),
  content.map(inner => `/*${inner.replaceAll(/\/\*|\*\/|[*/]/g, '')}*/`),
  content.map(inner => `/* a /*${inner.replaceAll(/\/\*|\*\/|[*/]/g, '')}*/ b */`),
)

/** Ends of a statement, and the part of each that may still belong to it. */
const end = fc.oneof(
  fc.constantFrom('', ';', ' ;', ';;', '; ', ';\n').map(text => ({ text, kept: text.split(';')[0] as string })),
  content.map(inner => ({ text: `; --${inner.replaceAll(/[\n\r]/g, '')}`, kept: '' })),
  content.map(inner => ` -- ${inner.replaceAll(/[\n\r]/g, '')}`).map(text => ({ text, kept: text })),
)
const name = content.filter(inner => inner !== '').map(inner => `"${inner.replaceAll('"', '""')}"`)
const select = fc.record({ literal, name, between: fc.tuple(blank, blank, blank), end })

describe('an accepted statement', () => {
  const probe = new GuardProbe()
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  before(async () => {
    await probe.open()
    instance = await DuckDBInstance.create(':memory:')
    connection = await instance.connect()
    await connection.run('CREATE TABLE canary(i INTEGER); INSERT INTO canary VALUES (1)')
    await connection.run('CREATE TABLE dash_ipbes AS SELECT 1 AS a')
  })
  after(async () => {
    connection.closeSync()
    instance.closeSync()
    await probe.close()
  })

  /** Every form in which the service runs a statement. */
  const surroundings = (statement: string) => [
    statement,
    wrapStatement(statement),
    `SELECT * FROM (\n${statement}\n) AS q LIMIT 5 OFFSET 0`,
    `COPY (SELECT c0 FROM (\n${statement}\n) AS q(c0) ) TO 'x.parquet' (FORMAT parquet)`,
  ]

  async function assertAlone(statement: string): Promise<void> {
    for (const text of surroundings(statement)) {
      const statements = await connection.extractStatements(text)
      assert.equal(statements.count, 1, text)
    }
  }

  async function rowsOf(sql: string): Promise<unknown> {
    return (await connection.runAndReadAll(sql)).getRowsJson()
  }

  it('is one statement in every form, and changes nothing else', async () => {
    let passed = 0
    await fc.assert(
      fc.asyncProperty(soup, async sql => {
        const verdict = await probe.verdict(sql)
        if (!('sql' in verdict)) return
        passed += 1
        await assertAlone(verdict.sql)
        const alone = await rowsOf(verdict.sql).catch(() => 'fails')
        assert.deepEqual(await rowsOf(wrapStatement(verdict.sql)).catch(() => 'fails'), alone)
        assert.deepEqual(await rowsOf('FROM canary'), [[1]])
      }),
      { numRuns: 1500 },
    )
    assert.ok(passed > 100, `${passed} passed`)
  })

  it('has the same strings, names and comments for the guard as for the engine', async () => {
    await fc.assert(
      fc.asyncProperty(select, async ({ literal: { sql, value }, name: as, between: [a, b, c], end: last }) => {
        const core = `SELECT${a}${sql}${b}AS${c}${as}`
        const { sql: statement } = await probe.passed(core + last.text)
        assert.ok(statement.startsWith(core) && (core + last.kept).startsWith(statement), statement)
        await assertAlone(statement)
        assert.deepEqual(await rowsOf(wrapStatement(statement)), [[value]])
      }),
      { numRuns: 700 },
    )
  })
})
