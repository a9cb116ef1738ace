import { defineTable } from 'foldgate'
import { DRIVERS } from './factors.js'

/** ND: the source leaves the rating undetermined. */
const RATINGS = ['VL', 'L', 'M', 'H', 'VH', 'ND']
const EXPOSURE_BASES = ['nature_condition', 'dryness']

/**
 * How much sectors depend on nature and put pressure on it, and the rules that
 * derive risks from those ratings.
 */
export const ratingTables = [
  defineTable({
    name: 'dependencies',
    columns: { sector_code: 'VARCHAR', service_code: 'VARCHAR', rating: 'VARCHAR', rating_value: 'INTEGER' },
    required: ['sector_code', 'service_code'],
    unique: ['sector_code', 'service_code'],
    references: { sector_code: 'sectors.sector_code', service_code: 'ecosystem_services.service_code' },
    ranges: { rating_value: { least: 1, most: 5 } },
    values: { rating: RATINGS },
    warnings: ['rating'],
  }),
  defineTable({
    name: 'ecosystem_services',
    columns: { service_code: 'VARCHAR', service: 'VARCHAR', category: 'VARCHAR' },
    required: ['service_code'],
    unique: ['service_code'],
  }),
  defineTable({
    name: 'encore_pressures',
    columns: { pressure_code: 'VARCHAR', pressure: 'VARCHAR', ipbes_pressure: 'VARCHAR' },
    required: ['pressure_code'],
    unique: ['pressure_code'],
    values: { ipbes_pressure: DRIVERS },
  }),
  defineTable({
    name: 'pressure_ratings',
    columns: { sector_code: 'VARCHAR', pressure_code: 'VARCHAR', rating: 'VARCHAR', rating_value: 'INTEGER' },
    required: ['sector_code', 'pressure_code'],
    unique: ['sector_code', 'pressure_code'],
    references: { sector_code: 'sectors.sector_code', pressure_code: 'encore_pressures.pressure_code' },
    ranges: { rating_value: { least: 1, most: 5 } },
    values: { rating: RATINGS },
    warnings: ['rating'],
  }),
  defineTable({
    name: 'risk_rules',
    columns: {
      risk_code: 'VARCHAR',
      risk_type: 'VARCHAR',
      risk: 'VARCHAR',
      source_kind: 'VARCHAR',
      source_code: 'VARCHAR',
      exposure_basis: 'VARCHAR',
      min_severity: 'INTEGER',
    },
    required: ['risk_code', 'source_kind', 'source_code', 'exposure_basis', 'min_severity'],
    unique: ['risk_code'],
    references: { exposure_basis: 'exposure_scales.exposure_basis' },
    ranges: { min_severity: { least: 1, most: 5 } },
    values: { source_kind: ['dependency', 'pressure'] },
  }),
  // The row without a key has the neutral exposure of its basis.
  defineTable({
    name: 'exposure_scales',
    columns: { exposure_basis: 'VARCHAR', key: 'INTEGER', exposure: 'INTEGER', note: 'VARCHAR' },
    required: ['exposure_basis', 'exposure'],
    unique: ['exposure_basis', 'key'],
    ranges: { exposure: { least: 1, most: 5 } },
    values: { exposure_basis: EXPOSURE_BASES },
  }),
  defineTable({
    name: 'sector_estimates',
    columns: {
      sector_code: 'VARCHAR',
      service_code: 'VARCHAR',
      rating: 'VARCHAR',
      rating_value: 'INTEGER',
      basis: 'VARCHAR',
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
