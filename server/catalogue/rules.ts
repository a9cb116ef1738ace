import { defineRule } from 'foldgate'

/** What must hold between several columns: a package that breaks it has totals that are wrong without a sign. */
export const rules = [
  defineRule({
    table: 'entities',
    column: 'entity_key',
    reads: ['sites'],
    wrong: 'SELECT entity_key FROM entities WHERE parent_key IS NULL AND NOT EXISTS (FROM sites)',
    message: 'the root of a project without sites, in which nothing is assessed',
    isWarning: true,
  }),
  ...['factors', 'dependencies', 'pressure_ratings', 'risk_rules'].map(table =>
    defineRule({
      table: 'activities',
      column: 'sector_code',
      reads: [table],
      wrong: `SELECT sector_code FROM activities WHERE NOT EXISTS (FROM ${table})`,
      message: `assessed, and ${table} has no rows`,
      isWarning: table !== 'factors',
    }),
  ),
  defineRule({
    table: 'activities',
    column: 'output_unit',
    reads: ['sectors'],
    wrong: `
      SELECT a.output_unit FROM activities a JOIN sectors s ON s.sector_code = a.sector_code
      WHERE a.output IS NOT NULL AND a.output_unit <> s.activity_unit`,
    message: 'not the activity_unit of the sector, in which factors are given',
  }),
  defineRule({
    table: 'factors',
    column: 'pressure_indicator',
    reads: ['characterisation'],
    wrong: `
      SELECT f.pressure_indicator || ' in ' || f.unit FROM factors f
      ANTI JOIN characterisation c ON c.pressure_indicator = f.pressure_indicator AND c.unit = f.unit`,
    message: 'not in characterisation, with or without a figure',
  }),
  defineRule({
    table: 'factors',
    column: 'ipbes_pressure',
    reads: ['characterisation'],
    wrong: `
      SELECT f.ipbes_pressure FROM factors f
      JOIN characterisation c ON c.pressure_indicator = f.pressure_indicator AND c.unit = f.unit
      WHERE f.ipbes_pressure <> c.ipbes_pressure`,
    message: 'not the driver that characterisation has for the indicator',
  }),
  defineRule({
    table: 'sites',
    column: 'iso3',
    reads: ['activities', 'factors'],
    wrong: `
      SELECT s.iso3 FROM sites s WHERE s.iso3 IS NULL AND EXISTS (
        SELECT 1 FROM activities a JOIN factors f ON f.sector_code = a.sector_code
        WHERE a.site_key = s.site_key AND f.multiplier = 'grid')`,
    message: 'the country of sites whose sectors take electricity from the grid, so that pressure is left out',
    isWarning: true,
  }),
  ...['dependencies', 'pressure_ratings', 'sector_estimates'].map(table =>
    defineRule({
      table,
      column: 'rating',
      wrong: `
        SELECT rating || ' with ' || coalesce(rating_value::VARCHAR, 'no value') FROM ${table}
        WHERE rating IS NOT NULL
          AND rating_value IS DISTINCT FROM nullif(list_position(['VL', 'L', 'M', 'H', 'VH'], rating), 0)`,
      message: 'no rating with its value: VL is 1, L 2, M 3, H 4, VH 5, and ND has none',
      isWarning: true,
    }),
  ),
  ...['sites', 'factors', 'characterisation', 'capacity_factors', 'commodities'].map(table =>
    defineRule({
      table,
      column: 'source_id',
      reads: ['sources'],
      wrong: `
        SELECT source_id FROM (SELECT source_id, unnest(string_split(source_id, '+')) AS one FROM ${table})
        WHERE one NOT IN (SELECT source_id FROM sources)`,
      message: 'not in sources.source_id; a + joins several',
      isWarning: true,
    }),
  ),
  defineRule({
    table: 'capacity_factors',
    column: 'iso3',
    reads: ['countries'],
    wrong: `SELECT iso3 FROM capacity_factors WHERE iso3 <> '*' AND iso3 NOT IN (SELECT iso3 FROM countries)`,
    message: 'not in countries.iso3, and not *',
  }),
  defineRule({
    table: 'risk_rules',
    column: 'source_code',
    reads: ['ecosystem_services', 'encore_pressures'],
    wrong: `
      SELECT source_code FROM risk_rules
      WHERE CASE source_kind WHEN 'dependency' THEN source_code NOT IN (SELECT service_code FROM ecosystem_services)
                             ELSE source_code NOT IN (SELECT pressure_code FROM encore_pressures) END`,
    message: 'no ecosystem service (of a dependency) or pressure (of a pressure)',
  }),
  defineRule({
    table: 'exposure_scales',
    column: 'exposure_basis',
    wrong: 'SELECT exposure_basis FROM exposure_scales GROUP BY ALL HAVING count(*) = count(key)',
    message: 'without the row that has no key, which is the exposure of places that are not on the scale',
  }),
  defineRule({
    table: 'exposure_scales',
    column: 'key',
    reads: ['biomes', 'ecoregions'],
    wrong: `
      SELECT key FROM exposure_scales WHERE key IS NOT NULL
        AND CASE exposure_basis WHEN 'dryness' THEN key NOT IN (SELECT biome_num FROM biomes)
                                ELSE key NOT BETWEEN 1 AND 4 END`,
    message: 'no biome_num (of dryness) or nnh (of nature_condition)',
  }),
]
