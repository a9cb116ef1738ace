import assert from 'node:assert/strict'
import { defineCatalogue, defineQuery, defineTable, type QueryDefinition } from 'foldgate'
import { findQuery, versioned } from '#lib/catalogue/queries.js'

const orders = defineTable({ name: 'orders', columns: { order_id: 'BIGINT', country: 'VARCHAR' } })
const GIVEN = {
  name: 'orders_of',
  version: 1,
  about: 'Which orders come from a country?',
  parameters: { country: { type: 'VARCHAR', about: 'Country' } },
  sql: 'SELECT order_id FROM orders WHERE country = $country',
}
const query = (more: object = {}) => defineQuery({ ...GIVEN, ...more })
const parameter = (wrong: object) => query({ parameters: { country: { ...GIVEN.parameters.country, ...wrong } } })
const define = (...queries: QueryDefinition[]) => defineCatalogue({ relations: [orders], queries })

/** Queries with one mistake each, and the message about it. */
const MISTAKES: [string, () => unknown, RegExp][] = [
  ['null', () => define(null as never), /^queries\[0\] is no query: use defineQuery$/],
  ['no list', () => defineCatalogue({ relations: [], queries: {} as never }), /^queries must be a list/],
  ['a name with capitals', () => define(query({ name: 'Orders' })), /^query "Orders": a name is words of a-z and 0-9/],
  ['a name with a hyphen', () => define(query({ name: 'orders-of' })), /^query "orders-of": a name is words/],
  ['a name with two underscores', () => define(query({ name: 'orders__of' })), /^query "orders__of": a name is words/],
  ['a long name', () => define(query({ name: 'a'.repeat(49) })), /and has at most 48 characters$/],
  ['version 0', () => define(query({ version: 0 })), /^query "orders_of": version must be a whole number from 1$/],
  ['a version as text', () => define(query({ version: '1' })), /version must be a whole number from 1$/],
  ['the same version twice', () => define(query(), query()), /^query "orders_of@1" is defined twice$/],
  [
    'names that are alike in generated clients',
    () => define(query(), query({ name: 'ordersof' })),
    /^queries "orders_of" and "ordersof" have the same name in generated clients$/,
  ],
  ['no question', () => define(query({ about: '' })), /^query "orders_of@1": about must say what it answers$/],
  ['no SQL', () => define(query({ sql: '' })), /sql must be one SELECT$/],
  ['a misspelt field', () => define(query({ column: {} })), /it has "column", which is none of name, version/],
  ['columns as a list', () => define(query({ columns: [] })), /columns must be names with their types$/],
  ['parameters as a list', () => define(query({ parameters: [] })), /parameters must be names with \{ type, about \}$/],
  [
    'a parameter with capitals',
    () => define(query({ parameters: { Country: GIVEN.parameters.country } })),
    /parameter "Country": a name is a-z, 0-9 and _/,
  ],
  ['a parameter as text', () => define(query({ parameters: { country: 'VARCHAR' } })), /"country": it must be \{ type/],
  [
    'a misspelt field of a parameter',
    () => define(parameter({ defaut: 'DE' })),
    /"country": it has "defaut", which is none of type, about, values, default$/,
  ],
  [
    'a misspelt type',
    () => define(parameter({ type: 'VARCHR' })),
    /^query "orders_of@1": parameter "country": it is of type "VARCHR", which no value can have\. Did you mean VARCHAR\?$/,
  ],
  ['no type', () => define(parameter({ type: undefined })), /"country": it is of type "undefined": write its SQL type/],
  [
    'values of another type',
    () => define(parameter({ values: ['DE', 4] })),
    /"country": values has 4: .* must be a VARCHAR/,
  ],
  [
    'NULL among values',
    () => define(parameter({ values: [null] })),
    /values has null: NULL is allowed by default: null$/,
  ],
  [
    'a default of another type',
    () => define(parameter({ type: 'DATE', default: 'today' })),
    /default is "today": .* DATE/,
  ],
  [
    'a default that is not allowed',
    () => define(parameter({ values: ['DE'], default: 'FR' })),
    /"country": default is "FR", which values lacks$/,
  ],
  ['a parameter that says nothing', () => define(parameter({ about: '' })), /about must say what callers choose/],
  ['values that are none', () => define(parameter({ values: [] })), /values must be a list of what callers may send$/],
  [
    'replacing what is defined',
    () => define(query({ replaces: ['orders_of'] })),
    /^query "orders_of@1": replaces names "orders_of", which is defined$/,
  ],
  [
    'two that replace the same',
    () => define(query({ replaces: ['old'] }), query({ name: 'other', replaces: ['old'] })),
    /^queries "orders_of" and "other" both replace "old"$/,
  ],
]

describe('the named queries of a catalogue', () => {
  for (const [name, made, message] of MISTAKES)
    it(`are refused with ${name}`, () => assert.throws(made, { name: 'TypeError', message }))

  it('are kept as defined, with columns apart from what they mean', () => {
    const columns = { order_id: { type: 'BIGINT', about: 'Number of the order' } }
    const [kept] = define(query({ columns })).queries
    const meanings = { order_id: { about: 'Number of the order' } }
    assert.deepEqual(kept, { ...GIVEN, replaces: [], columns: { order_id: 'BIGINT' }, meanings })
    assert.deepEqual(defineCatalogue({ relations: [orders] }).queries, [])
  })

  it('are found by name and version, and what is not defined names its successor', () => {
    const { queries } = define(query({ version: 3 }), query({ version: 2, replaces: ['old'] }))
    const found = (called: string) => {
      const { query, successor } = findQuery(queries, called)
      return query ? versioned(query) : successor && `not found: ${versioned(successor)}`
    }
    assert.equal(found('orders_of'), 'orders_of@3')
    assert.equal(found('orders_of@2'), 'orders_of@2')
    for (const gone of ['orders_of@1', 'orders_of@4', 'orders_of@02', 'orders_of@', 'orders_of@2@2', 'old', 'old@7'])
      assert.equal(found(gone), 'not found: orders_of@3', gone)
    for (const unknown of ['', '@', 'order', 'Orders_of', 'toString', 'order@2'])
      assert.equal(found(unknown), undefined)
  })
})
