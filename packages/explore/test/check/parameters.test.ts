import assert from 'node:assert/strict'
import { readsOf } from '#explore/script/checking.js'
import { complete, NO_WORDS } from '#explore/script/complete.js'
import { guessedType, isKept, PARAMETER_TYPES, parametersIn, readKept, sentFor } from '#explore/script/parameters.js'
import { parseType, typeText } from '../../../../dist/values/parameter-types.js'
import { readParameters } from '../../../../dist/values/parameters.js'

/** What the service makes of a typed value: its type and value. */
function bound(value: string | null, type?: string): unknown[] {
  const read = sentFor(type === undefined ? { value } : { type, value })
  assert.ok('sent' in read && read.sent !== undefined)
  const [parameter] = readParameters(JSON.parse(JSON.stringify({ p: read.sent })))
  return [parameter?.type && typeText(parameter.type), parameter?.value]
}

describe('the parameters of a statement', () => {
  it('are found once each, in any case, and nowhere but where the engine takes them', () => {
    assert.deepEqual(parametersIn('SELECT $b, $A + $a, x > $_c1 -- $d\n/* $e */'), ['b', 'A', '_c1'])
    assert.deepEqual(parametersIn('SELECT $a, $b, $A'), ['a', 'b'])
    assert.deepEqual(parametersIn('WHERE day BETWEEN $since AND ($until)'), ['since', 'until'])
    for (const sql of ["'$a'", '"$a"', '$$ $a $$', '$t$ $a $t$', 'x$a', '$1', '$', '$ a', "E'\\'$a'"])
      assert.deepEqual(parametersIn(`SELECT ${sql}`), [], sql)
  })

  it('are not completed as columns', async () => {
    assert.equal(await complete({ sql: 'SELECT $su', at: 10, isAsked: true }, NO_WORDS, ['sum']), null)
  })
})

describe('the value of a parameter', () => {
  it('has the type that the service gives it where none is chosen', () => {
    const texts = [
      'KEN',
      'true',
      'True',
      '12',
      '-9007199254740993',
      '9223372036854775808',
      '1.5',
      '1.0',
      '-0',
      '1e3',
      '007',
    ]
    for (const text of texts) assert.equal(bound(text)[0], guessedType(text), text)
    assert.deepEqual(bound('-9007199254740993'), ['BIGINT', -9007199254740993n])
    assert.deepEqual([' 1', '1e999', 'NaN', 'null'].map(guessedType), Array(4).fill('VARCHAR'))
  })

  it('has the chosen type, with every digit', () => {
    assert.deepEqual(bound('12345678901234567.89', 'DECIMAL(38,10)'), ['DECIMAL(38,10)', 123456789012345678900000000n])
    assert.deepEqual(bound(' 9007199254740993 ', 'BIGINT'), ['BIGINT', 9007199254740993n])
    assert.deepEqual(bound('1e3', 'DOUBLE'), ['DOUBLE', 1000])
    assert.deepEqual(bound('Infinity', 'DOUBLE'), ['DOUBLE', Infinity])
    assert.deepEqual(bound('TRUE', 'BOOLEAN'), ['BOOLEAN', true])
    assert.deepEqual(bound(' 12 ', 'VARCHAR'), ['VARCHAR', ' 12 '])
    assert.deepEqual(bound('', 'VARCHAR'), ['VARCHAR', ''])
    assert.equal(bound('2026-11-20', 'DATE')[0], 'DATE')
    assert.throws(() => bound('2026-13-01', 'DATE'), /must be a date/)
  })

  it('may be NULL or a list', () => {
    assert.deepEqual(bound(null), [null, null])
    assert.deepEqual(bound(null, 'DATE'), ['DATE', null])
    assert.deepEqual(bound('KEN, UGA', 'VARCHAR[]'), ['VARCHAR[]', ['KEN', 'UGA']])
    assert.deepEqual(bound('["a, b", null]', 'VARCHAR[]'), ['VARCHAR[]', ['a, b', null]])
    assert.deepEqual(bound('9007199254740993,1', 'BIGINT[]'), ['BIGINT[]', [9007199254740993n, 1n]])
    assert.deepEqual(bound('[]', 'DATE[]'), ['DATE[]', []])
    assert.throws(() => bound('[9007199254740993]', 'BIGINT[]'), /BIGINT/, 'which JSON would round')
  })

  it('is not sent if nothing is typed, and wrong if a list is not closed', () => {
    for (const typed of [{ value: '' }, { type: 'DATE', value: '' }, { type: 'VARCHAR[]', value: '' }])
      assert.deepEqual(sentFor(typed), {})
    assert.ok('problem' in sentFor({ type: 'VARCHAR[]', value: '["a"' }))
  })

  it('may have every type that the service takes', () => {
    for (const type of PARAMETER_TYPES) assert.equal(typeText(parseType(type)), type)
    // The message about an unknown type lists them all.
    const message = (() => {
      try {
        parseType('nothing like it')
      } catch (cause) {
        return String(cause)
      }
    })()
    const [, listed = ''] = /Types are (.*?);/.exec(message ?? '') ?? []
    const taken = listed.replace(' and ', ', ').split(', ')
    assert.ok(taken.length > 20)
    assert.deepEqual(new Set(PARAMETER_TYPES.filter(type => type !== 'DECIMAL(38,10)')), new Set(taken))
  })

  it('is read from links only as this page writes it', () => {
    const kept = { a: { value: null }, _b: { type: 'DATE', value: 'x' } }
    assert.deepEqual(readKept(JSON.stringify(kept)), kept)
    for (const text of [null, '', '{', '[]', 'null', '{"a":1}', '{"A":{"value":""}}', '{"a":{"value":1}}'])
      assert.deepEqual(readKept(text), {}, String(text))
    assert.equal(isKept({ a: { type: 1, value: '' } }), false)
  })
})

describe('the relations of a checked statement', () => {
  it('are told with those that are built first', () => {
    const relation = (name: string, built = true) => ({ name, built })
    assert.equal(readsOf([]), 'It reads no relation.')
    assert.equal(readsOf([relation('a')]), 'It reads a.')
    assert.equal(
      readsOf([relation('a'), relation('b', false), relation('c', false)]),
      'It reads a, b and c. The first run builds b and c, and takes longer.',
    )
  })
})
