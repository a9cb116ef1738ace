import { COUNTRIES, type Region } from './countries.js'
import { madeUpPlace } from './names.js'
import { drawFrom } from './random.js'
import { type Sheet, sheet } from './sheets.js'

/** Biomes, numbered from 1 in this order, from wet to dry. */
const BIOMES = [
  'Mangrove coast',
  'Wet tropical forest',
  'Flooded grassland',
  'Tundra',
  'Northern conifer forest',
  'Temperate broadleaf forest',
  'Temperate conifer forest',
  'Mountain meadow',
  'Seasonal tropical forest',
  'Tropical pine forest',
  'Savanna',
  'Temperate steppe',
  'Mediterranean scrub',
  'Desert and dry scrub',
]

/**
 * How much nature is left around a place: invented classes 1 to 4, based on the
 * idea that half of it is needed.
 */
export const NNH_NAMES = ['half kept', 'half within reach', 'can be healed', 'remnants only']

/** The weight of each class. */
const NNH_WEIGHTS = new Map([
  [1, 3],
  [2, 7],
  [3, 6],
  [4, 4],
])

/** An invented ecoregion. */
export interface Ecoregion {
  id: number
  name: string
  biome: number
  region: Region
  nnh: number
}

/** Number of ecoregions per biome and region, for those in which a country lies. */
const EACH = 3

/** The invented ecoregions. */
const ECOREGIONS: readonly Ecoregion[] = invent()

function invent(): Ecoregion[] {
  const draw = drawFrom('ecoregions')
  const countries = [...COUNTRIES.values()]
  const found: Ecoregion[] = []
  for (const region of new Set(countries.map(country => country.region))) {
    const biomes = countries.filter(country => country.region === region).flatMap(country => country.biomes)
    for (const biome of [...new Set(biomes)].sort((a, b) => a - b))
      for (let at = 0; at < EACH; at++) {
        const name = `${madeUpPlace(draw)} ${BIOMES[biome - 1]?.toLowerCase()}`
        found.push({ id: found.length + 1, name, biome, region, nnh: draw.weigh(NNH_WEIGHTS) })
      }
  }
  return found
}

/** The ecoregions that a site of a region and biome may lie in. */
export function ecoregionsOf(region: Region, biome: number): Ecoregion[] {
  return ECOREGIONS.filter(ecoregion => ecoregion.region === region && ecoregion.biome === biome)
}

/** The tables of biomes and ecoregions. */
export function natureSheets(): Sheet[] {
  const biomes = BIOMES.map((biome, at) => [at + 1, biome])
  const ecoregions = ECOREGIONS.map(({ id, name, biome, region, nnh }) => [
    id,
    name,
    biome,
    region,
    nnh,
    NNH_NAMES[nnh - 1] ?? null,
  ])
  return [
    sheet('biomes', 'biome_num biome', biomes),
    sheet('ecoregions', 'ecoregion_id ecoregion biome_num realm nnh nnh_name', ecoregions),
  ]
}
