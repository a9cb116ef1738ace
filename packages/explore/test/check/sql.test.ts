import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fixOf } from '#explore/script/refused-statement.js'
import { relationsIn } from '#explore/script/sources.js'
import { lexemesOf, offsetOf, quoted, shaped, spanAt, wrapped } from '#explore/script/sql.js'

/** Lexemes as `kind text`, without spaces. */
const told = (sql: string) =>
  lexemesOf(sql)
    .filter(({ kind }) => kind !== 'space')
    .map(({ kind, text }) => `${kind} ${text}`)

describe('the lexemes of SQL', () => {
  const CASES: [string, string, string[]][] = [
    ['names beyond ASCII', 'größe, 名前', ['word größe', 'sign ,', 'word 名前']],
    ['strings with quotes in them', `'it''s' 'x'`, [`string 'it''s'`, `string 'x'`]],
    ['strings with escapes', String.raw`e'\'' E'\\'`, [String.raw`string e'\''`, String.raw`string E'\\'`]],
    ['dollar-quoted strings', `$$a'b$$ $t$ $$ $t$ 1`, [`string $$a'b$$`, 'string $t$ $$ $t$', 'number 1']],
    ['names with quotes in them', '"a""b" c', ['name "a""b"', 'word c']],
    ['numbers', '1 2.5 .5 1e-3 1_000 0xFF', ['1', '2.5', '.5', '1e-3', '1_000', '0xFF'].map(text => `number ${text}`)],
    ['comments to the end of the line', '1 -- a\n2', ['number 1', 'comment -- a', 'number 2']],
    ['a comment right after an operator', "1+--it's\n2", ['number 1', 'sign +', "comment --it's", 'number 2']],
    ['nested comments', '/* a /* b */ c */ 1', ['comment /* a /* b */ c */', 'number 1']],
    ['no comment in a string, no string in a comment', `'--' -- '`, [`string '--'`, `comment -- '`]],
    ['an unterminated string, up to the end', `1 'a\nb`, ['number 1', `string 'a\nb`]],
    ['half of a surrogate pair', 'a \ud83d b', ['word a', 'sign \ud83d', 'word b']],
  ]
  for (const [name, sql, expected] of CASES) it(`distinguish ${name}`, () => assert.deepEqual(told(sql), expected))

  it('cover every string without gaps or additions', () => {
    const sql = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom("'", '"', '$$', '/*', '*/', '--', '\n')),
    )
    fc.assert(
      fc.property(sql, parts => {
        const text = parts.join('')
        const lexemes = lexemesOf(text)
        assert.equal(lexemes.map(lexeme => lexeme.text).join(''), text)
        assert.ok(lexemes.every(({ text, start, end }) => text.length > 0 && end - start === text.length))
      }),
    )
  })

  it('are found quickly, even in the longest statement', () => {
    for (const part of ["'", '"', '/*', '$', "''", 'e\\', '--', '(', '1', 'a ', '$a$', 'FROM a(', 'WITH a(', ',a AS('])
      for (const read of [lexemesOf, relationsIn, (sql: string) => wrapped(sql, String)]) {
        const start = process.cpuUsage()
        read(part.repeat(65_536 / part.length))
        const { user } = process.cpuUsage(start)
        assert.ok(user < 1_000_000, `${read.name} of ${part}: ${user} µs`)
      }
  })
})

describe('the mark in SQL', () => {
  const marked = (sql: string, line: number, column: number) => {
    const span = spanAt(sql, offsetOf(sql, { line, column }))
    return span && sql.slice(span.start, span.end)
  }

  it('is the lexeme at the place, counted in characters', () => {
    const sql = "SELECT '😀é', nmae\r\nFROM  x"
    assert.equal(marked(sql, 1, 1), 'SELECT')
    assert.equal(marked(sql, 1, 8), "'😀é'")
    assert.equal(marked(sql, 1, 14), 'nmae')
    assert.equal(marked(sql, 2, 1), 'FROM')
    assert.equal(marked(sql, 2, 7), 'x')
  })

  it('is the next visible lexeme when the place is blank, and the last one at the end', () => {
    assert.equal(marked('SELECT  1', 1, 7), '1')
    assert.equal(marked('SELECT 1 +  ', 1, 13), '+')
    assert.equal(marked('SELECT', 1, 7), 'SELECT')
    assert.equal(marked('SELECT', 9, 1), 'SELECT')
    assert.equal(marked('  ', 1, 1), null)
  })
})

describe('a name inserted into a query', () => {
  it('is quoted only if necessary', () => {
    assert.deepEqual(['entity_key', 'value', '_x1'].map(quoted), ['entity_key', 'value', '_x1'])
    assert.deepEqual(['order', 'left', 'Net', 'two words', 'a"b', '1st', 'é'].map(quoted), [
      '"order"',
      '"left"',
      '"Net"',
      '"two words"',
      '"a""b"',
      '"1st"',
      '"é"',
    ])
  })
})

describe('a statement within another one', () => {
  const within = (sql: string) => wrapped(sql, inner => `(${inner})`)

  it('loses its semicolons and the comments after it', () => {
    assert.equal(within('SELECT 1'), '(SELECT 1\n)')
    assert.equal(within('SELECT 1 ; ;\n-- done'), '(SELECT 1\n)')
    assert.equal(within("-- first\nSELECT ';' -- it's"), "(-- first\nSELECT ';'\n)")
    assert.equal(within('SELECT 1+--)\n1'), '(SELECT 1+--)\n1\n)')
  })

  it('is null if it is empty, unclosed or several statements', () => {
    for (const sql of ['', ' -- nothing', ';', 'SELECT 1; SELECT 2', "SELECT 'a", 'SELECT "a""', "SELECT e'\\'"])
      assert.equal(within(sql), null, sql)
    for (const sql of ['SELECT (1', 'SELECT 1) UNION (SELECT 2', 'SELECT $a$ $a', "SELECT 'a''"])
      assert.equal(within(sql), null, sql)
  })
})

describe('a statement that is sorted or filtered', () => {
  const sort = { column: 1, isDescending: true }

  it('is itself without an order and a filter', () => {
    assert.equal(shaped('SELECT 1; -- x', ['a'], { sort: null, filter: '' }), 'SELECT 1; -- x')
  })

  it('keeps the text of a filter and the names of columns apart from the SQL', () => {
    assert.equal(
      shaped('SELECT 1 -- end', ['a', 'B "c"'], { sort, filter: "it's\\ %" }),
      `SELECT * FROM (SELECT 1\n) AS result
WHERE contains(lower(concat_ws(' ', result.a::VARCHAR, result."B ""c"""::VARCHAR)), lower('it''s\\ %'))
ORDER BY 2 DESC NULLS LAST`,
    )
  })

  it('has to be one whole statement', () => {
    for (const sql of ['', 'SELECT 1; SELECT 2', "SELECT '", 'SELECT (1', 'SELECT 1)'])
      assert.equal(shaped(sql, ['a'], { sort, filter: '' }), null, sql)
  })
})

describe('the relations in a query', () => {
  const CASES: [string, string[]][] = [
    ['SELECT 1', []],
    ['SELECT * FROM sites', ['sites']],
    ['SELECT * FROM "Sites" s JOIN entities AS e USING (entity_key), other', ['Sites', 'entities']],
    ['SELECT * FROM a, b WHERE x IN (SELECT y FROM c)', ['a', 'b', 'c']],
    ['SELECT * FROM (SELECT * FROM inner_one) AS x, LATERAL (SELECT 1) y JOIN z ON true', ['inner_one', 'z']],
    ['WITH one AS (SELECT * FROM a), two(x, y) AS MATERIALIZED (SELECT 1, 2) FROM one, two, b', ['a', 'b']],
    ['SELECT * FROM range(10) AS t(i), sites', ['sites']],
    ["SELECT a IS DISTINCT FROM b, 'FROM c' FROM d -- FROM e", ['d']],
    ['SELECT * FROM ', []],
  ]
  for (const [sql, expected] of CASES)
    it(`are ${expected.join(', ') || 'none'}: ${sql}`, () => {
      assert.deepEqual(relationsIn(sql), expected)
    })
})

describe('the fix of a refused query', () => {
  const engine = (message: string) => ({ message, data: { rule: 'engine' } })
  const guard = (rule: string, name: string, hint: string) => ({ message: '', data: { rule, name, hint } })
  const missing = (name: string, candidates: string) =>
    engine(
      `The query failed: Referenced column "${name}" not found in FROM clause!\nCandidate bindings: ${candidates} (line 1, column 8)`,
    )

  it('is the name that the hint gives', () => {
    assert.equal(fixOf(guard('relation', 'sitse', 'Did you mean "sites"?'), 'sitse'), 'sites')
    assert.equal(fixOf(guard('relation', 'sitse', 'Did you mean "Our sites"?'), '"Sitse"'), '"Our sites"')
    assert.equal(fixOf(guard('function', 'cuont', 'Did you mean "count"?'), 'CUONT'), 'count')
    assert.equal(fixOf(guard('function', 'average', 'Use avg.'), 'average'), 'avg')
    assert.equal(fixOf(guard('type', 'varhcar', 'Did you mean VARCHAR?'), 'VARHCAR'), 'VARCHAR')
  })

  it('is the only column that differs by a slip', () => {
    assert.equal(fixOf(missing('entity_kye', '"entity_key"'), 'entity_kye'), 'entity_key')
    assert.equal(fixOf(missing('valeu', '"year", "value"'), 'valeu'), 'value')
    assert.equal(fixOf(missing('nothing_like', '"entity_key"'), 'nothing_like'), null)
    assert.equal(fixOf(missing('name1', '"name2", "name3"'), 'name1'), null)
  })

  it('is not offered for other text, other hints or failures without them', () => {
    assert.equal(fixOf(guard('relation', 'sitse', 'Did you mean "sites"?'), 'main'), null)
    assert.equal(fixOf(guard('relation', 'sitse', 'Did you mean "sites"?'), ''), null)
    assert.equal(fixOf(guard('relation', 'sites', 'Write "sites" alone.'), 'main'), null)
    assert.equal(fixOf(guard('function', 'nvl', 'Use coalesce(value, other).'), 'nvl'), null)
    assert.equal(fixOf(guard('function', 'sum', 'Write sum(…).'), 'sum'), null)
    assert.equal(fixOf({ message: 'down', data: {} }, 'sites'), null)
  })
})
