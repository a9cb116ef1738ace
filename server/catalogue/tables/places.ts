import { defineTable } from 'foldgate'

/** Where sites are: biomes, ecoregions and countries. */
export const placeTables = [
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
