import { defineQuery } from 'foldgate'

const item = { type: 'VARCHAR', about: 'What is counted', values: ['water', 'land'] }

/** Named queries of the group: two versions of one, of which an older one was removed, and some others. */
export const queries = [
  defineQuery({
    name: 'amounts_of',
    version: 2,
    about: 'Who has how much of an item?',
    parameters: { item },
    columns: { entity_key: 'VARCHAR', amount: { type: 'DOUBLE', about: 'How much' } },
    sql: 'SELECT entity_key, amount FROM amounts WHERE item = $item ORDER BY entity_key',
    replaces: ['amounts'],
  }),
  defineQuery({
    name: 'amounts_of',
    version: 3,
    about: 'Who has how much of an item, at least?',
    parameters: {
      item,
      least: { type: 'DOUBLE', about: 'Least amount', default: 0 },
      entities: { type: 'VARCHAR[]', about: 'Keys of entities; NULL for all', default: null },
    },
    columns: { entity_key: 'VARCHAR', amount: { type: 'DOUBLE', about: 'How much' } },
    sql: `SELECT entity_key, amount FROM amounts
          WHERE item = $item AND amount >= $least AND ($entities IS NULL OR list_contains($entities, entity_key))
          ORDER BY entity_key`,
  }),
  defineQuery({
    name: 'totals',
    version: 1,
    about: 'What are the totals from a point of view?',
    columns: { item: 'VARCHAR', total: 'DOUBLE' },
    sql: 'SELECT item, round(total, 6) AS total FROM fold_totals ORDER BY item',
  }),
  defineQuery({
    name: 'numbers',
    version: 1,
    about: 'Which numbers are below a number?',
    parameters: { below: { type: 'BIGINT', about: 'The first that does not count' } },
    sql: 'SELECT i FROM range(1000) t(i) WHERE i < $below ORDER BY i',
  }),
  defineQuery({
    name: 'as_number',
    version: 1,
    about: 'Which number does a text hold?',
    parameters: { digits: { type: 'VARCHAR', about: 'Digits', default: '7' } },
    sql: 'SELECT CAST($digits AS INTEGER) AS number FROM amounts LIMIT 1',
  }),
]
