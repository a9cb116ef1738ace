import { type Cell, type Sheet, sheet } from './sheets.js'

/** Ecosystem services, in the order of the marks of `NEEDS`. All ratings here are invented. */
export const SERVICES: readonly (readonly [code: string, service: string, category: string])[] = [
  ['WATER_SUPPLY', 'Fresh water to draw on', 'provisioning'],
  ['CROPS_FEED', 'Crops, grass and feed that grow', 'provisioning'],
  ['WOOD_FIBRE', 'Wood and plant fibre that grow', 'provisioning'],
  ['STEADY_RIVER', 'Rivers that flow steadily', 'regulating'],
  ['RAIN_IN_TIME', 'Rain that comes when expected', 'regulating'],
  ['CLEAN_STREAM', 'Streams that clean themselves', 'regulating'],
  ['FIRM_GROUND', 'Slopes and soil held by roots', 'regulating'],
  ['FERTILE_SOIL', 'Soil that stays fertile', 'regulating'],
  ['FLOOD_SPONGE', 'Land that swallows floods', 'regulating'],
  ['STORM_BREAK', 'Trees and shores that break storms', 'regulating'],
  ['POLLEN_BEARERS', 'Wild animals that carry pollen', 'regulating'],
  ['PEST_EATERS', 'Wild animals that eat pests', 'regulating'],
  ['MILD_AIR', 'Plants that keep the air mild and clean', 'regulating'],
  ['FINE_VIEW', 'Landscape that people come to see', 'cultural'],
]

/** Pressures on nature, in the order of the marks of `WEIGHTS`. */
export const PRESSURES: readonly (readonly [code: string, pressure: string, driver: string])[] = [
  ['WARMING_GASES', 'Warming gases let out', 'climate change'],
  ['DIRTY_SMOKE', 'Smoke with sulphur, nitrogen and soot', 'pollution'],
  ['POISONED_WATER', 'Poisons in water and ground', 'pollution'],
  ['FED_WATER', 'Fertiliser and waste that overfeed water', 'pollution'],
  ['NOISE_AND_LIGHT', 'Noise, light and tremors', 'pollution'],
  ['SPOIL_HEAPS', 'Spoil, ash and rubbish left behind', 'pollution'],
  ['LAND_TAKEN', 'Land taken from nature', 'land/sea-use change'],
  ['RIVERS_TURNED', 'Rivers dammed or turned', 'land/sea-use change'],
  ['WATER_TAKEN', 'Water taken', 'natural resource use'],
  ['ROCK_TAKEN', 'Rock, ore and fuel dug out', 'natural resource use'],
  ['HARVEST_TAKEN', 'Plants and animals taken', 'natural resource use'],
  ['STOWAWAYS', 'Foreign species carried in', 'invasive alien species'],
]

/**
 * One mark per service: 1 to 5 for VL to VH, n for no data, - for no row. Batteries and warehouses have none.
 */
const NEEDS: Record<string, string> = {
  COAL_STEAM: '4--3132-32--2-',
  GAS_COMBINED: '3--2122-22--n-',
  GAS_OPEN: '1-----2-22--1-',
  DIESEL_ENGINE: '1-----2-33----',
  NUCLEAR: '5--4133-43--n-',
  HYDRO_DAM: '5--5534-42--23',
  WIND_ONSHORE: '------3-24--n4',
  SOLAR_PARK: '2-----3-34--23',
  WOOD_STEAM: '3-5-43434334-2',
  CEMENT_KILN: '3--2-24-32--2-',
  IRON_PIT: '4--3234-33--12',
  COPPER_PIT: '5--3344-43--n2',
  ALUMINIUM: '4--43-3-33--2-',
  DAIRY: '45-344354n-43-',
  SUGAR_MILL: '5524544434353-',
  FLOUR_MILL: '25--4-353345-2',
}

/** As `NEEDS`, with one mark per pressure. */
const WEIGHTS: Record<string, string> = {
  COAL_STEAM: '554235334543',
  GAS_COMBINED: '442-3-2-43-1',
  GAS_OPEN: '432-4-1--3--',
  DIESEL_ENGINE: '4423-2-1-2-1',
  NUCLEAR: '1-3-3422532n',
  HYDRO_DAM: '2--23-454-33',
  WIND_ONSHORE: '1---4-3--2n2',
  SOLAR_PARK: '1-1--342-1-1',
  WOOD_STEAM: '243333-33-53',
  CEMENT_KILN: '54323-3--4-2',
  IRON_PIT: '334-4551452n',
  COPPER_PIT: '335-4553553-',
  ALUMINIUM: '543-34--33-1',
  DAIRY: '4-253-3-4-42',
  SUGAR_MILL: '334524-53-54',
  FLOUR_MILL: '2212-3-4--4n',
  WAREHOUSE: '3n--3-4----5',
}

/**
 * Estimates for sectors without a row in `NEEDS`, for screens that need a rating, with the reason for each.
 */
const GUESSES: Record<string, [marks: string, basis: string]> = {
  GRID_BATTERY: ['------2-33---2', 'made up: as a fenced yard that must stay dry'],
  WAREHOUSE: ['1---1-2-43--21', 'made up: as a large roof beside a road'],
}

const RATINGS: Record<string, [rating: string, value: number | null]> = {
  1: ['VL', 1],
  2: ['L', 2],
  3: ['M', 3],
  4: ['H', 4],
  5: ['VH', 5],
  n: ['ND', null],
}

function rated(sector: string, marks: string, codes: readonly (readonly string[])[]): Cell[][] {
  if (marks.length !== codes.length)
    throw new RangeError(`${sector}: ${marks.length} marks for ${codes.length} codes`)
  return [...marks].flatMap((mark, at) => {
    const rating = RATINGS[mark]
    return rating ? [[sector, codes[at]?.[0] ?? null, ...rating]] : []
  })
}

const table = (marks: Record<string, string>, codes: readonly (readonly string[])[]) =>
  Object.entries(marks).flatMap(([sector, row]) => rated(sector, row, codes))

/** The tables of services, pressures and their ratings by sector. */
export function ratingSheets(): Sheet[] {
  const guesses = Object.entries(GUESSES).flatMap(([sector, [marks, basis]]) =>
    rated(sector, marks, SERVICES).map(row => [...row, basis]),
  )
  return [
    sheet('ecosystem_services', 'service_code service category', SERVICES),
    sheet('dependencies', 'sector_code service_code rating rating_value', table(NEEDS, SERVICES)),
    sheet('encore_pressures', 'pressure_code pressure ipbes_pressure', PRESSURES),
    sheet('pressure_ratings', 'sector_code pressure_code rating rating_value', table(WEIGHTS, PRESSURES)),
    sheet('sector_estimates', 'sector_code service_code rating rating_value basis', guesses),
  ]
}
