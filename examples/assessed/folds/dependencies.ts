import { defineFold } from 'foldgate'
import {
  amount,
  CATEGORY,
  count,
  ENTITY_ID,
  ENTITY_KEY,
  OUTPUT,
  OWN_SCOPE,
  RATING,
  RATING_VALUE,
  SECTOR_CODE,
  SERVICE,
  SERVICE_CODE,
  SHARE,
  SITE_KEY,
  whole,
} from '../columns.js'

/** What activities need from nature. Ratings are not scaled by ownership: they are the same net and gross. */
export const dependencyFolds = [
  // Counts activities per sector before the join with ratings multiplies them.
  defineFold({
    name: 'entity_dependencies',
    about: 'How far one entity depends on one ecosystem service by its own activities, in no point of view.',
    internal: true,
    reads: ['placed_activities', 'dependencies', 'ecosystem_services'],
    sql: `
      SELECT r.entity_id, r.entity_key, r.service_code, s.service, s.category, 1 AS scope,
             r.max_rating, r.max_rating + CAST(0.99 AS DOUBLE) * r.at_maximum / r.data_points AS score, r.data_points
      FROM (
        SELECT entity_id, entity_key, service_code, max(rating_value) AS max_rating,
               max_by(data_points, rating_value) AS at_maximum, CAST(sum(data_points) AS BIGINT) AS data_points
        FROM (
          SELECT a.entity_id, a.entity_key, d.service_code, d.rating_value,
                 CAST(sum(a.activities) AS BIGINT) AS data_points
          FROM (
            SELECT entity_id, entity_key, sector_code, count(*) AS activities
            FROM placed_activities GROUP BY entity_id, entity_key, sector_code) a
          JOIN dependencies d ON d.sector_code = a.sector_code
          GROUP BY a.entity_id, a.entity_key, d.service_code, d.rating_value)
        GROUP BY entity_id, entity_key, service_code) r
      LEFT JOIN ecosystem_services s ON s.service_code = r.service_code`,
  }),
  defineFold({
    name: 'fold_dependencies',
    about:
      'Dependency of one entity on one ecosystem service, from its own activities alone: the highest rating (1 to 5), ' +
      'a score that adds the proportion of activities rated so high, and how many activities count. An entity ' +
      'without rated activities has no row. Only the entities in view are listed; ownershipView changes no figure.',
    columns: {
      entity_id: ENTITY_ID,
      entity_key: ENTITY_KEY,
      service_code: SERVICE_CODE,
      service: SERVICE,
      category: CATEGORY,
      scope: OWN_SCOPE,
      max_rating: whole('Highest rating among the activities, 1 to 5; NULL where all are undetermined'),
      score: amount(
        'max_rating, plus 0.99 times the part of the activities that have it; NULL as max_rating',
      ),
      data_points: count('Activities that count, also those whose rating is undetermined'),
    },
    unique: ['entity_key', 'service_code'],
    references: { entity_key: 'fold_entities.entity_key', service_code: 'ecosystem_services.service_code' },
    reads: ['entity_dependencies', 'point_of_view'],
    sql: `
      SELECT d.* FROM entity_dependencies d WHERE d.entity_key IN (SELECT entity_key FROM point_of_view)
      ORDER BY d.entity_key, d.service_code`,
  }),
  defineFold({
    name: 'dependency_rows',
    about:
      'One activity and one ecosystem service that its sector relies on, with the rating (1 to 5, NULL when ' +
      'undetermined) and the yearly output at 100 %, in the activity_unit of the sector. share follows ownershipView.',
    columns: {
      entity_id: ENTITY_ID,
      entity_key: ENTITY_KEY,
      site_key: SITE_KEY,
      sector_code: SECTOR_CODE,
      service_code: SERVICE_CODE,
      service: SERVICE,
      category: CATEGORY,
      scope: OWN_SCOPE,
      rating: RATING,
      rating_value: RATING_VALUE,
      output: OUTPUT,
      share: SHARE,
    },
    unique: ['site_key', 'sector_code', 'service_code'],
    references: {
      entity_key: 'fold_entities.entity_key',
      site_key: 'sites.site_key',
      sector_code: 'sectors.sector_code',
      service_code: 'ecosystem_services.service_code',
    },
    reads: ['placed_activities', 'dependencies', 'ecosystem_services', 'point_of_view'],
    sql: `
      SELECT a.entity_id, a.entity_key, a.site_key, a.sector_code, d.service_code, s.service, s.category,
             1 AS scope, d.rating, d.rating_value, a.output, p.share
      FROM placed_activities a
      JOIN point_of_view p ON p.entity_key = a.entity_key
      JOIN dependencies d ON d.sector_code = a.sector_code
      LEFT JOIN ecosystem_services s ON s.service_code = d.service_code
      ORDER BY a.entity_key, a.site_key, a.sector_code, d.service_code`,
  }),
]
