import assert from 'node:assert/strict'
import fc from 'fast-check'
import { rowsAsArrays } from '#lib/values/json-reader.js'

const arraysOf = (json: string) => Buffer.from(rowsAsArrays(Buffer.from(json))).toString()

describe('rows as arrays', () => {
  it('keep the order of columns, and each value as it is written', () => {
    const rows =
      '{"b":1.50,"2":{"z":1,"10":[2, "]"]},"1":"\\"}","__proto__":12345678901234567890},' +
      '{"b":-0,"2":null,"1":"","__proto__":1e400}'
    assert.equal(arraysOf(rows), '[1.50,{"z":1,"10":[2, "]"]},"\\"}",12345678901234567890],[-0,null,"",1e400]')
    assert.equal(arraysOf(''), '')
  })

  it('have the values of the rows, whatever they and the names of the columns are', () => {
    const names = fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom('"', '\\', '{', '},{', ':', '__proto__')), {
      minLength: 1,
    })
    const rows = names.chain(names => {
      const values = fc.array(fc.jsonValue(), { minLength: names.length, maxLength: names.length })
      return fc.record({ names: fc.constant(names), rows: fc.array(values) })
    })
    fc.assert(
      fc.property(rows, ({ names, rows }) => {
        const objects = rows.map(row =>
          names.map((name, at) => [JSON.stringify(name), JSON.stringify(row[at])].join(':')),
        )
        const json = objects.map(members => `{${members}}`).join(',')
        assert.equal(`[${arraysOf(json)}]`, JSON.stringify(rows))
      }),
      { numRuns: 200 },
    )
  })

  it('of damaged rows are refused', () => {
    for (const json of ['{"a":1', '{"a":"1}', '{"a"1}', '{a:1}', '[1]', '{"a":1},', '{"a":1}{"a":2}', '{"a":[1}', '{}'])
      assert.throws(() => arraysOf(json), /not as the engine writes them/, json)
  })
})
