import { defineRule } from 'foldgate'

/**
 * Rules that must hold between several columns: a package that breaks one has totals that are wrong without a sign.
 */
export const rules = [
  defineRule({
    table: 'entities',
    column: 'entity_key',
    reads: ['sites'],
    wrong: 'SELECT entity_key FROM entities WHERE parent_key IS NULL AND NOT EXISTS (FROM sites)',
    message: 'the root of a project without sites, in which nothing is assessed',
    isWarning: true,
  }),
  defineRule({
    table: 'entities',
    column: 'entity_key',
    wrong: `
      SELECT entity_key FROM entities GROUP BY entity_key
      HAVING count(*) > 1 AND max(ownership_share) <= 1 AND sum(ownership_share) > 1 + 1e-9`,
    message: 'held with shares that add up to more than 1',
  }),
  ...[
    ['entities', 'entity_key'],
    ['sites', 'site_key'],
    ['sectors', 'sector_code'],
  ].map(([table = '', column = '']) =>
    defineRule({
      table,
      column,
      wrong: `SELECT ${column} FROM ${table} WHERE ${column} <> trim(${column})`,
      message: 'a key that begins or ends with a space, and so another key than without',
      isWarning: true,
    }),
  ),
  defineRule({
    table: 'sites',
    column: 'site_key',
    reads: ['activities'],
    wrong: `
      SELECT s.site_key FROM sites s ANTI JOIN activities a ON a.site_key = s.site_key
      WHERE EXISTS (FROM activities)`,
    message: 'without an activity, so nothing is computed there',
    isWarning: true,
  }),
  defineRule({
    table: 'sites',
    column: 'biome_num',
    reads: ['ecoregions'],
    wrong: `
      SELECT s.biome_num FROM sites s JOIN ecoregions e ON e.ecoregion_id = s.ecoregion_id
      WHERE s.biome_num <> e.biome_num`,
    message: 'not the biome of the ecoregion of the site',
    isWarning: true,
  }),
  defineRule({
    table: 'activities',
    column: 'sector_code',
    reads: ['factors'],
    wrong: 'SELECT sector_code FROM activities WHERE NOT EXISTS (FROM factors)',
    message: 'assessed, and factors has no rows',
  }),
  ...[
    ['factors', 'pressure'],
    ['dependencies', 'dependency'],
    ['pressure_ratings', 'risk from its pressures'],
  ].map(([table = '', what = '']) =>
    defineRule({
      table: 'activities',
      column: 'sector_code',
      reads: [table],
      wrong: `SELECT a.sector_code FROM activities a ANTI JOIN ${table} t ON t.sector_code = a.sector_code`,
      message: `without rows in ${table}, so such activities have no ${what}`,
      isWarning: true,
    }),
  ),
  defineRule({
    table: 'activities',
    column: 'sector_code',
    reads: ['risk_rules'],
    wrong: 'SELECT sector_code FROM activities WHERE NOT EXISTS (FROM risk_rules)',
    message: 'assessed, and risk_rules has no rows, so there are no risks',
    isWarning: true,
  }),
  defineRule({
    table: 'activities',
    column: 'reported_co2_t',
    reads: ['factors'],
    wrong: `
      SELECT a.reported_co2_t FROM activities a WHERE a.reported_co2_t IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM factors f
        WHERE f.sector_code = a.sector_code AND f.pressure_indicator = 'co2' AND f.scope = 1)`,
    message: 'reported in a sector without a factor of co2 in scope 1, so it is left out',
    isWarning: true,
  }),
  defineRule({
    table: 'activities',
    column: 'output',
    reads: ['factors'],
    wrong: `
      SELECT a.output FROM activities a WHERE a.output IS NULL AND EXISTS (
        SELECT 1 FROM factors f WHERE f.sector_code = a.sector_code AND f.multiplier <> 'per_site')`,
    message: 'the output of activities whose pressures are then left out',
    isWarning: true,
  }),
  defineRule({
    table: 'activities',
    column: 'output_unit',
    reads: ['sectors'],
    wrong: `
      SELECT a.output_unit FROM activities a JOIN sectors s ON s.sector_code = a.sector_code
      WHERE a.output IS NOT NULL AND (a.output_unit IS NULL OR s.activity_unit IS NULL)`,
    message: 'the unit of outputs, which cannot be compared with the activity_unit of their sector',
    isWarning: true,
  }),
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
    message:
      'the country of sites whose sectors take electricity from the grid, so that pressure is left out',
    isWarning: true,
  }),
  ...['dependencies', 'pressure_ratings', 'sector_estimates'].map(table =>
    defineRule({
      table,
      column: 'rating',
      wrong: `
        SELECT coalesce(rating, 'no rating') || ' with ' || coalesce(rating_value::VARCHAR, 'no value') FROM ${table}
        WHERE rating_value IS DISTINCT FROM nullif(list_position(['VL', 'L', 'M', 'H', 'VH'], rating), 0)`,
      message: 'not a rating with its value: VL is 1, L 2, M 3, H 4, VH 5, and ND has none',
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
    message: 'not an ecosystem service (of a dependency) or pressure (of a pressure)',
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
    reads: ['biomes'],
    wrong: `
      SELECT key FROM exposure_scales WHERE key IS NOT NULL
        AND CASE exposure_basis WHEN 'dryness' THEN key NOT IN (SELECT biome_num FROM biomes)
                                ELSE key NOT BETWEEN 1 AND 4 END`,
    message: 'not a biome_num (of dryness) or nnh (of nature_condition)',
  }),
  defineRule({
    table: 'factors',
    column: 'unit',
    wrong: "SELECT unit FROM factors WHERE pressure_indicator = 'co2' AND scope = 1 AND unit <> 't'",
    message:
      'not the unit of reported_co2_t, which replaces what is computed with the factor of co2 in scope 1',
  }),
  ...[
    ['activities', 'output'],
    ['activities', 'reported_co2_t'],
    ['factors', 'factor_per_activity_unit'],
    ['characterisation', 'species_yr_per_unit'],
  ].map(([table = '', column = '']) =>
    defineRule({
      table,
      column,
      wrong: `SELECT ${column} FROM ${table} WHERE ${column} > 1e15`,
      message: 'above 1e15, beyond which totals are not exact or overflow',
    }),
  ),
]
