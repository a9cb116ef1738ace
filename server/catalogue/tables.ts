import { defineTable } from 'foldgate'
import { factorTables } from './tables/factors.js'
import { ratingTables } from './tables/ratings.js'

/** Where sites are: biomes, ecoregions and countries. */
const placeTables = [
  defineTable({
    name: 'biomes',
    columns: { biome_num: 'INTEGER', biome: 'VARCHAR' },
    required: ['biome_num', 'biome'],
    unique: ['biome_num'],
  }),
  defineTable({
    name: 'ecoregions',
    columns: {
      ecoregion_id: 'INTEGER',
      ecoregion: 'VARCHAR',
      biome_num: 'INTEGER',
      realm: 'VARCHAR',
      nnh: 'INTEGER',
      nnh_name: 'VARCHAR',
    },
    required: ['ecoregion_id'],
    unique: ['ecoregion_id'],
    references: { biome_num: 'biomes.biome_num' },
    ranges: { nnh: { least: 1, most: 4 } },
  }),
  defineTable({
    name: 'countries',
    columns: { iso3: 'VARCHAR', name: 'VARCHAR', grid_tco2e_per_mwh: 'DOUBLE', grid_basis: 'VARCHAR' },
    required: ['iso3', 'grid_tco2e_per_mwh'],
    unique: ['iso3'],
    ranges: { grid_tco2e_per_mwh: { least: 0, most: 10 } },
  }),
]

/** All tables of a snapshot: first what is assessed, then factors, places and ratings. */
export const tables = [
  // One row per holder: an entity with several holders has several rows with the same key and id.
  defineTable({
    name: 'entities',
    columns: {
      entity_key: 'VARCHAR',
      entity_id: 'UUID',
      parent_key: 'VARCHAR',
      name: 'VARCHAR',
      kind: 'VARCHAR',
      iso3: 'VARCHAR',
      ownership_share: 'DOUBLE',
      share_basis: 'VARCHAR',
      source_ref: 'VARCHAR',
    },
    required: ['entity_key', 'entity_id', 'ownership_share'],
    unique: ['entity_key', 'parent_key'],
    references: { iso3: 'countries.iso3' },
  }),
  defineTable({
    name: 'sites',
    columns: {
      site_key: 'VARCHAR',
      entity_key: 'VARCHAR',
      name: 'VARCHAR',
      iso3: 'VARCHAR',
      latitude: 'DOUBLE',
      longitude: 'DOUBLE',
      biome_num: 'INTEGER',
      ecoregion_id: 'INTEGER',
      biome_method: 'VARCHAR',
      source_id: 'VARCHAR',
      source_ref: 'VARCHAR',
    },
    required: ['site_key', 'entity_key'],
    unique: ['site_key'],
    references: {
      entity_key: 'entities.entity_key',
      iso3: 'countries.iso3',
      biome_num: 'biomes.biome_num',
      ecoregion_id: 'ecoregions.ecoregion_id',
    },
    ranges: { latitude: { least: -90, most: 90 }, longitude: { least: -180, most: 180 } },
  }),
  defineTable({
    name: 'activities',
    columns: {
      site_key: 'VARCHAR',
      sector_code: 'VARCHAR',
      capacity: 'DOUBLE',
      capacity_unit: 'VARCHAR',
      output: 'DOUBLE',
      output_unit: 'VARCHAR',
      output_basis: 'VARCHAR',
      output_prev: 'DOUBLE',
      reported_co2_t: 'DOUBLE',
      start_year: 'INTEGER',
    },
    required: ['site_key', 'sector_code'],
    unique: ['site_key', 'sector_code'],
    references: { site_key: 'sites.site_key', sector_code: 'sectors.sector_code' },
    ranges: {
      capacity: { least: 0 },
      output: { least: 0 },
      output_prev: { least: 0 },
      reported_co2_t: { least: 0 },
      start_year: { least: 1700, most: 2200 },
    },
    warnings: ['start_year'],
  }),
  // No unique key: excluding a risk twice, perhaps with another note, changes nothing.
  defineTable({
    name: 'risk_exclusions',
    columns: { risk_code: 'VARCHAR', entity_key: 'VARCHAR', note: 'VARCHAR' },
    required: ['risk_code'],
    references: { risk_code: 'risk_rules.risk_code', entity_key: 'entities.entity_key' },
  }),
  ...factorTables,
  ...placeTables,
  ...ratingTables,
]
