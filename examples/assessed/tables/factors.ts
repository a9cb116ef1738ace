import { defineTable } from 'foldgate'
import {
  amount,
  CHECK,
  DRIVER,
  HOW,
  ISO3,
  PRESSURE_INDICATOR,
  SCOPE,
  SECTOR_CODE,
  SOURCE_ID,
  text,
  whole,
} from '../columns.js'

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
    about: 'One kind of activity, with the unit in which its output is counted.',
    columns: {
      sector_code: SECTOR_CODE,
      name: text('Name of the sector'),
      activity_unit: text('Unit of the yearly output, which factors are given per'),
      encore_isic_code: text('ISIC code of the sector in ENCORE; NULL where there is none'),
      encore_class: text('Class of the sector in ENCORE; NULL where there is none'),
    },
    required: ['sector_code'],
    unique: ['sector_code'],
  }),
  defineTable({
    name: 'factors',
    about:
      'How much of one pressure comes with one unit of output of one sector: the pressure of an activity is its output * ' +
      'factor_per_activity_unit, changed as multiplier says. source_id and how say where the factor comes from.',
    columns: {
      sector_code: SECTOR_CODE,
      pressure_indicator: PRESSURE_INDICATOR,
      unit: text('Unit of the pressure'),
      ipbes_pressure: DRIVER,
      scope: SCOPE,
      factor_per_activity_unit: amount(
        'Pressure, in unit, per unit of output of the sector. With the multiplier grid: electricity in MWh per unit of ' +
          'output; with per_site: the pressure of an activity, whatever its output',
      ),
      multiplier: text(
        'none: output * factor; grid: output * factor * grid_tco2e_per_mwh of the country of the site; per_site: the ' +
          'factor, once for each activity of the sector',
      ),
      source_id: SOURCE_ID,
      check: CHECK,
      how: HOW,
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
  defineTable({
    name: 'characterisation',
    about: 'The conversion of one pressure indicator into loss of species.',
    columns: {
      pressure_indicator: PRESSURE_INDICATOR,
      unit: text('Unit of the indicator'),
      ipbes_pressure: DRIVER,
      species_yr_per_unit: amount(
        'Species lost for a year per unit of the indicator; NULL: no conversion is known, and dash_ipbes leaves the ' +
          'indicator out',
        'species.yr per unit',
      ),
      source_id: SOURCE_ID,
      check: CHECK,
      how: HOW,
    },
    required: ['pressure_indicator', 'unit', 'ipbes_pressure'],
    unique: ['pressure_indicator', 'unit'],
    ranges: { species_yr_per_unit: { least: 0 } },
    values: { ipbes_pressure: DRIVERS },
  }),
  defineTable({
    name: 'capacity_factors',
    about: 'How much of their capacity the plants of one sector use in one country. No fold reads it.',
    columns: {
      iso3: { ...ISO3, about: `${ISO3.about}; * for all countries` },
      sector_code: SECTOR_CODE,
      capacity_factor: amount('Yearly output as a part of what full capacity would give'),
      plants: whole('Plants behind the figure'),
      source_id: SOURCE_ID,
    },
    required: ['iso3', 'sector_code', 'capacity_factor'],
    unique: ['iso3', 'sector_code'],
    references: { sector_code: 'sectors.sector_code' },
    ranges: { capacity_factor: { least: 0 } },
    optional: true,
  }),
  defineTable({
    name: 'commodities',
    about: 'One good that a sector buys or extracts, such as fuel or ore. No fold reads it.',
    columns: {
      sector_code: SECTOR_CODE,
      commodity: text('Name of the good'),
      unit: text('Unit of the good'),
      t_per_activity_unit: amount('Tonnes of the good per unit of output of the sector', 't per unit'),
      source_id: SOURCE_ID,
      how: HOW,
    },
    required: ['sector_code', 'commodity', 't_per_activity_unit'],
    unique: ['sector_code', 'commodity'],
    references: { sector_code: 'sectors.sector_code' },
    ranges: { t_per_activity_unit: { least: 0 } },
    optional: true,
  }),
  defineTable({
    name: 'sources',
    about: 'One publication or data set that figures are taken from.',
    columns: {
      source_id: text('Key of the source'),
      title: text('Title of the source'),
      citation: text('How to cite the source'),
      licence: text('Licence of the source'),
      where_taken: text('Place in the source that the figures are from'),
      use: text('What the source is used for'),
    },
    required: ['source_id'],
    unique: ['source_id'],
    optional: true,
  }),
]
