import { defineFold } from 'foldgate'
import { dependencyFolds } from './folds/dependencies.js'
import { entityFolds } from './folds/entities.js'
import { pressureFolds } from './folds/pressures.js'
import { riskFolds } from './folds/risks.js'

/**
 * One row per activity, with its entity and the attributes of its place, however many holders the entity has.
 * `sole` marks the only activity of a site: folds count these rows as they are, and only the others by
 * distinct site, which takes a fraction of the time.
 */
const placedActivities = defineFold({
  name: 'placed_activities',
  about: 'One activity with the entity of its site and the biome, the nature condition and the grid there.',
  internal: true,
  reads: ['entities', 'sites', 'activities', 'biomes', 'ecoregions', 'countries'],
  sql: `
    SELECT e.entity_id, s.entity_key, s.site_key, a.sector_code, a.output, a.reported_co2_t,
           count(*) OVER (PARTITION BY a.site_key) = 1 AS sole,
           s.iso3, s.biome_num, b.biome, r.nnh, c.grid_tco2e_per_mwh
    FROM activities a
    JOIN sites s ON s.site_key = a.site_key
    JOIN (SELECT entity_key, any_value(entity_id) AS entity_id FROM entities GROUP BY entity_key) e
      ON e.entity_key = s.entity_key
    LEFT JOIN biomes b ON b.biome_num = s.biome_num
    LEFT JOIN ecoregions r ON r.ecoregion_id = s.ecoregion_id
    LEFT JOIN countries c ON c.iso3 = s.iso3
    ORDER BY s.entity_key, s.site_key, a.sector_code`,
})

/**
 * All folds; each reads only those before it. Their SQL runs on DuckDB and on Trino with the same result (but
 * for WITH RECURSIVE, which DuckDB computes for both), so it has no `::`, `GROUP BY ALL`, SEMI or ANTI JOIN, `FILTER` without WHERE, or alias that its own SELECT
 * reads; quotients and decimal literals are cast to DOUBLE.
 */
export const folds = [placedActivities, ...riskFolds, ...dependencyFolds, ...pressureFolds, ...entityFolds]
