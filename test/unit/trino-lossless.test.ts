import assert from 'node:assert/strict'
import { parseLossless } from '#trino/lossless.js'

describe('answers of Trino', () => {
  for (const [text, value] of [
    ['[9007199254740993]', ['9007199254740993']],
    ['[-9223372036854775808, 1]', ['-9223372036854775808', 1]],
    ['{"a":9223372036854775807,"b":[9223372036854775806]}', { a: '9223372036854775807', b: ['9223372036854775806'] }],
    ['[1.7320508075688772,1234567890123456E3]', [1.7320508075688772, 1234567890123456e3]],
    ['["a,9007199254740993,b",9007199254740993]', ['a,9007199254740993,b', '9007199254740993']],
    ['["\\",9007199254740993,\\\\",9007199254740993]', ['",9007199254740993,\\', '9007199254740993']],
    ['{"9007199254740993":" 9007199254740993 "}', { '9007199254740993': ' 9007199254740993 ' }],
    ['9007199254740993', '9007199254740993'],
    ['[123456789012345]', [123456789012345]],
  ] as const)
    it(`keep every digit of ${text}`, () => assert.deepEqual(parseLossless(text), value))

  it('are parsed in linear time, whatever they are made of', () => {
    const spent = (text: string) => {
      const before = process.cpuUsage()
      parseLossless(text)
      return process.cpuUsage(before).user / 1000
    }
    for (const piece of ['9007199254740993', '"a"', '"9007199254740993"', '"\\\\"', '["",9007199254740993]']) {
      const ms = spent(`[${Array.from({ length: 200_000 }, () => piece)}]`)
      assert.ok(ms < 2_000, `${piece}: ${ms} ms`)
    }
  })

  it('are refused when they are not JSON', () => {
    assert.throws(() => parseLossless('[9007199254740993'), SyntaxError)
    assert.throws(() => parseLossless('["9007199254740993,'), SyntaxError)
  })
})
