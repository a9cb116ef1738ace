import { defineQuery } from 'foldgate'
import {
  amount,
  BIOME,
  count,
  DRIVER,
  ENTITY_KEY,
  ISO3,
  RISK_CODE,
  SERVICE,
  SERVICE_CODE,
  SITE_KEY,
  text,
  whole,
} from './columns.js'

const indicator = {
  type: 'VARCHAR',
  about: 'What is measured, such as co2 or water_consumption: a pressure_indicator of fold_pressures',
}
const scope = {
  type: 'INTEGER',
  about: '1: own activities, 2: purchased energy, 3: value chain',
  values: [1, 2, 3],
  default: 1,
}
const UNIT = text('Unit of net')
const NET = amount('Per year, each entity at its share; as a whole when the call asks for gross')

/** What reports ask again and again: callers run these by name, and send no SQL. */
export const queries = [
  defineQuery({
    name: 'drivers_of_nature_loss',
    version: 1,
    about: 'What part of the damage to nature does each driver make up?',
    parameters: {
      least_percent: { type: 'DOUBLE', about: 'Smallest part that is listed, 0 to 100', default: 0 },
    },
    columns: {
      driver: DRIVER,
      damage: amount('Species lost', 'species.yr'),
      percent: amount('Part of the damage of all drivers', '%'),
    },
    sql: `
      SELECT driver, damage, percent
      FROM (SELECT ipbes_pressure AS driver, value AS damage, 100 * value / sum(value) OVER () AS percent
            FROM dash_ipbes WHERE value IS NOT NULL)
      WHERE percent >= $least_percent
      ORDER BY percent DESC, driver`,
  }),
  defineQuery({
    name: 'pressure_by_country',
    version: 1,
    about: 'In which countries does a pressure arise?',
    parameters: { indicator, scope },
    columns: {
      iso3: { ...ISO3, about: `${ISO3.about}; NULL where it is unknown` },
      country: text('Name of the country; NULL where there is none'),
      unit: UNIT,
      net: NET,
      sites: count('Sites in view that add to it, not weighed'),
    },
    sql: `
      SELECT r.iso3, c.name AS country, r.unit, sum(r.value * r.share) AS net, count(DISTINCT r.site_key) AS sites
      FROM pressure_rows AS r
      LEFT JOIN countries AS c ON c.iso3 = r.iso3
      WHERE r.pressure_indicator = $indicator AND r.scope = $scope
      GROUP BY r.iso3, c.name, r.unit
      ORDER BY net DESC, r.iso3`,
  }),
  defineQuery({
    name: 'pressure_by_biome',
    version: 1,
    about: 'In which biomes does a pressure of our own activities arise?',
    parameters: { indicator },
    columns: {
      biome: BIOME,
      unit: UNIT,
      net: NET,
      gross: amount('Per year, each entity as a whole'),
    },
    sql: `
      SELECT biome, unit, sum(net) AS net, sum(gross) AS gross
      FROM fold_pressures
      WHERE pressure_indicator = $indicator AND scope = 1
      GROUP BY biome, unit
      ORDER BY net DESC, biome`,
  }),
  defineQuery({
    name: 'pressure_by_entity',
    version: 1,
    about: 'Which entities cause a pressure, and how much of it is ours?',
    parameters: {
      indicator,
      scope,
      countries: {
        type: 'VARCHAR[]',
        about: 'Countries of the sites, as ISO 3166 codes of three letters; NULL for all',
        default: null,
      },
    },
    columns: {
      entity_key: ENTITY_KEY,
      name: text('Name of the entity'),
      unit: UNIT,
      net: NET,
      gross: amount('Per year, the entity as a whole'),
    },
    sql: `
      SELECT r.entity_key, e.name, r.unit, sum(r.value * r.share) AS net, sum(r.value) AS gross
      FROM pressure_rows AS r
      JOIN fold_entities AS e ON e.entity_key = r.entity_key
      WHERE r.pressure_indicator = $indicator AND r.scope = $scope
        AND ($countries IS NULL OR list_contains($countries, r.iso3))
      GROUP BY r.entity_key, e.name, r.unit
      ORDER BY net DESC, r.entity_key`,
  }),
  defineQuery({
    name: 'sites_at_risk',
    version: 1,
    about: 'At which sites is a risk high, and which one is the gravest?',
    parameters: {
      least_score: {
        type: 'INTEGER',
        about: 'Lowest score that counts, 1 to 25: 12 is high, 20 very high',
        default: 12,
      },
      risk_type: { type: 'VARCHAR', about: 'Type of risk, such as physical; NULL for all', default: null },
    },
    columns: {
      site_key: SITE_KEY,
      name: text('Name of the site'),
      iso3: { ...ISO3, about: `${ISO3.about}; NULL where it is unknown` },
      risks: count('Risks with such a score'),
      max_score: whole('Highest score'),
      gravest: {
        ...RISK_CODE,
        about: 'Code of the risk with the highest score, the first by code of several',
      },
    },
    sql: `
      SELECT r.site_key, s.name, s.iso3, count(DISTINCT r.risk_code) AS risks, max(r.score) AS max_score,
             first(r.risk_code ORDER BY r.score DESC, r.risk_code) AS gravest
      FROM risk_rows AS r
      JOIN sites AS s ON s.site_key = r.site_key
      WHERE r.score >= $least_score AND ($risk_type IS NULL OR r.risk_type = $risk_type)
      GROUP BY r.site_key, s.name, s.iso3
      ORDER BY max_score DESC, risks DESC, r.site_key`,
  }),
  defineQuery({
    name: 'dependencies_on_nature',
    version: 1,
    about: 'On which services of nature do how many entities depend strongly?',
    parameters: {
      least_rating: {
        type: 'INTEGER',
        about: 'Lowest rating that counts: 5 is very high',
        values: [1, 2, 3, 4, 5],
        default: 4,
      },
    },
    columns: {
      service_code: SERVICE_CODE,
      service: SERVICE,
      entities: count('Entities in view with such a rating, not weighed'),
      max_rating: whole('Highest rating among them, 1 to 5'),
    },
    sql: `
      SELECT service_code, service, count(*) AS entities, max(max_rating) AS max_rating
      FROM fold_dependencies
      WHERE max_rating >= $least_rating
      GROUP BY service_code, service
      ORDER BY entities DESC, service_code`,
  }),
]
