import { defineFold } from 'foldgate'
import { amount, ENTITY_ID, ENTITY_KEY, ISO3, text, whole } from '../columns.js'

/**
 * Ancestors that `ownership_paths` lists are at most this many steps below the entity that a query looks
 * from. Without a bound, a chain of n entities has n * n / 2 rows: 12.5 million for 5 000, of which 105 000
 * are left. Bounding the steps of a path instead would leave entities out of totals without a sign.
 */
const STEPS = 20

/** Entities, each once, and what they hold of each other. */
export const entityFolds = [
  // The rows of an entity differ in parent and share alone; if they do not, one of their values is taken.
  defineFold({
    name: 'fold_entities',
    about:
      'One entity in view, once, however many holders it has: key, id, name, kind and country. Join it on entity_key ' +
      'to name the entities of other relations; the table entities has one row per holder.',
    columns: {
      entity_key: ENTITY_KEY,
      entity_id: ENTITY_ID,
      name: text('Name of the entity'),
      kind: text('Kind of entity, such as group, country, company or asset'),
      iso3: { ...ISO3, about: `${ISO3.about}; NULL where the entity has none, as the root of the project` },
      country: text('Name of the country; NULL where there is none'),
    },
    unique: ['entity_key'],
    references: { iso3: 'countries.iso3' },
    reads: ['entities', 'countries', 'point_of_view'],
    sql: `
      SELECT e.entity_key, e.entity_id, e.name, e.kind, e.iso3, c.name AS country
      FROM (
        SELECT entity_key, any_value(entity_id) AS entity_id, min(name) AS name, min(kind) AS kind, min(iso3) AS iso3
        FROM entities WHERE entity_key IN (SELECT entity_key FROM point_of_view) GROUP BY entity_key) e
      LEFT JOIN countries c ON c.iso3 = e.iso3
      ORDER BY e.entity_key`,
  }),
  // Begins at the entity in view that no other in view holds. As in point_of_view, each step merges paths of
  // equal length, so that rows do not multiply.
  defineFold({
    name: 'ownership_paths',
    about:
      'One entity in view and one that holds it, directly or through others; each entity is also its own ancestor, at ' +
      'depth 0 with share 1. Several paths between the two are one row: share is the sum of their products, whatever ' +
      `ownershipView, and depth the fewest steps. Ancestors are at most ${STEPS} steps below the entity that the query ` +
      'looks from. To compare subsidiaries, join pressure_rows on entity_key and sum by ancestor_key: its value times ' +
      'the share of this relation (net), or its value alone (gross). That net is at the share of the ancestor: times ' +
      'the share of the ancestor in point_of_view, it is ours. Ancestors hold parts of each other, so their figures ' +
      'do not add up to the total.',
    columns: {
      ancestor_key: text('Key of the entity that holds the other one, or is it'),
      entity_key: text('Key of the entity that is held'),
      depth: whole(
        'Fewest steps from the ancestor to the entity; 0 for itself, 1 for what it holds directly',
      ),
      share: amount(
        'What the ancestor holds of the entity through all paths, 0 to 1, whatever ownershipView',
      ),
    },
    unique: ['ancestor_key', 'entity_key'],
    references: { ancestor_key: 'fold_entities.entity_key', entity_key: 'fold_entities.entity_key' },
    reads: ['entities', 'point_of_view'],
    sql: `
      WITH RECURSIVE near(entity_key, steps) AS (
        SELECT entity_key, 0 FROM point_of_view WHERE entity_key NOT IN (
          SELECT e.entity_key FROM entities e JOIN point_of_view p ON p.entity_key = e.parent_key)
        UNION
        SELECT held.entity_key, near.steps + 1
        FROM near JOIN entities held ON held.parent_key = near.entity_key
        WHERE near.steps < ${STEPS}),
      walk(ancestor_key, entity_key, depth, share) AS (
        SELECT DISTINCT entity_key, entity_key, 0, CAST(1 AS DOUBLE) FROM near
        UNION ALL
        SELECT walk.ancestor_key, held.entity_key, walk.depth + 1, sum(walk.share * held.ownership_share)
        FROM walk JOIN entities held ON held.parent_key = walk.entity_key
        GROUP BY walk.ancestor_key, held.entity_key, walk.depth)
      SELECT ancestor_key, entity_key, min(depth) AS depth, sum(share) AS share
      FROM walk GROUP BY ancestor_key, entity_key
      ORDER BY ancestor_key, depth, entity_key`,
  }),
]
