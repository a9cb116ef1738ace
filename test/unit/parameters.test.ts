import assert from 'node:assert/strict'
import { AnalyticsError } from '#lib/errors.js'
import { parseType, typeText, UnknownType } from '#lib/values/parameter-types.js'
import { readParameters, textOfParameters } from '#lib/values/parameters.js'
import { OUTSIDE, REFUSED } from './refused-values.js'

/** The value that is read of a type. */
function readOf(type: string, value: unknown): unknown {
  return readParameters({ a: { type, value } })[0]?.value
}

/** The message and path with which parameters are refused. */
function refusal(sent: unknown): { message: string; path: unknown } {
  try {
    readParameters(sent)
  } catch (cause) {
    assert.ok(cause instanceof AnalyticsError, String(cause))
    assert.equal(cause.class, 'INVALID_PARAMS')
    return { message: cause.message, path: cause.data?.path }
  }
  assert.fail(`${JSON.stringify(sent)} is accepted`)
}

/** Types that cannot be sent, and what callers are told. */
const UNSUPPORTED: readonly [type: string, hint: string][] = [
  ['ENUM', 'Send a value of an ENUM as VARCHAR: the two compare.'],
  [`enum('a')`, 'Send a value of an ENUM as VARCHAR: the two compare.'],
  ['JSON', 'Send JSON as VARCHAR, and write CAST($name AS JSON) in the statement.'],
  ['json[]', 'Send JSON as VARCHAR, and write CAST($name AS JSON) in the statement.'],
  ['STRUCT(a INTEGER)', 'Values of nested types other than lists cannot be sent.'],
  ['MAP(VARCHAR, INTEGER)', 'Values of nested types other than lists cannot be sent.'],
  ['UNION(a INTEGER)[]', 'Values of nested types other than lists cannot be sent.'],
  ['INTEGER[3]', 'A list is written without a length, as VARCHAR[].'],
  ['VARCHAR(10)', 'Write VARCHAR without a length or precision.'],
  ['TIMESTAMP(3)', 'Write TIMESTAMP without a length or precision.'],
  ['VARCHR', 'Did you mean VARCHAR?'],
  ['TIMESTAP[]', 'Did you mean TIMESTAMP?'],
  ['numerc(10,2)', 'Did you mean NUMERIC?'],
  [`INTEGER${'[]'.repeat(9)}`, 'At most 8 lists can be nested.'],
  ...['DECIMAL(39,1)', 'DECIMAL(0,0)', 'DECIMAL(2,3)', 'NUMERIC(a)', 'DECIMAL(1.5)', 'DECIMAL()', 'DECIMAL(1,2,3)'].map(
    type =>
      [type, 'Write DECIMAL(width,scale), with a width of 1 to 38 digits and a scale of at most the width.'] as [
        string,
        string,
      ],
  ),
]
/** Types that there are not. */
const UNKNOWN = [
  'VARIANT',
  'GEOMETRY',
  'BIGNUM',
  '',
  '[]',
  'constructor',
  'x'.repeat(1000),
  `DATE'`,
  'DATE; DROP',
  '"DATE"',
]

describe('the values of parameters', () => {
  for (const [type, [expected, refused]] of Object.entries(REFUSED))
    it(`must be ${type} if that is their type`, () => {
      for (const value of refused) {
        const message = `The value of the parameter "since" must be ${expected}.`
        const found = refusal({ since: { type, value } })
        assert.deepEqual(found, { message, path: 'parameters.since' }, JSON.stringify(value))
        const item = refusal({ since: { type: `${type}[][]`, value: [[], null, [null, value]] } })
        assert.equal(item.message, message.replace('The value', 'Item 3.2'))
      }
    })

  it('must exist and fit their type', () => {
    for (const [type, expected, refused] of OUTSIDE)
      for (const value of refused) {
        const { message, path } = refusal({ since: { type, value } })
        assert.equal(message, `The value of the parameter "since" must be ${expected}.`, JSON.stringify(value))
        assert.equal(path, 'parameters.since')
      }
  })

  it('must have a type that can be sent', () => {
    for (const [type, hint] of UNSUPPORTED) {
      const message = `The type of the parameter "since" is not supported. ${hint}`
      assert.deepEqual(refusal({ since: { type, value: null } }), { message, path: 'parameters.since' })
    }
    for (const type of UNKNOWN) {
      const { message } = refusal({ since: { type, value: null } })
      assert.match(message, /^The type of the parameter "since" is not supported. (Types are BOOLEAN,|Did you mean )/)
      assert.ok(!type.includes("'") || !message.includes("'"))
    }
    assert.throws(() => parseType('VARCHR'), UnknownType)
  })

  it('are read in other spellings of the same value, if nothing is lost', () => {
    const same: [type: string, value: unknown, as: unknown][] = [
      ['TINYINT', -0, 0],
      ['INTEGER', '-2147483648', -2_147_483_648],
      ['BIGINT', '9223372036854775807', 2n ** 63n - 1n],
      ['BIGINT', '-0', 0n],
      ['FLOAT', 0.10000000149011612, Math.fround(0.1)],
      ['FLOAT', 0.1, Math.fround(0.1)],
      ['FLOAT', 3.4028235e38, 3.4028234663852886e38],
      ['DECIMAL(10,2)', 1.5, 150n],
      ['DECIMAL(10,2)', '-1.5000', -150n],
      ['DECIMAL(10,2)', '00012345678.90', 1_234_567_890n],
      ['DECIMAL(10,2)', -0, 0n],
      ['DECIMAL(38,20)', 1e-7, 10n ** 13n],
      ['DECIMAL(38)', 1e21, 10n ** 21n],
      ['DECIMAL(38,38)', `0.${'9'.repeat(38)}`, 10n ** 38n - 1n],
      ['UUID', 'F47AC10B-58CC-4372-A567-0E02B2C3D479', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
      ['DATE', '+001970-01-02', 1],
      ['DATE', '0000-01-01', -719_528],
      ['TIME', '24:00:00.000', 86_400_000_000n],
      ['TIME', '00:00:01.500000000', 1_500_000n],
      ['TIMESTAMP_S', '1970-01-01T00:00:01.000', 1n],
      ['TIMESTAMPTZ', '1970-01-01T02:00:00+02:00', 0n],
      ['TIMESTAMPTZ', '1969-12-31T18:30:00-05:30', 0n],
      ['TIMESTAMPTZ', '-infinity', 1n - 2n ** 63n],
      ['TIMETZ', '01:00:00Z', { micros: 3_600_000_000, offset: 0 }],
      ['TIMETZ', '01:00:00-00:00', { micros: 3_600_000_000, offset: 0 }],
      ['INTERVAL', 'PT90M', { months: 0, days: 0, micros: 5_400_000_000n }],
      ['INTERVAL', 'P1Y-1MT-0.5S', { months: 11, days: 0, micros: -500_000n }],
      ['INTERVAL', 'PT-1H0.5S', { months: 0, days: 0, micros: -3_599_500_000n }],
      ['BLOB', '', new Uint8Array()],
      ['VARCHAR[]', [], []],
      ['VARCHAR[]', null, null],
    ]
    for (const [type, value, as] of same) assert.deepEqual(readOf(type, value), as, `${type} ${value}`)
  })

  it('have the types of SQL, by the names of DuckDB in any case', () => {
    const names: Record<string, string> = {
      int: 'INTEGER',
      Text: 'VARCHAR',
      STRING: 'VARCHAR',
      real: 'FLOAT',
      INT8: 'BIGINT',
      INT1: 'TINYINT',
      'double  precision': 'DOUBLE',
      ' timestamptz ': 'TIMESTAMP WITH TIME ZONE',
      'timestamp with time zone [] []': 'TIMESTAMP WITH TIME ZONE[][]',
      'TIME WITH TIME ZONE': 'TIME WITH TIME ZONE',
      'NUMERIC( 10 , 2 )[]': 'DECIMAL(10,2)[]',
      decimal: 'DECIMAL(18,3)',
      'DEC(7)': 'DECIMAL(7,0)',
    }
    for (const [name, text] of Object.entries(names)) assert.equal(typeText(parseType(name)), text)
  })
})

describe('an object of parameters', () => {
  it('has names that the engine tells apart, values with their types, and no more than it may', () => {
    const name =
      'The name of a parameter must have 1 to 63 ASCII letters, digits and underscores, and must not begin with a digit.'
    for (const bad of ['9x', '', 'a-b', 'a.b', 'é', '$a', 'a b', 'a\n', '\u212a'])
      assert.deepEqual(refusal({ [bad]: 1 }), { message: name, path: `parameters.${bad}` })
    assert.deepEqual(refusal({ ['x'.repeat(64)]: 1 }), { message: name, path: `parameters.${'x'.repeat(63)}…` })
    assert.deepEqual(refusal({ since: 1, SINCE: 2 }), {
      message: 'The parameter "SINCE" is there twice, because names ignore case: send one of them.',
      path: 'parameters.SINCE',
    })
    const pair =
      'The parameter "a" must have "type", a string, and "value", and nothing else: ' +
      'write { "type": "DATE", "value": "2026-11-20" }.'
    const pairs = [
      {},
      { type: 'DATE' },
      { value: 1 },
      { type: 'DATE', vlaue: 1 },
      { type: 1, value: 1 },
      { type: null, value: 1 },
    ]
    for (const a of [
      ...pairs,
      { type: 'DATE', value: null, more: 1 },
      JSON.parse('{"type":"DATE","value":null,"__proto__":1}'),
    ])
      assert.deepEqual(refusal({ a }), { message: pair, path: 'parameters.a' })
    assert.match(refusal({ a: [1] }).message, /write \{ "type": "VARCHAR\[\]", "value": \[…\] \}/)
    for (const a of [2 ** 53, -(2 ** 53), 2 ** 63, -(2 ** 63)])
      assert.match(refusal({ a }).message, /send \{ "type": "BIGINT", "value": "…" \} with its digits as a string\.$/)
    const full = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`a${at}`, null]))
    assert.equal(readParameters(full).length, 100)
    assert.deepEqual(refusal({ ...full, b: 1 }), {
      message: 'A statement takes at most 100 parameters: send fewer.',
      path: 'parameters',
    })
    const bytes = 64 * 1024 - '{"a":""}'.length
    assert.equal(readParameters({ a: 'é'.repeat(bytes / 2) }).length, 1)
    assert.deepEqual(refusal({ a: `${'é'.repeat(bytes / 2)}x` }), {
      message: 'The parameters have more than 65536 bytes of JSON: send less.',
      path: 'parameters',
    })
    for (const sent of [[], 1, 'x', true])
      assert.deepEqual(refusal(sent), {
        message: 'The field "parameters" must be an object of names with their values.',
        path: 'parameters',
      })
    assert.deepEqual([readParameters(undefined), readParameters(null), readParameters({})], [[], [], []])
  })

  it('is read in time that grows with its size', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown
    refusal({ a: { type: 'VARCHAR', value: deep } })
    refusal({ a: { type: `VARCHAR${'[]'.repeat(8)}`, value: deep } })
    refusal({ a: deep })
    refusal({ a: { type: '['.repeat(1_000_000), value: 1 } })
    const long = '1'.repeat(1_000_000)
    for (const type of [...Object.keys(REFUSED), ...Object.keys(REFUSED).map(type => `${type}[]`)])
      refusal({ a: { type, value: long } })
  })

  it('has a text in which no two of its values are alike', () => {
    const different = [
      {},
      { a: null },
      { a: 1 },
      { b: 1 },
      { a: 1, b: 2 },
      { a: 2, b: 1 },
      { a: '1' },
      { a: true },
      { a: 'true' },
      { a: 0.5 },
      { a: 0 },
      { a: -0 },
      { a: '1","b' },
      { a: { type: 'DOUBLE', value: 1 } },
      { a: { type: 'DATE', value: null } },
      { a: { type: 'BLOB', value: 'null' } },
      { a: { type: 'BLOB[]', value: ['null'] } },
      { a: { type: 'BLOB[]', value: [null] } },
      { a: { type: 'VARCHAR[]', value: [] } },
      { a: { type: 'VARCHAR[]', value: ['', ''] } },
      { a: { type: 'VARCHAR[]', value: ['","'] } },
      { a: { type: 'VARCHAR[][]', value: [[], []] } },
      { a: { type: 'VARCHAR[][]', value: [[]] } },
      { a: { type: 'INTERVAL', value: 'P1M' } },
      { a: { type: 'INTERVAL', value: 'P1D' } },
    ].map(sent => textOfParameters(readParameters(sent)))
    assert.equal(new Set(different).size, different.length)
    assert.equal(
      textOfParameters(readParameters({ b: 1, A: 'x' })),
      textOfParameters(readParameters({ a: { type: 'TEXT', value: 'x' }, B: { type: 'BIGINT', value: '1' } })),
    )
  })
})
