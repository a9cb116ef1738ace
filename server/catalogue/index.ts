import { defineCatalogue } from 'foldgate'
import { examples } from './examples.js'
import { folds } from './folds.js'
import { rules } from './rules.js'
import { tables } from './tables.js'

/**
 * The catalogue of assessed projects: ownership, sites, their pressures on
 * nature, their dependencies and risks.
 */
export const catalogue = defineCatalogue({
  hierarchy: {
    table: 'entities',
    key: 'entity_key',
    parent: 'parent_key',
    id: 'entity_id',
    share: 'ownership_share',
  },
  relations: [...tables, ...folds],
  rules,
  examples,
  pointOfView: true,
})
