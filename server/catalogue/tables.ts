import { assessedTables } from './tables/assessed.js'
import { factorTables } from './tables/factors.js'
import { placeTables } from './tables/places.js'
import { ratingTables } from './tables/ratings.js'

/** All tables of a snapshot: first what is assessed, then factors, places and ratings. */
export const tables = [...assessedTables, ...factorTables, ...placeTables, ...ratingTables]
