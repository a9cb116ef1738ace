import { type Sheet, sheet } from './sheets.js'

/** Regions that countries and ecoregions belong to. */
export type Region = 'Africa' | 'Americas' | 'Asia' | 'Europe' | 'Oceania'

/** How a country generates power; the weights of a profile are numbers of sites, not energy. */
export type Profile = 'coal' | 'gas' | 'hydro' | 'atom' | 'mixed'

/**
 * A country, with a box on its land in which sites are placed. Names of
 * countries are real; sites are invented.
 */
export interface Country {
  iso3: string
  name: string
  region: Region
  profile: Profile
  /** South to north, degrees. */
  latitudes: readonly [number, number]
  /** West to east, degrees. */
  longitudes: readonly [number, number]
  /** Numbers of the biomes that its sites may lie in. */
  biomes: readonly number[]
}

type CountryRow = [
  iso3: string,
  name: string,
  region: Region,
  profile: Profile,
  latitudes: [number, number],
  longitudes: [number, number],
  biomes: number[],
]

const ROWS: CountryRow[] = [
  ['KEN', 'Kenya', 'Africa', 'hydro', [-1.5, 1.5], [35, 38], [8, 11, 14]],
  ['ZAF', 'South Africa', 'Africa', 'coal', [-30, -26], [22, 29.5], [11, 12, 14]],
  ['EGY', 'Egypt', 'Africa', 'gas', [25.5, 30], [29, 31.5], [3, 14]],
  ['NGA', 'Nigeria', 'Africa', 'gas', [7.5, 11.5], [4, 11], [2, 11]],
  ['MAR', 'Morocco', 'Africa', 'mixed', [31.5, 34], [-6, -3], [13, 14]],
  ['GHA', 'Ghana', 'Africa', 'hydro', [6.5, 10], [-2, 0], [2, 11]],
  ['ZMB', 'Zambia', 'Africa', 'hydro', [-15, -12], [26, 30], [3, 11]],
  ['USA', 'United States', 'Americas', 'gas', [33, 45], [-115, -83], [6, 7, 12, 14]],
  ['CAN', 'Canada', 'Americas', 'hydro', [50, 55], [-118, -90], [4, 5, 6]],
  ['MEX', 'Mexico', 'Americas', 'gas', [20, 26], [-104, -99], [9, 10, 14]],
  ['BRA', 'Brazil', 'Americas', 'hydro', [-22, -8], [-56, -42], [2, 9, 11]],
  ['ARG', 'Argentina', 'Americas', 'gas', [-37, -28], [-67, -60], [11, 12, 14]],
  ['CHL', 'Chile', 'Americas', 'mixed', [-38, -35], [-72, -71.2], [6, 13]],
  ['COL', 'Colombia', 'Americas', 'hydro', [3, 7], [-75, -72], [1, 2, 8]],
  ['PER', 'Peru', 'Americas', 'hydro', [-14, -8], [-76, -72], [2, 8]],
  ['CHN', 'China', 'Asia', 'coal', [26, 38], [103, 117], [6, 7, 8, 12]],
  ['IND', 'India', 'Asia', 'coal', [15, 26], [75, 82], [9, 11, 14]],
  ['IDN', 'Indonesia', 'Asia', 'coal', [-7.4, -6.8], [107, 111.5], [1, 2]],
  ['JPN', 'Japan', 'Asia', 'gas', [35.5, 36.5], [138, 139.7], [6, 7]],
  ['KOR', 'South Korea', 'Asia', 'atom', [35.5, 37.3], [127, 128.8], [6]],
  ['VNM', 'Viet Nam', 'Asia', 'coal', [21, 22.3], [104, 106], [2, 9]],
  ['THA', 'Thailand', 'Asia', 'gas', [14, 17.5], [100, 103], [1, 9]],
  ['PAK', 'Pakistan', 'Asia', 'gas', [28, 32], [69.5, 73], [3, 14]],
  ['KAZ', 'Kazakhstan', 'Asia', 'coal', [45, 51], [58, 76], [12, 14]],
  ['SAU', 'Saudi Arabia', 'Asia', 'gas', [20, 27], [42, 47.5], [14]],
  ['TUR', 'T\u00fcrkiye', 'Asia', 'mixed', [38, 40.5], [30, 41], [7, 12, 13]],
  ['DEU', 'Germany', 'Europe', 'mixed', [49, 53], [8, 12.5], [6]],
  ['FRA', 'France', 'Europe', 'atom', [44.5, 48.8], [0, 5], [6, 13]],
  ['GBR', 'United Kingdom', 'Europe', 'gas', [51.5, 53.5], [-2.5, 0], [6]],
  ['ESP', 'Spain', 'Europe', 'mixed', [38, 42], [-5, -1], [13]],
  ['ITA', 'Italy', 'Europe', 'gas', [44.7, 45.6], [8, 11.8], [6, 7]],
  ['POL', 'Poland', 'Europe', 'coal', [50.5, 53.5], [16, 22.5], [6]],
  ['SWE', 'Sweden', 'Europe', 'atom', [57.5, 64], [13.5, 16.5], [5, 6]],
  ['NOR', 'Norway', 'Europe', 'hydro', [60, 62], [8, 11], [4, 5]],
  ['FIN', 'Finland', 'Europe', 'atom', [61.5, 65], [24, 28], [5]],
  ['UKR', 'Ukraine', 'Europe', 'atom', [47.5, 51], [26, 36], [6, 12]],
  ['LUX', 'Luxembourg', 'Europe', 'mixed', [49.6, 49.9], [6, 6.2], [6]],
  ['AUS', 'Australia', 'Oceania', 'coal', [-33, -24], [120, 148], [6, 11, 14]],
  ['NZL', 'New Zealand', 'Oceania', 'hydro', [-44.5, -43.3], [170.5, 171.8], [6, 8]],
]

/** All countries of the package by ISO 3166-1 alpha-3 code. */
export const COUNTRIES: ReadonlyMap<string, Country> = new Map(
  ROWS.map(([iso3, name, region, profile, latitudes, longitudes, biomes]) => [
    iso3,
    { iso3, name, region, profile, latitudes, longitudes, biomes },
  ]),
)

/** Grid factor of a country, t CO2e per MWh, and its basis. */
export interface Grid {
  factor: number
  basis: string
}

/** The table of countries with their grids. */
export function countrySheets(gridOf: (iso3: string) => Grid): Sheet[] {
  const rows = [...COUNTRIES.values()].map(({ iso3, name }) => {
    const { factor, basis } = gridOf(iso3)
    return [iso3, name, factor, basis]
  })
  return [sheet('countries', 'iso3 name grid_tco2e_per_mwh grid_basis', rows)]
}
