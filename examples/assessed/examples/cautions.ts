import type { QueryExample } from 'foldgate'

/** Worked queries for what is easily misread: each does what a first guess leaves out. */
export const cautions: readonly QueryExample[] = [
  {
    question: 'How much greenhouse gas do we emit in all, in tonnes of CO2 equivalent, by scope?',
    sql: `SELECT p.scope, sum(p.net * c.species_yr_per_unit / e.species_yr_per_unit) AS net_t_co2e
FROM fold_pressures AS p
JOIN characterisation AS c ON c.pressure_indicator = p.pressure_indicator AND c.unit = p.unit
JOIN characterisation AS e ON e.pressure_indicator = 'co2e' AND e.unit = 't'
WHERE p.ipbes_pressure = 'climate change'
GROUP BY p.scope
ORDER BY p.scope`,
  },
  {
    question: 'How much of our direct carbon dioxide is reported, and how much is computed from output?',
    sql: `SELECT basis, unit, sum(net) AS net, count(DISTINCT site_key) AS sites
FROM (
  SELECT CASE WHEN a.reported_co2_t IS NULL THEN 'computed' ELSE 'reported' END AS basis, r.unit,
         r.value * r.share AS net, r.site_key
  FROM pressure_rows AS r
  JOIN activities AS a ON a.site_key = r.site_key AND a.sector_code = r.sector_code
  WHERE r.pressure_indicator = 'co2' AND r.scope = 1) AS t
GROUP BY basis, unit
ORDER BY basis, unit`,
  },
  {
    question: 'Where do the factors of our greenhouse gases come from?',
    sql: `SELECT f.sector_code, f.pressure_indicator, f.scope, f.factor_per_activity_unit, f.unit, f.multiplier,
       s.activity_unit, f.how, o.source_id, o.title
FROM factors AS f
JOIN sectors AS s ON s.sector_code = f.sector_code
LEFT JOIN sources AS o ON strpos('+' || f.source_id || '+', '+' || o.source_id || '+') > 0
WHERE f.ipbes_pressure = 'climate change' AND f.sector_code IN (SELECT sector_code FROM pressure_rows)
ORDER BY f.sector_code, f.pressure_indicator, f.unit, f.scope, o.source_id`,
  },
  {
    question: 'Which of our pressures are in no total of damage, as no conversion is known?',
    sql: `SELECT p.pressure_indicator, p.unit, p.ipbes_pressure, sum(p.net) AS net
FROM fold_pressures AS p
LEFT JOIN characterisation AS c ON c.pressure_indicator = p.pressure_indicator AND c.unit = p.unit
WHERE c.species_yr_per_unit IS NULL
GROUP BY p.pressure_indicator, p.unit, p.ipbes_pressure
ORDER BY p.pressure_indicator, p.unit`,
  },
  {
    question: 'Which risks were excluded, for the whole project or for which entity?',
    sql: `SELECT x.risk_code, r.risk, x.entity_key,
       CASE WHEN x.entity_key IS NULL THEN 'the whole project' ELSE e.name END AS excluded_for, x.note
FROM risk_exclusions AS x
JOIN risk_rules AS r ON r.risk_code = x.risk_code
LEFT JOIN fold_entities AS e ON e.entity_key = x.entity_key
WHERE x.entity_key IS NULL OR e.entity_key IS NOT NULL
ORDER BY x.risk_code, x.entity_key, x.note`,
  },
  {
    question: 'How many findings does each level of risk have, from very high to low?',
    sql: `SELECT level, min(score) AS least_score, max(score) AS most_score, count(*) AS findings,
       count(DISTINCT site_key) AS sites
FROM risk_rows
GROUP BY level
ORDER BY max(score) DESC`,
  },
  {
    question: 'Which of our dependencies are undetermined, and at how many sites?',
    sql: `SELECT sector_code, service_code, service, rating, count(DISTINCT site_key) AS sites
FROM dependency_rows
WHERE rating_value IS NULL
GROUP BY sector_code, service_code, service, rating
ORDER BY sector_code, service_code`,
  },
  {
    question: 'How many entities of each kind are in view?',
    sql: `SELECT kind, count(*) AS entities
FROM fold_entities
GROUP BY kind
ORDER BY entities DESC, kind`,
  },
  {
    question: 'Who holds which entity directly, with what share, and how much of it is ours?',
    sql: `SELECT h.name AS holder, f.entity_key, f.name, e.ownership_share, v.share AS our_share
FROM entities AS e
JOIN fold_entities AS f ON f.entity_key = e.entity_key
JOIN fold_entities AS h ON h.entity_key = e.parent_key
JOIN point_of_view AS v ON v.entity_key = e.entity_key
ORDER BY f.entity_key, h.entity_key`,
  },
  {
    question: 'How much do we produce per year, at our share and in full?',
    sql: `SELECT c.activity_unit AS unit, sum(a.output * v.share) AS at_our_share, sum(a.output) AS in_full
FROM point_of_view AS v
JOIN sites AS s ON s.entity_key = v.entity_key
JOIN activities AS a ON a.site_key = s.site_key
JOIN sectors AS c ON c.sector_code = a.sector_code
WHERE a.output IS NOT NULL
GROUP BY c.activity_unit
ORDER BY c.activity_unit`,
  },
  {
    question: 'How did our output change against the earlier year, where both are known?',
    sql: `SELECT c.activity_unit AS unit, count(*) AS activities, sum(a.output * v.share) AS output,
       sum(a.output_prev * v.share) AS earlier_output,
       100 * (sum(a.output * v.share) / nullif(sum(a.output_prev * v.share), 0) - 1) AS percent
FROM point_of_view AS v
JOIN sites AS s ON s.entity_key = v.entity_key
JOIN activities AS a ON a.site_key = s.site_key
JOIN sectors AS c ON c.sector_code = a.sector_code
WHERE a.output IS NOT NULL AND a.output_prev IS NOT NULL
GROUP BY c.activity_unit
ORDER BY c.activity_unit`,
  },
  {
    question: 'How do our direct subsidiaries compare in carbon dioxide, each with all that it holds?',
    sql: `WITH top AS (
  SELECT entity_key FROM ownership_paths GROUP BY entity_key HAVING max(depth) = 0)
SELECT e.entity_key, e.name, v.share AS our_share, sum(r.value * o.share) * v.share AS ours_t,
       sum(r.value * o.share) AS net_t, sum(r.value) AS gross_t
FROM ownership_paths AS o
JOIN fold_entities AS e ON e.entity_key = o.ancestor_key
JOIN point_of_view AS v ON v.entity_key = e.entity_key
JOIN pressure_rows AS r ON r.entity_key = o.entity_key
WHERE r.pressure_indicator = 'co2' AND r.scope = 1 AND o.ancestor_key IN (
  SELECT p.entity_key FROM ownership_paths AS p JOIN top ON top.entity_key = p.ancestor_key WHERE p.depth = 1)
GROUP BY e.entity_key, e.name, v.share
ORDER BY net_t DESC, e.entity_key`,
  },
  {
    question: 'Which companies do nature most damage, each with all that it holds?',
    sql: `SELECT e.entity_key, e.name, e.country, sum(r.value * o.share * c.species_yr_per_unit) AS species_yr
FROM ownership_paths AS o
JOIN fold_entities AS e ON e.entity_key = o.ancestor_key
JOIN pressure_rows AS r ON r.entity_key = o.entity_key
JOIN characterisation AS c ON c.pressure_indicator = r.pressure_indicator AND c.unit = r.unit
WHERE e.kind = 'company'
GROUP BY e.entity_key, e.name, e.country
ORDER BY species_yr DESC NULLS LAST, e.entity_key
LIMIT 10`,
  },
]
