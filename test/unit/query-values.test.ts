import assert from 'node:assert/strict'
import { type AnalyticsError, defineQuery } from 'foldgate'
import type { QueryParameter } from '#lib/catalogue/queries.js'
import { typedValues } from '#lib/catalogue/query-values.js'

const PARAMETERS: Record<string, QueryParameter> = {
  country: { type: 'VARCHAR', about: 'Country', values: ['KEN', 'UGA'] },
  since: { type: 'DATE', about: 'First day', default: '2026-01-01' },
  scope: { type: 'BIGINT', about: 'Scope', values: [1, 2], default: null },
  channels: { type: 'TEXT[]', about: 'Channels', default: ['search'] },
  total: { type: 'NUMERIC(12,2)', about: 'Total', default: null },
}
const query = defineQuery({ name: 'q', version: 1, about: 'What?', parameters: PARAMETERS, sql: 'SELECT 1' })
const none = defineQuery({ name: 'n', version: 1, about: 'What?', sql: 'SELECT 1' })

const DEFAULTS = {
  since: { type: 'DATE', value: '2026-01-01' },
  scope: { type: 'BIGINT', value: null },
  channels: { type: 'TEXT[]', value: ['search'] },
  total: { type: 'NUMERIC(12,2)', value: null },
}

/** Values that are refused: the path, and the message. */
const REFUSED: [string, Record<string, unknown>, string, RegExp][] = [
  ['a missing value', {}, 'country', /^The query needs the parameter "country", of type VARCHAR: Country\.$/],
  [
    'an unknown name',
    { country: 'KEN', land: 1 },
    'land',
    /no such parameter\. It has country, since, scope, channels, total/,
  ],
  ['a name in two cases', { Country: 'KEN', country: 'KEN' }, 'country', /is there twice, since names ignore case/],
  ['a long name', { ['x'.repeat(99)]: 1 }, `${'x'.repeat(63)}…`, /no such parameter/],
  ['what is not allowed', { country: 'FRA' }, 'country', /^The parameter "country" must be one of "KEN", "UGA"\.$/],
  ['NULL beside values', { country: null }, 'country', /must be one of "KEN", "UGA"\.$/],
  ['what is not allowed beside NULL', { country: 'KEN', scope: 3 }, 'scope', /must be one of 1, 2, null\.$/],
  ['another type of JSON', { country: 7 }, 'country', /must be a VARCHAR/],
  ['no date', { country: 'KEN', since: 'today' }, 'since', /must be a DATE/],
  [
    'another type',
    { country: 'KEN', since: { type: 'VARCHAR', value: '2026-01-01' } },
    'since',
    /is of type DATE: send/,
  ],
  ['a type that is none', { country: { type: 'LAND', value: 'KEN' } }, 'country', /is of type VARCHAR: send its value/],
  ['a type alone', { country: { type: 'VARCHAR' } }, 'country', /send its value alone, or \{ "type": "VARCHAR"/],
  ['a value alone', { country: { value: 'KEN' } }, 'country', /send its value alone/],
  ['more than a type', { country: { type: 'VARCHAR', value: 'KEN', unit: 1 } }, 'country', /send its value alone/],
]

describe('the values of a named query', () => {
  it('are bare or typed, and take the declared type and defaults', () => {
    const country = { type: 'VARCHAR', value: 'KEN' }
    assert.deepEqual(typedValues(query, { country: 'KEN' }), { country, ...DEFAULTS })
    assert.deepEqual(typedValues(query, { country: { type: 'text', value: 'KEN' } }), { country, ...DEFAULTS })
    const sent = { country: 'UGA', since: { type: 'date', value: null }, scope: '2', channels: [], total: '1.50' }
    assert.deepEqual(typedValues(query, sent), {
      country: { type: 'VARCHAR', value: 'UGA' },
      since: { type: 'DATE', value: null },
      scope: { type: 'BIGINT', value: '2' },
      channels: { type: 'TEXT[]', value: [] },
      total: { type: 'NUMERIC(12,2)', value: '1.50' },
    })
    assert.deepEqual(typedValues(query, { country: 'KEN', scope: null }), { country, ...DEFAULTS })
    assert.deepEqual(typedValues(none, {}), {})
  })

  for (const [name, sent, path, message] of REFUSED)
    it(`are refused with ${name}`, () =>
      assert.throws(
        () => typedValues(query, sent),
        (error: AnalyticsError) => {
          assert.equal(error.class, 'INVALID_PARAMS')
          assert.deepEqual(error.data, { path: `parameters.${path}` })
          assert.match(error.message, message)
          return true
        },
      ))

  it('are refused by a query without parameters', () => {
    assert.throws(() => typedValues(none, { toString: 1 }), { message: 'The query has no parameters: send none.' })
  })
})
