import { defineTable } from 'foldgate'
import { amount, ISO3, text, whole } from '../columns.js'

/** Where sites are: biomes, ecoregions and countries. */
export const placeTables = [
  defineTable({
    name: 'biomes',
    about: 'One biome: a kind of living landscape, such as a forest or a desert.',
    columns: { biome_num: whole('Number of the biome'), biome: text('Name of the biome') },
    required: ['biome_num', 'biome'],
    unique: ['biome_num'],
  }),
  defineTable({
    name: 'ecoregions',
    about: 'One ecoregion, with its biome and the condition of nature in it.',
    columns: {
      ecoregion_id: whole('Number of the ecoregion'),
      ecoregion: text('Name of the ecoregion'),
      biome_num: whole('Number of the biome'),
      realm: text('Biogeographic realm'),
      nnh: whole('Condition of nature, 1 (half of it protected) to 4 (imperilled)'),
      nnh_name: text('Condition of nature, in words'),
    },
    required: ['ecoregion_id'],
    unique: ['ecoregion_id'],
    references: { biome_num: 'biomes.biome_num' },
    ranges: { nnh: { least: 1, most: 4 } },
  }),
  defineTable({
    name: 'countries',
    about: 'One country, with the emissions of its power grid.',
    columns: {
      iso3: ISO3,
      name: text('Name of the country'),
      grid_tco2e_per_mwh: amount(
        'Emissions of the power grid, by which factors with the multiplier grid are multiplied',
        't CO2e/MWh',
      ),
      grid_basis: text('Where the figure of the grid comes from'),
    },
    required: ['iso3', 'grid_tco2e_per_mwh'],
    unique: ['iso3'],
    ranges: { grid_tco2e_per_mwh: { least: 0, most: 10 } },
  }),
]
