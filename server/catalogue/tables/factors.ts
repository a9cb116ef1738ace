import { defineTable } from 'foldgate'

/** The drivers of nature loss that IPBES names. */
export const DRIVERS = [
  'climate change',
  'pollution',
  'land/sea-use change',
  'natural resource use',
  'invasive alien species',
]

/** Tables that turn activities into quantities: sectors, their factors, and the sources of the figures. */
export const factorTables = [
  defineTable({
    name: 'sectors',
    columns: {
      sector_code: 'VARCHAR',
      name: 'VARCHAR',
      activity_unit: 'VARCHAR',
      encore_isic_code: 'VARCHAR',
      encore_class: 'VARCHAR',
    },
    required: ['sector_code'],
    unique: ['sector_code'],
  }),
  defineTable({
    name: 'factors',
    columns: {
      sector_code: 'VARCHAR',
      pressure_indicator: 'VARCHAR',
      unit: 'VARCHAR',
      ipbes_pressure: 'VARCHAR',
      scope: 'INTEGER',
      factor_per_activity_unit: 'DOUBLE',
      multiplier: 'VARCHAR',
      source_id: 'VARCHAR',
      check: 'VARCHAR',
      how: 'VARCHAR',
    },
    required: [
      'sector_code',
      'pressure_indicator',
      'unit',
      'ipbes_pressure',
      'scope',
      'factor_per_activity_unit',
      'multiplier',
    ],
    unique: ['sector_code', 'pressure_indicator', 'unit', 'scope'],
    references: { sector_code: 'sectors.sector_code' },
    ranges: { scope: { least: 1, most: 3 }, factor_per_activity_unit: { least: 0 } },
    values: { multiplier: ['none', 'grid', 'per_site'], ipbes_pressure: DRIVERS },
  }),
  // An indicator without species_yr_per_unit is known but not characterised.
  defineTable({
    name: 'characterisation',
    columns: {
      pressure_indicator: 'VARCHAR',
      unit: 'VARCHAR',
      ipbes_pressure: 'VARCHAR',
      species_yr_per_unit: 'DOUBLE',
      source_id: 'VARCHAR',
      check: 'VARCHAR',
      how: 'VARCHAR',
    },
    required: ['pressure_indicator', 'unit', 'ipbes_pressure'],
    unique: ['pressure_indicator', 'unit'],
    ranges: { species_yr_per_unit: { least: 0 } },
    values: { ipbes_pressure: DRIVERS },
  }),
  defineTable({
    name: 'capacity_factors',
    columns: {
      iso3: 'VARCHAR',
      sector_code: 'VARCHAR',
      capacity_factor: 'DOUBLE',
      plants: 'INTEGER',
      source_id: 'VARCHAR',
    },
    required: ['iso3', 'sector_code', 'capacity_factor'],
    unique: ['iso3', 'sector_code'],
    references: { sector_code: 'sectors.sector_code' },
    ranges: { capacity_factor: { least: 0 } },
    optional: true,
  }),
  defineTable({
    name: 'commodities',
    columns: {
      sector_code: 'VARCHAR',
      commodity: 'VARCHAR',
      unit: 'VARCHAR',
      t_per_activity_unit: 'DOUBLE',
      source_id: 'VARCHAR',
      how: 'VARCHAR',
    },
    required: ['sector_code', 'commodity', 't_per_activity_unit'],
    unique: ['sector_code', 'commodity'],
    references: { sector_code: 'sectors.sector_code' },
    ranges: { t_per_activity_unit: { least: 0 } },
    optional: true,
  }),
  defineTable({
    name: 'sources',
    columns: {
      source_id: 'VARCHAR',
      title: 'VARCHAR',
      citation: 'VARCHAR',
      licence: 'VARCHAR',
      where_taken: 'VARCHAR',
      use: 'VARCHAR',
    },
    required: ['source_id'],
    unique: ['source_id'],
    optional: true,
  }),
]
