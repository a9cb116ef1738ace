import assert from 'node:assert/strict'
import fc from 'fast-check'
import { nameOf } from '#server/explore/names.js'
import { offsetOf, spanAt } from '#server/explore/place.js'
import { tokensOf } from '#server/explore/tokens.js'

/** Tokens as `kind text`, without spaces. */
const told = (sql: string) =>
  tokensOf(sql)
    .filter(({ kind }) => kind !== 'space')
    .map(({ kind, text }) => `${kind} ${text}`)

describe('the colours of SQL', () => {
  const CASES: [string, string, string[]][] = [
    ['words of SQL in any case', 'Select x FROM "From"', ['keyword Select', 'word x', 'keyword FROM', 'name "From"']],
    ['words that only contain a keyword', 'selected from_ _as', ['word selected', 'word from_', 'word _as']],
    ['names beyond ASCII', 'größe, 名前', ['word größe', 'sign ,', 'word 名前']],
    ['strings with quotes in them', `'it''s' 'x'`, [`string 'it''s'`, `string 'x'`]],
    ['strings with escapes', String.raw`e'\'' E'\\'`, [String.raw`string e'\''`, String.raw`string E'\\'`]],
    ['dollar-quoted strings', `$$a'b$$ $t$ $$ $t$ 1`, [`string $$a'b$$`, 'string $t$ $$ $t$', 'number 1']],
    ['names with quotes in them', '"a""b" c', ['name "a""b"', 'word c']],
    ['numbers', '1 2.5 .5 1e-3 1_000 0xFF', ['1', '2.5', '.5', '1e-3', '1_000', '0xFF'].map(text => `number ${text}`)],
    ['comments to the end of the line', '1 -- a\n2', ['number 1', 'comment -- a', 'number 2']],
    ['nested comments', '/* a /* b */ c */ 1', ['comment /* a /* b */ c */', 'number 1']],
    ['no comment in a string, no string in a comment', `'--' -- '`, [`string '--'`, `comment -- '`]],
    ['signs one by one', 'a::b<=1', ['word a', 'sign :', 'sign :', 'word b', 'sign <', 'sign =', 'number 1']],
    ['an unterminated string, up to the end', `1 'a\nb`, ['number 1', `string 'a\nb`]],
    ['an unterminated comment', '1 /* a', ['number 1', 'comment /* a']],
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
        const tokens = tokensOf(text)
        assert.equal(tokens.map(token => token.text).join(''), text)
        assert.ok(tokens.every(token => token.text.length > 0))
      }),
    )
  })

  it('are found quickly, even in the longest statement', () => {
    for (const part of ["'", '"', '/*', '$', "''", 'e\\', '--', '(', '1', 'a ', '$a$'])
      assert.equal(
        tokensOf(part.repeat(65_536 / part.length)).reduce((sum, { text }) => sum + text.length, 0),
        part.length * Math.floor(65_536 / part.length),
      )
  })
})

describe('the mark in SQL', () => {
  const marked = (sql: string, line: number, column: number) => {
    const span = spanAt(tokensOf(sql), offsetOf(sql, { line, column }))
    return span && sql.slice(span.start, span.end)
  }

  it('is the token at the place, counted in characters', () => {
    const sql = "SELECT '😀é', nmae\r\nFROM  x"
    assert.equal(marked(sql, 1, 1), 'SELECT')
    assert.equal(marked(sql, 1, 8), "'😀é'")
    assert.equal(marked(sql, 1, 14), 'nmae')
    assert.equal(marked(sql, 2, 1), 'FROM')
    assert.equal(marked(sql, 2, 7), 'x')
  })

  it('is the next visible token when the place is blank, and the last one at the end', () => {
    assert.equal(marked('SELECT  1', 1, 7), '1')
    assert.equal(marked('SELECT 1 +  ', 1, 13), '+')
    assert.equal(marked('SELECT', 1, 7), 'SELECT')
    assert.equal(marked('SELECT', 9, 1), 'SELECT')
    assert.equal(marked('  ', 1, 1), null)
  })
})

describe('a name inserted into a query', () => {
  it('is quoted only if necessary', () => {
    assert.deepEqual(['entity_key', 'Net', '_x1'].map(nameOf), ['entity_key', 'Net', '_x1'])
    assert.deepEqual(['order', 'two words', 'a"b', '1st', 'é'].map(nameOf), [
      '"order"',
      '"two words"',
      '"a""b"',
      '"1st"',
      '"é"',
    ])
  })
})
