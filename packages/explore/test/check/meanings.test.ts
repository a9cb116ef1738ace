import assert from 'node:assert/strict'
import type { DescribedCatalogue } from 'foldgate/client'
import type { Vocabulary } from '#explore/script/complete.js'
import { explain } from '#explore/script/explain.js'
import { meaningsOf } from '#explore/script/meanings.js'

const CATALOGUE: DescribedCatalogue = {
  relations: [
    { name: 'revenue', kind: 'fold', about: 'One country.', columns: [{ name: 'country', type: 'VARCHAR' }] },
    {
      name: 'orders',
      kind: 'table',
      about: 'An order.',
      unique: ['order_id', 'line'],
      columns: [
        { name: 'order_id', type: 'BIGINT', unit: 'EUR' },
        { name: 'total', type: 'DECIMAL(12,2)', about: 'What was paid.', unit: 'EUR' },
        { name: 'state', type: 'VARCHAR', about: 'State', values: ['open', 'paid'] },
        { name: 'code', type: 'VARCHAR', values: Array.from({ length: 20 }, (_, at) => `c${at}`) },
        { name: 'customer_id', type: 'BIGINT', references: 'customers.customer_id' },
        { name: 'note', type: 'VARCHAR' },
      ],
    },
    {
      name: 'holders',
      kind: 'table',
      unique: ['a', 'b'],
      notes: ['One row per a and b: joining on a multiplies rows.'],
      columns: [
        { name: 'share', type: 'DOUBLE', additiveOver: [] },
        {
          name: 'worth',
          type: 'DOUBLE',
          about: 'At the end of a day',
          unitColumn: 'currency',
          additiveOver: ['a', 'b'],
        },
        { name: 'level', type: 'VARCHAR', order: ['low', 'high'], values: ['high', 'low'] },
      ],
      measures: [
        { name: 'total', sql: 'sum(worth)', about: 'All of it.', unit: 'EUR' },
        { name: 'held', sql: 'count(*)', about: 'How often it is held' },
      ],
    },
  ],
  examples: [],
}

describe('the meanings of relations and columns', () => {
  const meanings = meaningsOf(CATALOGUE)

  it('have the unit, the values and what a column refers to', () => {
    const told = ['order_id', 'total', 'state', 'customer_id'].map(name => meanings.ofColumn('orders', name))
    assert.deepEqual(told, [
      'EUR',
      'What was paid (EUR)',
      'State. One of open, paid',
      'Refers to customers.customer_id',
    ])
    assert.deepEqual(
      ['share', 'worth', 'level'].map(name => meanings.ofColumn('holders', name)),
      [
        'Not to be summed',
        'At the end of a day. Its unit is in currency. Summed over a and b alone',
        'In the order low, high',
      ],
    )
    assert.match(meanings.ofColumn('orders', 'code') ?? '', /^One of c0, .*, c11, …$/)
  })

  it('have what one row is, and what to know before joining it', () => {
    assert.deepEqual(meanings.ofRelation('orders'), { about: 'An order.', notes: ['One row per order_id and line.'] })
    assert.deepEqual(meanings.ofRelation('holders').notes, [
      'One row per a and b: joining on a multiplies rows.',
      'total = sum(worth): All of it (EUR).',
      'held = count(*): How often it is held.',
    ])
    assert.deepEqual(meanings.ofRelation('revenue'), { about: 'One country.', notes: [] })
  })

  it('are none where the catalogue says nothing, or could not be read', () => {
    for (const name of ['note', 'nobody', 'constructor', '__proto__', 'toString'])
      assert.equal(meanings.ofColumn('orders', name), null, name)
    assert.equal(meanings.ofColumn('toString', 'note'), null)
    assert.deepEqual(meaningsOf(null).ofRelation('orders'), { notes: [] })
    assert.equal(meaningsOf(null).ofColumn('orders', 'total'), null)
  })
})

describe('the explanation under the pointer', () => {
  const meanings = meaningsOf(CATALOGUE)
  const words: Vocabulary = {
    relations: CATALOGUE.relations.map(({ name, kind }) => ({ name, kind, ...meanings.ofRelation(name) })),
    async columnsOf(relation) {
      if (relation === 'holders') throw new Error('unavailable')
      const { columns = [] } = CATALOGUE.relations.find(({ name }) => name === relation) ?? {}
      return columns.map(({ name, type }) => ({ name, type, about: meanings.ofColumn(relation, name) }))
    },
  }
  /** What is said at the `|` of a statement. */
  const said = async (written: string) => {
    const found = await explain(written.replace('|', ''), written.indexOf('|'), words)
    return found && `${found.title}: ${found.about}`
  }

  const CASES: [string, string | null][] = [
    ['SELECT t|otal FROM orders', 'total DECIMAL(12,2): What was paid (EUR)'],
    ['SELECT |TOTAL FROM Orders', 'total DECIMAL(12,2): What was paid (EUR)'],
    ['SELECT o."to|tal" FROM revenue, orders AS o', 'total DECIMAL(12,2): What was paid (EUR)'],
    ['SELECT r.to|tal FROM revenue r, orders o', null],
    ['SELECT 1 FROM or|ders', 'orders: An order. One row per order_id and line.'],
    ['SELECT 1 FROM revenue JOIN hol|ders ON true', `holders: ${meanings.ofRelation('holders').notes.join(' ')}`],
    ['WITH orders AS (SELECT 1 AS total) SELECT to|tal FROM orders', null],
    ['WITH orders AS (SELECT 1 AS total) SELECT total FROM or|ders', null],
    ['SELECT to|tal', null],
    ["SELECT 'to|tal' FROM orders", null],
    ['SELECT total -- to|tal\nFROM orders', null],
    ['SELECT a| FROM holders', null],
    ['SELECT no|te FROM orders', null],
    ['SE|LECT total FROM orders', null],
  ]
  for (const [sql, expected] of CASES)
    it(`says ${expected ?? 'nothing'} at ${JSON.stringify(sql)}`, async () => assert.equal(await said(sql), expected))
})
