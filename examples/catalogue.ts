import { defineCatalogue, defineFold, defineTable } from 'foldgate'

/** What callers may query: two tables of an assessment as they are stored, and one fold over them. */
export const catalogue = defineCatalogue({
  hierarchy: {
    table: 'entities',
    key: 'entity_key',
    parent: 'parent_key',
    id: 'entity_id',
    share: 'ownership_share',
  },
  relations: [
    defineTable({
      name: 'entities',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' },
      required: ['entity_key', 'entity_id', 'ownership_share'],
    }),
    defineTable({ name: 'emissions', columns: { entity_key: 'VARCHAR', tonnes: 'DOUBLE' } }),
    defineFold({
      name: 'fold_emissions',
      about: 'One row: tonnes emitted over the point of view.',
      reads: ['emissions', 'point_of_view'],
      sql: 'SELECT sum(tonnes * share) AS tonnes FROM emissions JOIN point_of_view USING (entity_key)',
    }),
  ],
  examples: [{ question: 'How much do we emit?', sql: 'SELECT tonnes FROM fold_emissions' }],
})
