import assert from 'node:assert/strict'
import { fromRows } from 'foldgate/sealing'
import { textOf, through } from './fed.js'

const all = (value: unknown) => fromRows([{ value }])

/** What happens to a value in a column of a type; declares the type unless it is null. */
const stored = async (value: unknown, type: string | null) =>
  (await through(all(value), type === null ? null : { value: type }))[0]?.[0]

describe('fromRows', () => {
  const KEPT: [value: unknown, type: string | null, stored: string | null][] = [
    ['', 'VARCHAR', ''],
    [null, 'VARCHAR', null],
    [undefined, 'BIGINT', null],
    ['a "quoted" text,\r\n\r with\n lines, \0 and 🦊', 'VARCHAR', 'a "quoted" text,\r\n\r with\n lines, \0 and 🦊'],
    [' # "" ', 'VARCHAR', ' # "" '],
    ['NULL', 'VARCHAR', 'NULL'],
    ['x'.repeat(1_900_000), 'VARCHAR', 'x'.repeat(1_900_000)],
    [1e21, 'HUGEINT', '1000000000000000000000'],
    [1e21, 'DOUBLE', '1e+21'],
    [1e21, null, '1e+21'],
    [-0, 'DOUBLE', '-0.0'],
    [-0, 'BIGINT', '0'],
    [1e-7, 'DECIMAL(18,10)', '0.0000001000'],
    [5e-324, 'DOUBLE', '5e-324'],
    [NaN, 'DOUBLE', 'nan'],
    [-Infinity, 'FLOAT', '-inf'],
    [NaN, null, 'nan'],
    [2n ** 64n, 'UHUGEINT', '18446744073709551616'],
    [-(2n ** 63n) + 1n, null, '-9223372036854775807'],
    [10n ** 38n - 1n, null, '9'.repeat(38)],
    [true, null, 'true'],
    [new Date(0), null, '1970-01-01 00:00:00+00'],
    [new Date('-000043-03-15T12:00:00.005Z'), null, '0044-03-15 (BC) 12:00:00.005+00'],
    [new Date('0000-01-01T00:00:00Z'), 'TIMESTAMPTZ', '0001-01-01 (BC) 00:00:00+00'],
    [new Date(8.64e15), null, '275760-09-13 00:00:00+00'],
    [new Date('2026-07-01T02:03:04.567Z'), 'TIMESTAMP', '2026-07-01 02:03:04.567'],
    [new Date('2026-07-01T00:00:00Z'), 'DATE', '2026-07-01'],
    [new Date('-000043-03-15T00:00:00Z'), 'DATE', '0044-03-15 (BC)'],
    [Uint8Array.of(0, 65, 92, 34, 255), null, '\\x00A\\x5C\\x22\\xFF'],
    [Buffer.from('\\x00'), 'BLOB', '\\x5Cx00'],
    [{ a: [1, 'x"\n', null], b: { c: true } }, 'JSON', '{"a":[1,"x\\"\\n",null],"b":{"c":true}}'],
    [[1, 2], null, '[1,2]'],
    ['"text"', 'JSON', '"text"'],
    [[1, null, -3], 'INTEGER[]', '[1, NULL, -3]'],
    [['a, b', '"', "'", '\\', `"'\\]`, '', 'NULL'], 'VARCHAR[]', `['a, b', '"', '\\'', \\, '"\\'\\\\]', '', 'NULL']`],
    [[['a, b', "'", 'NULL', ''], null, []], 'VARCHAR[][]', `[['a, b', '\\'', 'NULL', ''], NULL, []]`],
    [[0.5, 2], 'FLOAT[2]', '[0.5, 2.0]'],
    [[Uint8Array.of(0, 34)], 'BLOB[]', '[\\x00\\x22]'],
    [[], 'VARCHAR[]', '[]'],
  ]
  for (const [value, type, expected] of KEPT)
    it(`stores ${shown(value)} in a column of ${type ?? 'no declared type'}`, async () => {
      assert.equal(await stored(value, type), expected)
    })

  it('tells a NULL from an empty text in a table of one column', async () => {
    assert.deepEqual(await through(fromRows([{ a: 'x' }, { a: null }, { a: '' }, {}])), [['x'], [null], [''], [null]])
  })

  const REFUSED: [value: unknown, type: string | null, says: string][] = [
    [() => 1, 'VARCHAR', 'the value is a function, which has no text for this column'],
    [Symbol('x'), null, 'the value is a symbol: write it as text'],
    [new Map(), 'VARCHAR', 'the value is an object of the class Map, which has no text for this column'],
    [new Map(), null, 'the value is an object of the class Map: write it as text'],
    [{}, 'VARCHAR', 'the value is an object, which has no text for this column'],
    [['a'], 'VARCHAR', 'the value is an array, which has no text for this column'],
    [Uint8Array.of(1), 'VARCHAR', 'the value is bytes, which has no text for this column'],
    [NaN, 'BIGINT', 'the value is not a whole number: round it, or use a column of the type DOUBLE'],
    [Infinity, 'DECIMAL(9,2)', 'the value is Infinity: use a column of the type DOUBLE'],
    [0.5, 'INTEGER', 'the value is not a whole number: round it, or use a column of the type DOUBLE'],
    [10n ** 38n, null, 'the value is a bigint of more than 38 digits: write it as text'],
    ['\ud83e', 'VARCHAR', 'the value holds half of a surrogate pair, which UTF-8 has not'],
    [{ a: '\udd8a' }, 'JSON', 'the value holds half of a surrogate pair, which UTF-8 has not'],
    [{ a: NaN }, null, 'the value holds NaN, which JSON has not'],
    [{ a: 1n }, null, 'the value holds a bigint, which JSON has not'],
    [[new Set()], null, 'the value holds an object of the class Set, which JSON has not'],
    [new Date(NaN), null, 'the value is an invalid Date'],
    [new Date(1), 'DATE', 'the value is a Date that is not a midnight of UTC: write the day as text'],
    [new Date(0), 'TIME', 'the value is a Date: write the time as text'],
    [[{}], 'JSON[]', 'the value is of a list of JSON: let the whole column be JSON'],
    [
      [['"']],
      'VARCHAR[][]',
      'the value is a list of lists with quotes, brackets or backslashes: let the column be JSON',
    ],
    [{}, 'VARCHAR[]', 'the value is an object: a list is an array'],
  ]
  for (const [value, type, says] of REFUSED)
    it(`refuses ${shown(value)} in a column of ${type ?? 'no declared type'}`, async () => {
      const rows = fromRows([{ 'a "b"': null }, { 'a "b"': value }])
      const message = `the source of "orders" failed: row 2, column "a \\"b\\"": ${says}`
      await assert.rejects(textOf(rows, type === null ? null : { 'a "b"': type }), { message })
    })

  it('refuses JSON that goes round in a circle', async () => {
    const circle: Record<string, unknown> = {}
    circle.own = circle
    await assert.rejects(textOf(all(circle)), /row 1, column "value": the value has no JSON: Converting circular/)
  })
})

function shown(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (typeof value === 'bigint') return `${value}n`
  if (Object.is(value, -0)) return '-0'
  if (value instanceof Uint8Array) return `the bytes ${[...value]}`
  if (typeof value === 'number' || typeof value !== 'object' || value === null) return String(value).slice(0, 30)
  return value.constructor === Object || Array.isArray(value)
    ? Array.isArray(value)
      ? `an array of ${value.length}`
      : `an object with ${Object.keys(value).length} keys`
    : `a ${value.constructor.name}`
}
