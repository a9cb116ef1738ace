import { defineCatalogue } from 'foldgate'
import { examples } from './examples.js'
import { folds } from './folds.js'
import { tables } from './tables.js'

/** The catalogue of assessed projects: who owns which sites, what they press on nature, need from it and risk. */
export const catalogue = defineCatalogue({
  hierarchy: {
    table: 'entities',
    key: 'entity_key',
    parent: 'parent_key',
    id: 'entity_id',
    share: 'ownership_share',
  },
  relations: [...tables, ...folds],
  examples,
})
