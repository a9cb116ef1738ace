import assert from 'node:assert/strict'
import { rowsAsCsv } from '#lib/values/rows-as-csv.js'
import { assertLinear } from '../growth.js'
import { assertField, readCsv } from '../types/csv-fields.js'

const csvOf = (json: string) => Buffer.from(rowsAsCsv(Buffer.from(json))).toString()

describe('rows as CSV', () => {
  it('have a header, and lines that end with line feeds', () => {
    assert.equal(csvOf('{"b":1,"a":"x"},{"b":2,"a":"y"}'), 'b,a\n1,x\n2,y\n')
  })

  it('keep the digits of numbers', () => {
    assert.equal(csvOf('{"a":40.0,"b":12.50,"c":1e+16,"d":-0.0,"e":true}'), 'a,b,c,d,e\n40.0,12.50,1e+16,-0.0,true\n')
  })

  it('tell NULL from an empty string', () => {
    assert.equal(csvOf('{"a":null,"b":"","c":"null"},{"a":"","b":null,"c":null}'), 'a,b,c\n,"",null\n"",,\n')
  })

  it('quote what needs quotes', () => {
    assert.equal(
      csvOf('{"a":"x,y","b":"say \\"hi\\"","c":"1\\n2\\r3","d":" "}'),
      'a,b,c,d\n"x,y","say ""hi""","1\n2\r3", \n',
    )
  })

  it('write lists and objects as JSON, with their spaces and not those around them', () => {
    const json = '{"a":[1,{"b":"\\"}],"}],"c":\t\r {"k" : [ ] } ,"d":  7 ,"e": "s" }'
    assert.equal(csvOf(json), 'a,c,d,e\n"[1,{""b"":""\\""}],""}]","{""k"" : [ ] }",7,s\n')
  })

  it('have names of columns that need quotes, are numbers, or mean something to JavaScript', () => {
    assert.equal(csvOf('{"7":1,"a,\\"b\\n":2,"__proto__":3,"":4,"3":5}'), '7,"a,""b\n",__proto__,"",3\n1,2,3,4,5\n')
    const none = Buffer.from(rowsAsCsv(new Uint8Array(), ['7', 'a,b', '', 'é"']))
    assert.equal(none.toString(), '7,"a,b","","é"""\n')
    assert.equal(rowsAsCsv(new Uint8Array()).byteLength, 0)
  })

  it('are without escapes, except for half of a surrogate pair, which UTF-8 does not have', () => {
    const escaped = String.raw`"\u0041\u00e9\u20ac\ud83d\ude00\/\\\b\f\t\u0000"`
    const [, [field] = []] = readCsv(csvOf(`{"a":${escaped}}`))
    assert.equal(field?.text, JSON.parse(escaped))
    for (const half of ['\\ud83d', '\\ude00\\ud83d', '\\ud83d\\u0041', 'x\\"\\ud83d"}'.slice(0, -2), '\\ude00,'])
      assert.deepEqual(readCsv(csvOf(`{"a":"${half}","b":1}`))[1], [
        { text: `"${half}"`, isQuoted: true },
        { text: '1', isQuoted: false },
      ])
  })

  it('are those of the JSON for any values', () => {
    // A linear congruential generator: the same cases in every run.
    let state = Number(process.env.FOLDGATE_SEED ?? 17)
    const below = (most: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * most)
    }
    const pick = <Value>(values: readonly Value[]) => values[below(values.length)] as Value
    const text = () => Array.from({ length: below(6) }, () => pick([...'a"\\,\n\r\0 é€😀[]{}:', 'null'])).join('')
    const value = (depth: number): unknown => {
      const kind = below(depth > 2 ? 4 : 6)
      if (kind < 2) return text()
      if (kind < 4) return pick([null, true, false, 0, -1.5, 1e21, 123456789012])
      const members = Array.from({ length: below(4) }, () => value(depth + 1))
      return kind === 4 ? members : Object.fromEntries(members.map(member => [text(), member]))
    }
    for (let round = 0; round < 500; round++) {
      const names = [...new Set(Array.from({ length: 1 + below(6) }, (_, column) => text() + column))]
      const rows = Array.from({ length: 1 + below(5) }, () => names.map(() => value(0)))
      const json = rows.map(
        row => `{${row.map((each, at) => `${JSON.stringify(names[at])}:${JSON.stringify(each)}`).join(',')}}`,
      )
      const [header = [], ...records] = readCsv(csvOf(json.join(',')))
      assert.deepEqual(
        header.map(({ text }) => text),
        names,
      )
      assert.equal(records.length, rows.length)
      for (const [at, record] of records.entries())
        for (const [column, field] of record.entries()) assertField(field, rows[at]?.[column], json[at])
    }
  })

  it('that are damaged are refused, and never keep the process busy', () => {
    const row = '{"a":"x","b":[1,"y"],"c":null,"d":1.5}'
    for (let length = 1; length < row.length; length++) {
      assert.throws(() => csvOf(row.slice(0, length)), /not as the engine writes them/, `${length} bytes`)
      assert.throws(() => csvOf(`${row},${row.slice(0, length)}`), /not as the engine writes them/, `${length} bytes`)
    }
    assert.throws(() => csvOf('{"a":1},{"ab":1}'), /not as the engine writes them/)
    assert.throws(() => csvOf('{"a":1},{"a":1,"b":2}'), /not as the engine writes them/)
  })

  it('take time in proportion to their size', async () => {
    const hostile: ((length: number) => string)[] = [
      length => `{"a":"${'\\"'.repeat(length)}"}`,
      length => `{"a":"${'\\u0022'.repeat(length / 2)}"}`,
      length => `{"a":"${'\\u0022'.repeat(length / 2)}\\ud800"}`,
      length => `{"a":${'['.repeat(length)}${']'.repeat(length)}}`,
      length => `{${Array.from({ length: length / 256 }, (_, n) => `"${n}":[${'"",'.repeat(100)}""]`).join(',')}}`,
    ]
    for (const json of hostile) await assertLinear(length => csvOf(json(length)), 2 ** 20, json(4).slice(0, 20))
  })
})
