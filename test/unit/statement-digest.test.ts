import assert from 'node:assert/strict'
import { statementDigest } from '#lib/call/statement-digest.js'

describe('the digest of a statement', () => {
  const alike = (one: string, other: string) => statementDigest(one) === statementDigest(other)

  for (const [one, other] of [
    ['SELECT 1', 'select 2.5e3'],
    ["SELECT 'a'", "SELECT 'it''s -- no comment'"],
    ["SELECT 'a'", "SELECT e'it\\'s'"],
    ["SELECT 'a'", 'SELECT $$a 1 "b"$$'],
    ["SELECT 'a'", "SELECT $x$a $$ 'b'$x$"],
    ['SELECT a FROM t WHERE b IN (1)', 'SELECT a FROM t WHERE b IN (1, 2,3)'],
    ['SELECT a /* one */ FROM t;', 'SELECT a\n\tFROM t -- two'],
    ['SELECT a FROM t LIMIT 10', 'SELECT a FROM t LIMIT 20 ; '],
  ] as const)
    it(`is the same for ${one} and ${other}`, () => assert.ok(alike(one, other)))

  for (const [one, other] of [
    ['SELECT a FROM t', 'SELECT b FROM t'],
    ['SELECT "a" FROM t', 'SELECT "A" FROM t'],
    ['SELECT "a 1" FROM t', 'SELECT "a 2" FROM t'],
    ['SELECT a1 FROM t', 'SELECT a2 FROM t'],
    ['SELECT $a', 'SELECT $b'],
    ["SELECT '1' FROM t", "SELECT '1 FROM t"],
    ['SELECT a FROM t WHERE b = 1', 'SELECT a FROM t WHERE b = 1 AND c = 1'],
  ] as const)
    it(`differs for ${one} and ${other}`, () => assert.ok(!alike(one, other)))

  it('takes a time that grows with the text alone, also where nothing ends', () => {
    for (const part of [
      ';',
      '; ',
      '(',
      ',',
      '?',
      '? ',
      '1, ',
      ' ',
      '"',
      '\n',
      'e',
      'x',
      '/*',
      "'",
      '"',
      '$a$ ',
      "e'\\",
      '$',
      '1.',
      '--',
    ])
      for (const sql of [part.repeat(200_000), `${part} `.repeat(200_000), `SELECT 1${part.repeat(200_000)}x`]) {
        const startedAt = performance.now()
        assert.match(statementDigest(sql), /^[0-9a-f]{16}$/)
        assert.ok(performance.now() - startedAt < 2_000, part)
      }
  })
})
