import assert from 'node:assert/strict'
import { MAX_SAVED_PARAMETERS_BYTES, readSavedParameters } from '#explore/server/saved-statement.js'
import { Refusal } from '../../../server/dist/input/refusal.js'

describe('the parameters of a query to save', () => {
  it('are what was typed, with the type that was chosen', () => {
    const parameters = { since: { type: 'DATE', value: '2026-11-20' }, _1: { value: '' }, none: { value: null } }
    assert.deepEqual(readSavedParameters(JSON.stringify(parameters)), parameters)
    assert.deepEqual(readSavedParameters(''), {})
  })

  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`p${at}`, { value: '' }]))
  const wrong: Record<string, [string, RegExp]> = {
    'no JSON': ['{', /not a JSON object/],
    'no object': ['[]', /not a JSON object/],
    'a name in capitals': ['{"A":{"value":""}}', /"A" is no name of a parameter/],
    'a value alone': ['{"a":1}', /"a" must have "value", a string or null/],
    'a number': ['{"a":{"value":1}}', /"a" must have "value"/],
    'a type that is no string': ['{"a":{"value":"","type":1}}', /"a" must have "value"/],
    'another member': ['{"a":{"value":"","more":1}}', /and nothing else/],
    'too many': [JSON.stringify(many), /at most 100 parameters/],
    'too long a text': [JSON.stringify({ a: { value: 'x'.repeat(MAX_SAVED_PARAMETERS_BYTES) } }), /more than 64 KiB/],
  }
  for (const [what, [json, message]] of Object.entries(wrong))
    it(`are refused with ${what}`, () => {
      assert.throws(
        () => readSavedParameters(json),
        (cause: unknown) => cause instanceof Refusal && message.test(cause.message),
      )
    })
})
