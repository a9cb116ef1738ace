/** Changes to a package that would silently change its numbers, and the messages about them. */
export const MUTATIONS: [what: string, file: string, change: (line: string[], columns: string[]) => void, RegExp][] = [
  [
    'an activity of an unknown sector',
    'activities',
    set('sector_code', 'NOWHERE'),
    /^activities\.sector_code: "NOWHERE" is not in sectors\.sector_code$/,
  ],
  [
    'an activity of an unknown site',
    'activities',
    set('site_key', 'nowhere'),
    /^activities\.site_key: "nowhere" is not in sites\.site_key$/,
  ],
  ['an output below zero', 'activities', set('output', '-1'), /^activities\.output: line \d+: "-1" is below 0$/],
  [
    'a site of an unknown entity',
    'sites',
    set('entity_key', 'nobody'),
    /^sites\.entity_key: "nobody" is not in entities\.entity_key$/,
  ],
  ['a site in an unknown country', 'sites', set('iso3', 'XXX'), /^sites\.iso3: "XXX" is not in countries\.iso3$/],
  [
    'a site in an unknown biome',
    'sites',
    set('biome_num', '77'),
    /^sites\.biome_num: "77" is not in biomes\.biome_num$/,
  ],
  [
    'a latitude beyond the pole',
    'sites',
    set('latitude', '999'),
    /^sites\.latitude: line \d+: "999" is not within -90 and 90$/,
  ],
  [
    'an exclusion of an unknown risk',
    'risk_exclusions',
    set('risk_code', 'R0'),
    /^risk_exclusions\.risk_code: "R0" is not in risk_rules\.risk_code$/,
  ],
  [
    'factors of an unknown sector',
    'factors',
    set('sector_code', 'NOWHERE'),
    /^factors\.sector_code: "NOWHERE" is not in sectors\.sector_code$/,
  ],
  [
    'an output in another unit than its sector',
    'activities',
    set('output_unit', 'MWh'),
    /^activities\.output_unit: "MWh" is not the activity_unit of the sector/,
  ],
  [
    'an unknown multiplier',
    'factors',
    set('multiplier', 'per site'),
    /^factors\.multiplier: line \d+: "per site" is none of "none", "grid", "per_site"$/,
  ],
  [
    'a factor below zero',
    'factors',
    set('factor_per_activity_unit', '-2'),
    /^factors\.factor_per_activity_unit: line \d+: "-2" is below 0$/,
  ],
  [
    'an unknown driver',
    'factors',
    set('ipbes_pressure', 'climate'),
    /^factors\.ipbes_pressure: line \d+: "climate" is none of "climate change", /,
  ],
  [
    'another driver than the indicator has',
    'factors',
    set('ipbes_pressure', 'invasive alien species'),
    /^factors\.ipbes_pressure: "invasive alien species" is not the driver that characterisation has/,
  ],
  [
    'an indicator in a unit that is not characterised',
    'factors',
    set('unit', 'lb'),
    /^factors\.pressure_indicator: ".* in lb" is not in characterisation/,
  ],
  [
    'a risk of an unknown source',
    'risk_rules',
    set('source_code', 'NOTHING'),
    /^risk_rules\.source_code: "NOTHING" is not an ecosystem service/,
  ],
  [
    'a risk whose exposure has no scale',
    'risk_rules',
    set('exposure_basis', 'altitude'),
    /^risk_rules\.exposure_basis: "altitude" is not in exposure_scales\.exposure_basis$/,
  ],
  [
    'an exposure of an unknown biome',
    'exposure_scales',
    set('key', '99'),
    /^exposure_scales\.key: "99" is not a biome_num \(of dryness\) or nnh/,
  ],
  [
    'a biome that is not a whole number',
    'sites',
    set('biome_num', '1.5'),
    /^sites\.biome_num: line \d+: "1\.5" is not an INTEGER: it would be stored as 2\. /,
  ],
  [
    'reported carbon dioxide in another unit',
    'factors',
    (line, columns) => {
      for (const [column, value] of [
        ['pressure_indicator', 'co2'],
        ['scope', '1'],
        ['unit', 'kg'],
      ] as const)
        set(column, value)(line, columns)
    },
    /factors\.unit: "kg" is not the unit of reported_co2_t/,
  ],
  [
    'an output beyond reason',
    'activities',
    set('output', '1e308'),
    /^activities\.output: "1e\+308" is above 1e15, beyond which totals/,
  ],
  [
    'a grid in kilograms',
    'countries',
    set('grid_tco2e_per_mwh', '480'),
    /^countries\.grid_tco2e_per_mwh: line \d+: "480" is not within 0 and 10$/,
  ],
  [
    'a rating beyond the scale',
    'dependencies',
    set('rating_value', '6'),
    /^dependencies\.rating_value: line \d+: "6" is not within 1 and 5$/,
  ],
]

/** A change that sets the value of one column. */
export function set(column: string, value: string) {
  return (line: string[], columns: string[]) => {
    line[columns.indexOf(column)] = value
  }
}
