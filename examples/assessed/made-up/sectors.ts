import { type Sheet, sheet } from './sheets.js'

/** A kind of activity, and the ranges from which its sites are drawn. */
export interface Sector {
  code: string
  name: string
  /** The unit of activity; factors are per unit, and output is in units per year. */
  unit: 'GWh' | 't'
  /** The word after the place in the name of a site. */
  noun: string
  /** Smallest and largest capacity: MW for GWh, 1000 t per year for t. */
  capacity: readonly [number, number]
  /** Lowest and highest share of the capacity used over a year; null when sites have no output. */
  load: readonly [number, number] | null
  /** First and last year in which a site may have started. */
  started: readonly [number, number]
}

type SectorRow = [
  code: string,
  name: string,
  noun: string,
  capacity: [number, number],
  load: [number, number] | null,
  started: [number, number],
]

const POWER: SectorRow[] = [
  [
    'COAL_STEAM',
    'Power from hard coal, steam cycle',
    'coal power station',
    [60, 1800],
    [0.42, 0.8],
    [1968, 2021],
  ],
  [
    'GAS_COMBINED',
    'Power from natural gas, combined cycle',
    'gas power station',
    [80, 1200],
    [0.35, 0.7],
    [1992, 2024],
  ],
  ['GAS_OPEN', 'Power from natural gas, open cycle', 'peaking plant', [20, 300], [0.03, 0.2], [1975, 2024]],
  ['DIESEL_ENGINE', 'Power from gas oil, engines', 'engine house', [2, 60], [0.1, 0.5], [1970, 2023]],
  ['NUCLEAR', 'Power from nuclear fission', 'nuclear power station', [600, 3600], [0.72, 0.92], [1974, 2018]],
  ['HYDRO_DAM', 'Power from stored water', 'dam', [5, 1500], [0.28, 0.6], [1932, 2022]],
  ['WIND_ONSHORE', 'Power from wind on land', 'wind farm', [5, 300], [0.2, 0.42], [1999, 2024]],
  ['SOLAR_PARK', 'Power from photovoltaic parks', 'solar park', [1, 250], [0.12, 0.28], [2008, 2024]],
  ['WOOD_STEAM', 'Power from wood, steam cycle', 'wood-fired plant', [5, 120], [0.4, 0.8], [1984, 2023]],
  ['GRID_BATTERY', 'Grid batteries', 'battery yard', [5, 300], null, [2016, 2024]],
]

const INDUSTRY: SectorRow[] = [
  ['CEMENT_KILN', 'Cement with its own kiln', 'cement works', [300, 4500], [0.5, 0.9], [1955, 2020]],
  ['IRON_PIT', 'Iron ore from open pits', 'iron pit', [1000, 50_000], [0.6, 0.95], [1958, 2019]],
  ['COPPER_PIT', 'Copper in concentrate from open pits', 'copper pit', [10, 400], [0.6, 0.95], [1961, 2020]],
  ['ALUMINIUM', 'Primary aluminium, prebaked anodes', 'smelter', [80, 1000], [0.7, 0.95], [1963, 2017]],
  ['DAIRY', 'Milk processing', 'dairy', [20, 600], [0.6, 0.95], [1948, 2022]],
  ['SUGAR_MILL', 'Sugar from cane', 'sugar mill', [20, 400], [0.4, 0.8], [1939, 2018]],
  ['FLOUR_MILL', 'Wheat milling', 'flour mill', [20, 500], [0.5, 0.9], [1944, 2021]],
  ['WAREHOUSE', 'Storage and handling of goods', 'warehouse', [20, 2000], [0.5, 0.95], [1972, 2024]],
]

const build = (unit: 'GWh' | 't', rows: SectorRow[]): Sector[] =>
  rows.map(([code, name, noun, capacity, load, started]) => ({
    code,
    name,
    unit,
    noun,
    capacity,
    load,
    started,
  }))

/** All sectors by code. */
export const SECTORS: ReadonlyMap<string, Sector> = new Map(
  [...build('GWh', POWER), ...build('t', INDUSTRY)].map(sector => [sector.code, sector]),
)

/** Thousands of hours per year: MW x this = GWh at full load. */
export const THOUSAND_HOURS_PER_YEAR = 8.76

/** The table of sectors; its classification columns are empty, since no published classification was used. */
export function sectorSheets(): Sheet[] {
  const rows = [...SECTORS.values()].map(({ code, name, unit }) => [code, name, unit, null, null])
  return [sheet('sectors', 'sector_code name activity_unit encore_isic_code encore_class', rows)]
}
