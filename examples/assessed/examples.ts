import type { QueryExample } from 'foldgate'
import { cautions } from './examples/cautions.js'

/** Worked queries over the catalogue. */
export const examples: readonly QueryExample[] = [
  {
    question: 'By which drivers do we harm nature most?',
    sql: `SELECT ipbes_pressure, value, unit
FROM dash_ipbes
ORDER BY value DESC NULLS LAST, ipbes_pressure`,
  },
  {
    question: 'What part of the total damage does each driver make up, in percent?',
    sql: `SELECT ipbes_pressure, round(100 * value / sum(value) OVER (), 1) AS percent
FROM dash_ipbes
WHERE value IS NOT NULL
ORDER BY percent DESC, ipbes_pressure`,
  },
  {
    question: 'How much of each pressure is ours, and how much would it be at full ownership?',
    sql: `SELECT pressure_indicator, unit, scope, sum(net) AS net, sum(gross) AS gross
FROM fold_pressures
GROUP BY pressure_indicator, unit, scope
ORDER BY pressure_indicator, unit, scope`,
  },
  {
    question: 'In which biomes is most water consumed?',
    sql: `SELECT coalesce(biome, 'unknown') AS biome, unit, net, sites
FROM fold_pressures
WHERE pressure_indicator = 'water_consumption' AND scope = 1
ORDER BY net DESC, biome
LIMIT 10`,
  },
  {
    question: 'Which pressures cost the most species, indicator by indicator?',
    sql: `SELECT p.pressure_indicator, p.unit, p.scope, sum(p.net * c.species_yr_per_unit) AS species_yr
FROM fold_pressures AS p
JOIN characterisation AS c ON c.pressure_indicator = p.pressure_indicator AND c.unit = p.unit
GROUP BY p.pressure_indicator, p.unit, p.scope
ORDER BY species_yr DESC NULLS LAST, p.pressure_indicator, p.unit, p.scope`,
  },
  {
    question: 'Which risks are rated high at the most sites?',
    sql: `SELECT risk_code, risk, risk_type, high_sites, sites, round(net_mean_score, 2) AS net_mean_score
FROM fold_risks
ORDER BY high_sites DESC, risk_code
LIMIT 10`,
  },
  {
    question: 'At which sites do the gravest risks pile up?',
    sql: `SELECT r.site_key, s.name, s.iso3, count(*) AS grave_risks, max(r.score) AS max_score
FROM risk_rows AS r
JOIN sites AS s ON s.site_key = r.site_key
WHERE r.level = 'very high'
GROUP BY r.site_key, s.name, s.iso3
ORDER BY grave_risks DESC, r.site_key
LIMIT 25`,
  },
  {
    question: 'How do the levels of physical and of transition risks compare?',
    sql: `SELECT risk_type, level, count(*) AS findings, count(DISTINCT site_key) AS sites, sum(share) AS weighted_findings
FROM risk_rows
GROUP BY risk_type, level
ORDER BY risk_type, level`,
  },
  {
    question: 'Which entities lean hardest on the supply of water?',
    sql: `SELECT d.entity_key, e.name, d.max_rating, d.score, d.data_points
FROM fold_dependencies AS d
JOIN (SELECT DISTINCT entity_key, name FROM entities) AS e ON e.entity_key = d.entity_key
WHERE d.service_code = 'WATER_SUPPLY'
ORDER BY d.score DESC NULLS LAST, d.entity_key
LIMIT 20`,
  },
  {
    question: 'On which ecosystem services do the most entities depend strongly?',
    sql: `SELECT service_code, service, category, count(*) AS entities
FROM fold_dependencies
WHERE max_rating >= 4
GROUP BY service_code, service, category
ORDER BY entities DESC, service_code`,
  },
  {
    question: 'How much of our electricity output rests on each service that it needs strongly?',
    sql: `SELECT d.service_code, d.service, sum(d.output * d.share) AS gwh
FROM dependency_rows AS d
JOIN sectors AS s ON s.sector_code = d.sector_code
WHERE d.rating_value >= 4 AND s.activity_unit = 'GWh'
GROUP BY d.service_code, d.service
ORDER BY gwh DESC NULLS LAST, d.service_code`,
  },
  {
    question: 'In which countries do we emit most carbon dioxide?',
    sql: `SELECT r.iso3, c.name, r.unit, sum(r.value * r.share) AS net, count(DISTINCT r.site_key) AS sites
FROM pressure_rows AS r
JOIN countries AS c ON c.iso3 = r.iso3
WHERE r.pressure_indicator = 'co2' AND r.scope = 1
GROUP BY r.iso3, c.name, r.unit
ORDER BY net DESC, r.iso3
LIMIT 20`,
  },
  {
    question: 'Which entities in view run activities that have no dependency data?',
    sql: `SELECT DISTINCT s.entity_key
FROM point_of_view AS v
JOIN sites AS s ON s.entity_key = v.entity_key
JOIN activities AS a ON a.site_key = s.site_key
EXCEPT
SELECT entity_key
FROM fold_dependencies
ORDER BY entity_key`,
  },
  {
    question: 'Which ten activities in view have the largest capacity in MW?',
    sql: `SELECT a.site_key, s.name, a.sector_code, a.capacity, a.output
FROM point_of_view AS v
JOIN sites AS s ON s.entity_key = v.entity_key
JOIN activities AS a ON a.site_key = s.site_key
WHERE a.capacity_unit = 'MW'
ORDER BY a.capacity DESC NULLS LAST, a.site_key, a.sector_code
LIMIT 10`,
  },
  ...cautions,
]
