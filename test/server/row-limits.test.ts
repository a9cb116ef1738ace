import assert from 'node:assert/strict'
import { Refusal } from '#server/input/refusal.js'
import { readRows, tellRows } from '#server/input/row-limits.js'

const [ID, OTHER] = ['5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20', '6F0C8A5E-2A64-4D0F-9A3E-6B1D7C9E4F20']
const KNOWN = new Map([
  ['department', { type: 'BIGINT' }],
  ['grade', { type: 'TINYINT' }],
  ['country', { type: 'VARCHAR' }],
  ['isOpen', { type: 'BOOLEAN' }],
  ['hired', { type: 'DATE' }],
  ['entities', { type: 'UUID' }],
])

describe('row limits as people write them', () => {
  const problemOf = (read: () => unknown) => {
    try {
      return read()
    } catch (cause) {
      assert.ok(cause instanceof Refusal, String(cause))
      return cause.message
    }
  }
  const rowsOf = (...lines: string[]) => problemOf(() => readRows(lines, KNOWN))

  it('are values of the types of the catalogue', () => {
    for (const [line, values] of [
      ['department=17,18,17,"19"', [17, 18, '19']],
      ['department=-9223372036854775808,9007199254740991', ['-9223372036854775808', 9007199254740991]],
      ['grade=-128,127', [-128, 127]],
      ['country=5,true,null,1.50,2026-11-20', ['5', 'true', 'null', '1.50', '2026-11-20']],
      ['country=a b,a=b,a"b,"\\u00e9",é,[a]', ['a b', 'a=b', 'a"b', 'é', '[a]']],
      ['isOpen=true,false', [true, false]],
      ['hired=2026-11-20,"2026-11-21"', ['2026-11-20', '2026-11-21']],
      [`entities=${ID},${OTHER}`, [ID, OTHER]],
    ] as const)
      assert.deepEqual(rowsOf(line), { [line.slice(0, line.indexOf('='))]: values })
  })

  it('add up over the lines of one limit, and hold together over several', () => {
    const several = { department: [17, 18, 19], country: ['KEN'] }
    assert.deepEqual(rowsOf('department=17,18', 'country=KEN', 'department=18,19'), several)
  })

  it('are refused when the catalogue has no such limit', () => {
    assert.equal(rowsOf('departmnt=17'), 'The catalogue has no row limit "departmnt": did you mean "department"?')
    assert.match(`${rowsOf('Department=17')}`, /no row limit "Department": did you mean "department"\?/)
    assert.match(`${rowsOf('x=1')}`, /no row limit "x": it has department \(BIGINT\), grade \(TINYINT\), /)
    for (const name of ['constructor', '__proto__']) assert.match(`${rowsOf(`${name}=1`)}`, /has no row limit/)
    assert.equal(
      problemOf(() => readRows(['department=17'], new Map())),
      'The catalogue has no row limit "department": it has none at all',
    )
  })

  it('are refused when a value is none of the type of its limit', () => {
    for (const [line, value, expected] of [
      ['department=17,KEN', 'KEN', /must be a BIGINT: a whole number from -9223372036854775808 to/],
      ['department=9223372036854775808', '9223372036854775808', /must be a BIGINT/],
      ['department=17.5', '17.5', /must be a BIGINT/],
      ['department=17.00000000000000001', '17.00000000000000001', /must be a BIGINT/],
      ['department=1e3', '1e3', /must be a BIGINT/],
      ['department=017', '017', /must be a BIGINT/],
      ['department=true', 'true', /must be a BIGINT/],
      ['department=null', 'null', /must be a BIGINT/],
      ['department=*', '*', /must be a BIGINT/],
      ['grade=128', '128', /must be a TINYINT: a whole number from -128 to 127$/],
      ['isOpen=1', '1', /must be a BOOLEAN: true or false$/],
      ['isOpen="true"', '"true"', /must be a BOOLEAN: true or false$/],
      ['hired=2026-02-30', '2026-02-30', /must be a DATE as rows have it, such as "2026-11-20"$/],
      ['entities=acme', 'acme', /must be a UUID, such as "/],
    ] as const) {
      const name = line.slice(0, line.indexOf('='))
      const problem = `${rowsOf('country=KEN', line)}`
      assert.ok(
        problem.startsWith(`${JSON.stringify(value)} is no value of the row limit "${name}", which must be a`),
        problem,
      )
      assert.match(problem, expected)
    }
  })

  it('are refused without a value, so that an unset variable of a script makes no wider key', () => {
    for (const line of [
      ...['department=', 'department=,', 'department=17,', 'department=,17', 'department=17,,18'],
      ...['country="', 'country="a', 'country="a"b', 'country="a" "b"', 'country="a\\"', 'country=,"a"', 'country= '],
    ])
      assert.ok(`${rowsOf(line)}`.startsWith(`${JSON.stringify(line)} has no list of values: write name=`), line)
    assert.equal(rowsOf('country="\\x"'), '"\\"\\\\x\\"" is no string of JSON')
    for (const line of ['department', '=17'])
      assert.match(`${rowsOf(line)}`, /is no value of a row limit: write name=value$/)
  })

  it('are refused when one limit has more values than the service takes', () => {
    const line = (from: number, count: number) =>
      `department=${Array.from({ length: count }, (_, at) => from + at).join(',')}`
    assert.match(
      `${rowsOf(line(0, 10_000), line(5_000, 5_001))}`,
      /"department" has more than 10000 values: write fewer/,
    )
    assert.equal((rowsOf(line(0, 10_000), line(0, 5_000)) as Record<string, number[]>).department?.length, 10_000)
  })

  it('can be written as they are told', () => {
    const rows = { department: [17, '9007199254740993'], country: ['KEN', 'a, "b"', '', '1'], isOpen: [true] }
    assert.deepEqual(rowsOf(...tellRows(rows)), rows)
  })

  it('are read in time that grows with their length', () => {
    const began = performance.now()
    for (const filler of [' ', '"', '\\', 'a', ',', '"\\'])
      for (const open of ['country=', 'country="', 'country=a'])
        rowsOf(`${open}${filler.repeat(100_000 / filler.length)}b`)
    assert.ok(performance.now() - began < 5_000)
  })

  it('are numbers, booleans or strings without a catalogue', () => {
    assert.deepEqual(readRows(['a=17,x,true,"17"'], undefined), { a: [17, 'x', true, '17'] })
  })
})
