import { defineFold } from 'foldgate'
import {
  amount,
  count,
  ENTITY_ID,
  ENTITY_KEY,
  RISK,
  RISK_CODE,
  RISK_TYPE,
  SECTOR_CODE,
  SHARE,
  SITE_KEY,
  SOURCE_CODE,
  text,
  whole,
} from '../columns.js'

/** The least first. */
const LEVELS = ['low', 'medium', 'high', 'very high']

/** Risks of sites: severity from the ratings of a sector, exposure from the place. */
export const riskFolds = [
  // Who sees some entities alone sees no exclusion of the whole project in the table, but its risks are excluded.
  defineFold({
    name: 'excluded_risks',
    about: 'One excluded risk, in the whole project or at the sites of one entity, without remarks of users.',
    internal: true,
    rowLimits: 'none',
    reads: ['risk_exclusions'],
    sql: 'SELECT risk_code, entity_key FROM risk_exclusions',
  }),
  // Project-wide exclusions apply before the join with sites multiplies the rules; a NULL entity_key matches
  // no site. Matches of the last LEFT JOIN are dropped: with NOT EXISTS instead, DuckDB takes a fifth longer.
  defineFold({
    name: 'site_risks',
    about: 'One risk of one activity at its site that nobody excluded, in no point of view.',
    internal: true,
    reads: [
      'placed_activities',
      'dependencies',
      'pressure_ratings',
      'risk_rules',
      'exposure_scales',
      'excluded_risks',
    ],
    sql: `
      WITH ratings AS (
        SELECT 'dependency' AS source_kind, sector_code, service_code AS source_code, rating_value FROM dependencies
        UNION ALL
        SELECT 'pressure', sector_code, pressure_code, rating_value FROM pressure_ratings),
      sector_risks AS (
        SELECT t.sector_code, r.risk_code, r.source_code, t.rating_value AS severity, r.exposure_basis
        FROM risk_rules r
        JOIN ratings t ON t.source_kind = r.source_kind AND t.source_code = r.source_code
        WHERE t.rating_value >= r.min_severity
          AND r.risk_code NOT IN (SELECT risk_code FROM excluded_risks WHERE entity_key IS NULL)),
      exposed AS (
        SELECT a.entity_id, a.entity_key, a.site_key, a.sole, a.sector_code, r.risk_code, r.source_code, r.severity,
               coalesce(x.exposure, neutral.exposure) AS exposure,
               r.severity * coalesce(x.exposure, neutral.exposure) AS score
        FROM placed_activities a
        JOIN sector_risks r ON r.sector_code = a.sector_code
        LEFT JOIN exposure_scales x
          ON x.exposure_basis = r.exposure_basis
         AND x.key = CASE r.exposure_basis WHEN 'nature_condition' THEN a.nnh WHEN 'dryness' THEN a.biome_num END
        LEFT JOIN exposure_scales neutral ON neutral.exposure_basis = r.exposure_basis AND neutral.key IS NULL
        LEFT JOIN excluded_risks e ON e.risk_code = r.risk_code AND e.entity_key = a.entity_key
        WHERE e.risk_code IS NULL)
      SELECT *, CASE WHEN score >= 20 THEN 'very high' WHEN score >= 12 THEN 'high' WHEN score >= 6 THEN 'medium'
                     WHEN score < 6 THEN 'low' END AS level
      FROM exposed`,
  }),
  // A site has one entity, so site counts of entities can be added up later.
  defineFold({
    name: 'risk_totals',
    about: 'What one entity adds to the figures of one risk, before any ownership share.',
    internal: true,
    reads: ['site_risks'],
    sql: `
      SELECT risk_code, entity_key, count(*) AS risk_count, CAST(sum(score) AS BIGINT) AS score_sum, max(score) AS max_score,
             count(*) FILTER (WHERE sole) + count(DISTINCT site_key) FILTER (WHERE NOT sole) AS sites,
             count(*) FILTER (WHERE sole AND high)
               + count(DISTINCT site_key) FILTER (WHERE NOT sole AND high) AS high_sites
      FROM (SELECT *, level IN ('high', 'very high') AS high FROM site_risks)
      GROUP BY risk_code, entity_key`,
  }),
  defineFold({
    name: 'fold_risks',
    about:
      'One risk over all it touches in view: the number of sites, the highest and the mean score (1 to 25) of its ' +
      'risk_rows, the mean weighted by their share, and the sites where it is high or very high. Only ' +
      'net_mean_score follows ownershipView. A risk that a user excluded is left out.',
    columns: {
      risk_code: RISK_CODE,
      risk_type: RISK_TYPE,
      risk: RISK,
      // A site may have several risks.
      sites: { ...count('Sites in view that have the risk, not weighed'), additive: false },
      max_score: { ...whole('Highest score in view, 1 to 25'), additive: false },
      mean_score: { ...amount('Mean score of the risk_rows in view, 1 to 25, not weighed'), additive: false },
      net_mean_score: {
        ...amount('Mean score weighed by share, 1 to 25; NULL where all shares are 0'),
        additive: false,
      },
      high_sites: {
        ...count('Sites in view where the risk is high or very high, not weighed'),
        additive: false,
      },
    },
    unique: ['risk_code'],
    references: { risk_code: 'risk_rules.risk_code' },
    reads: ['risk_totals', 'risk_rules', 'point_of_view'],
    sql: `
      SELECT r.risk_code, r.risk_type, r.risk, CAST(sum(t.sites) AS BIGINT) AS sites,
             max(t.max_score) AS max_score, CAST(sum(t.score_sum) AS DOUBLE) / sum(t.risk_count) AS mean_score,
             sum(t.score_sum * p.share) / nullif(sum(t.risk_count * p.share), 0) AS net_mean_score,
             CAST(sum(t.high_sites) AS BIGINT) AS high_sites
      FROM risk_totals t
      JOIN point_of_view p ON p.entity_key = t.entity_key
      JOIN risk_rules r ON r.risk_code = t.risk_code
      GROUP BY r.risk_code, r.risk_type, r.risk
      ORDER BY r.risk_code`,
  }),
  defineFold({
    name: 'risk_rows',
    about:
      'One risk of one activity at its site: severity and exposure (1 to 5 each), score as their product, its level. ' +
      'share follows ownershipView. A risk that a user excluded for the project, or for the entity of the site, is ' +
      'left out.',
    columns: {
      risk_code: RISK_CODE,
      risk_type: RISK_TYPE,
      risk: RISK,
      entity_id: ENTITY_ID,
      entity_key: ENTITY_KEY,
      site_key: SITE_KEY,
      sector_code: SECTOR_CODE,
      source_code: SOURCE_CODE,
      severity: whole('Severity: the rating of the sector, 1 to 5'),
      exposure: whole(
        'Exposure of the place, 1 (low) to 5, by what exposure_basis of risk_rules says; where the place is unknown, ' +
          'that of the NULL key in exposure_scales',
      ),
      score: whole('Severity times exposure, 1 to 25: a high score does not say which of them is high'),
      level: {
        ...text(
          'Level of the risk by its score: low, medium (from 6), high (from 12), very high (from 20). As text, the levels sort ' +
            'otherwise: order by score',
        ),
        order: LEVELS,
      },
      share: SHARE,
    },
    unique: ['risk_code', 'site_key', 'sector_code'],
    references: {
      risk_code: 'risk_rules.risk_code',
      entity_key: 'fold_entities.entity_key',
      site_key: 'sites.site_key',
      sector_code: 'sectors.sector_code',
    },
    values: { level: LEVELS },
    reads: ['site_risks', 'risk_rules', 'point_of_view'],
    sql: `
      SELECT s.risk_code, r.risk_type, r.risk, s.entity_id, s.entity_key, s.site_key, s.sector_code, s.source_code,
             s.severity, s.exposure, s.score, s.level, p.share
      FROM site_risks s
      JOIN point_of_view p ON p.entity_key = s.entity_key
      JOIN risk_rules r ON r.risk_code = s.risk_code
      ORDER BY s.risk_code, s.entity_key, s.site_key, s.sector_code`,
  }),
]
