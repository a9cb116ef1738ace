import { defineCatalogue, type TableDefinition } from 'foldgate'
import { examples } from './examples.js'
import { folds } from './folds.js'
import { queries } from './queries.js'
import { rules } from './rules.js'
import { assessedTables } from './tables/assessed.js'
import { factorTables } from './tables/factors.js'
import { placeTables } from './tables/places.js'
import { ratingTables } from './tables/ratings.js'

/** Factors, places and ratings are no figures of a project: callers who see some entities alone read them whole. */
const forEverybody = (table: TableDefinition): TableDefinition => ({ ...table, rowLimits: 'none' })

/**
 * The catalogue of assessed projects: ownership, sites, their pressures on
 * nature, their dependencies and risks.
 */
export default defineCatalogue({
  hierarchy: {
    table: 'entities',
    key: 'entity_key',
    parent: 'parent_key',
    id: 'entity_id',
    share: 'ownership_share',
  },
  relations: [
    ...assessedTables,
    ...[...factorTables, ...placeTables, ...ratingTables].map(forEverybody),
    ...folds,
  ],
  rules,
  examples,
  queries,
  pointOfView: true,
})
