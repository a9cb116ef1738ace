import assert from 'node:assert/strict'
import { parseLossless } from '#trino/protocol/lossless.js'
import { assertLinear } from '../../../test/growth.js'

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

  it('are parsed in linear time, whatever they are made of', async () => {
    for (const piece of ['9007199254740993', '"a"', '"9007199254740993"', '"\\\\"', '["",9007199254740993]'])
      await assertLinear(length => parseLossless(`[${Array.from({ length }, () => piece)}]`), 100_000, piece)
  })

  it('are refused when they are not JSON', () => {
    assert.throws(() => parseLossless('[9007199254740993'), SyntaxError)
    assert.throws(() => parseLossless('["9007199254740993,'), SyntaxError)
  })
})
