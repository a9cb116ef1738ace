import { defineTable } from 'foldgate'
import {
  CATEGORY,
  DRIVER,
  RATING,
  RATING_VALUE,
  RISK,
  RISK_CODE,
  RISK_TYPE,
  SECTOR_CODE,
  SERVICE,
  SERVICE_CODE,
  SOURCE_CODE,
  text,
  whole,
} from '../columns.js'
import { DRIVERS } from './factors.js'

/** ND: the source leaves the rating undetermined. */
const RATINGS = ['VL', 'L', 'M', 'H', 'VH', 'ND']
const EXPOSURE_BASES = ['nature_condition', 'dryness']
const EXPOSURE_BASIS = text(
  'What the exposure is read from: nature_condition, the condition of nature in the ecoregion, or dryness, that of ' +
    'the biome',
)

const PRESSURE_CODE = text('Code of the pressure')

/**
 * How much sectors depend on nature and put pressure on it, and the rules that
 * derive risks from those ratings.
 */
export const ratingTables = [
  defineTable({
    name: 'dependencies',
    about:
      'How far one sector depends on one ecosystem service. A pair without a row has no rating: it does not apply, or was not assessed.',
    columns: {
      sector_code: SECTOR_CODE,
      service_code: SERVICE_CODE,
      rating: RATING,
      rating_value: RATING_VALUE,
    },
    required: ['sector_code', 'service_code'],
    unique: ['sector_code', 'service_code'],
    references: { sector_code: 'sectors.sector_code', service_code: 'ecosystem_services.service_code' },
    ranges: { rating_value: { least: 1, most: 5 } },
    values: { rating: RATINGS },
    warnings: ['rating'],
  }),
  defineTable({
    name: 'ecosystem_services',
    about: 'One ecosystem service, such as water supply, that activities depend on.',
    columns: {
      service_code: SERVICE_CODE,
      service: SERVICE,
      category: CATEGORY,
    },
    required: ['service_code'],
    unique: ['service_code'],
  }),
  defineTable({
    name: 'encore_pressures',
    about: 'One kind of pressure on nature by which sectors are rated; factors have the quantities.',
    columns: {
      pressure_code: PRESSURE_CODE,
      pressure: text('Name of the pressure'),
      ipbes_pressure: DRIVER,
    },
    required: ['pressure_code'],
    unique: ['pressure_code'],
    values: { ipbes_pressure: DRIVERS },
  }),
  defineTable({
    name: 'pressure_ratings',
    about:
      'How strongly one sector puts one pressure on nature, from which risks are derived; pressure_rows has quantities. ' +
      'A pair without a row has no rating: it does not apply, or was not assessed.',
    columns: {
      sector_code: SECTOR_CODE,
      pressure_code: PRESSURE_CODE,
      rating: RATING,
      rating_value: RATING_VALUE,
    },
    required: ['sector_code', 'pressure_code'],
    unique: ['sector_code', 'pressure_code'],
    references: { sector_code: 'sectors.sector_code', pressure_code: 'encore_pressures.pressure_code' },
    ranges: { rating_value: { least: 1, most: 5 } },
    values: { rating: RATINGS },
    warnings: ['rating'],
  }),
  defineTable({
    name: 'risk_rules',
    about:
      'One risk. An activity has it when the rating of its sector, for the service or pressure in source_code, is at ' +
      'least min_severity, unless risk_exclusions has it.',
    columns: {
      risk_code: RISK_CODE,
      risk_type: RISK_TYPE,
      risk: RISK,
      source_kind: text('Whether the risk is derived from a dependency or a pressure'),
      source_code: SOURCE_CODE,
      exposure_basis: EXPOSURE_BASIS,
      min_severity: whole('Lowest rating that counts as this risk, 1 to 5'),
    },
    required: ['risk_code', 'source_kind', 'source_code', 'exposure_basis', 'min_severity'],
    unique: ['risk_code'],
    references: { exposure_basis: 'exposure_scales.exposure_basis' },
    ranges: { min_severity: { least: 1, most: 5 } },
    values: { source_kind: ['dependency', 'pressure'] },
  }),
  defineTable({
    name: 'exposure_scales',
    about: 'How exposed one kind of place is, by the condition of nature or the dryness there.',
    columns: {
      exposure_basis: EXPOSURE_BASIS,
      key: whole(
        'nnh of the ecoregion for nature_condition, biome_num for dryness; NULL: all places that are unknown or not ' +
          'on the scale',
      ),
      exposure: whole('Exposure of the place, 1 (low) to 5'),
      note: text('Remark'),
    },
    required: ['exposure_basis', 'exposure'],
    unique: ['exposure_basis', 'key'],
    ranges: { exposure: { least: 1, most: 5 } },
    values: { exposure_basis: EXPOSURE_BASES },
  }),
  defineTable({
    name: 'sector_estimates',
    about: 'Estimated ratings of sectors without rows in dependencies, for screens. No fold reads it.',
    columns: {
      sector_code: SECTOR_CODE,
      service_code: SERVICE_CODE,
      rating: RATING,
      rating_value: RATING_VALUE,
      basis: text('Why the rating was estimated so'),
    },
    required: ['sector_code', 'service_code'],
    unique: ['sector_code', 'service_code'],
    references: { sector_code: 'sectors.sector_code', service_code: 'ecosystem_services.service_code' },
    ranges: { rating_value: { least: 1, most: 5 } },
    values: { rating: RATINGS },
    warnings: ['rating'],
    optional: true,
  }),
]
