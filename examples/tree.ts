import { defineCatalogue, defineFold, defineTable } from 'foldgate'

/** A catalogue in which entities own each other: what callers read depends on their point of view. */
export const tree = defineCatalogue({
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
      about: 'One holder of an entity: an entity with several holders has a row for each.',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' },
      required: ['entity_key', 'entity_id', 'ownership_share'],
      unique: ['entity_key', 'parent_key'],
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
  pointOfView: true,
})
