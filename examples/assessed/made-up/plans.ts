/** The parameters from which a project is drawn. */
export interface Plan {
  key: string
  organization: string
  name: string
  state: 'computed' | 'computing' | 'notComputed'
  rootKind: 'group' | 'portfolio'
  rootName: string
  createdAt: string
  about: string
  sites: number
  /** Whether each site has an entity of its own; otherwise sites belong to companies. */
  assets: boolean
  /** Most sites of a company. */
  largest: number
  /** Share of the holdings, companies and assets that are owned in full. */
  whole: number
  /** ISO codes separated by blanks, the country with the most sites first. */
  countries: string
  /** Weight of each sector that occurs; power sectors are weighted again by the profile of the country. */
  sectors: Readonly<Record<string, number>>
}

const POWER = {
  COAL_STEAM: 1,
  GAS_COMBINED: 1,
  GAS_OPEN: 1,
  DIESEL_ENGINE: 1,
  NUCLEAR: 1,
  HYDRO_DAM: 1,
  WIND_ONSHORE: 1,
  SOLAR_PARK: 1,
  WOOD_STEAM: 1,
  GRID_BATTERY: 1,
}

/** All countries but Luxembourg, which therefore has too few power stations for a grid factor of its own. */
const WORLD =
  'CHN USA IND BRA DEU JPN CAN AUS FRA GBR KOR MEX TUR IDN ESP POL ITA VNM ZAF UKR THA SWE NOR KAZ ARG PAK SAU EGY COL ' +
  'CHL FIN NGA PER MAR NZL KEN GHA ZMB'

const MATERIALS = { CEMENT_KILN: 1, IRON_PIT: 0.5, COPPER_PIT: 0.5, ALUMINIUM: 0.3 }
const FOOD = { DAIRY: 1, SUGAR_MILL: 0.5, FLOUR_MILL: 1, WAREHOUSE: 0.8 }

/** Scales weights, so that groups of sectors can be combined. */
const times = (weights: Record<string, number>, by: number) =>
  Object.fromEntries(Object.entries(weights).map(([sector, weight]) => [sector, weight * by]))

/** The projects, oldest first. */
export const PLANS: readonly Plan[] = [
  {
    key: 'brindlemoor-core',
    organization: 'brindlemoor',
    name: 'Brindlemoor Holdings (made up) \u2013 power, cement and ore',
    state: 'computed',
    rootKind: 'group',
    rootName: 'Brindlemoor Holdings (made up)',
    createdAt: '2025-02-03T08:30:00Z',
    about: 'made up: a small group with joint ventures and partly owned companies',
    sites: 64,
    assets: true,
    largest: 4,
    whole: 0.45,
    countries: 'POL GBR AUS CHL ZAF BRA',
    sectors: { ...POWER, ...times(MATERIALS, 1.5), SUGAR_MILL: 0.4 },
  },
  {
    key: 'tallowick-world',
    organization: 'tallowick',
    name: 'Tallowick world index (made up)',
    state: 'computed',
    rootKind: 'portfolio',
    rootName: 'Tallowick world index (made up)',
    createdAt: '2025-03-10T13:05:00Z',
    about: 'made up: the large project, every country and every sector',
    sites: 30_000,
    assets: false,
    largest: 24,
    whole: 0.8,
    countries: WORLD,
    sectors: { ...POWER, ...times(MATERIALS, 0.3), ...times(FOOD, 0.3) },
  },
  {
    key: 'quorven-foods',
    organization: 'brindlemoor',
    name: 'Quorvenstow Foods (made up) \u2013 dairies, mills and sugar',
    state: 'computed',
    rootKind: 'group',
    rootName: 'Quorvenstow Foods (made up)',
    createdAt: '2025-05-19T07:45:00Z',
    about: 'made up: most of its pressures lie in the supply chain, scope 3',
    sites: 220,
    assets: true,
    largest: 7,
    whole: 0.6,
    countries: 'FRA DEU BRA IND MEX KEN THA LUX',
    sectors: { ...times(FOOD, 3), SOLAR_PARK: 0.8, GAS_OPEN: 0.6, WOOD_STEAM: 1, GRID_BATTERY: 0.5 },
  },
  {
    key: 'tallowick-power',
    organization: 'tallowick',
    name: 'Tallowick power fund (made up)',
    state: 'computed',
    rootKind: 'portfolio',
    rootName: 'Tallowick power fund (made up)',
    createdAt: '2025-08-04T10:20:00Z',
    about: 'made up: power stations alone, each with its own entity and many part owners',
    sites: 2_400,
    assets: true,
    largest: 9,
    whole: 0.3,
    countries: 'CHN USA IND DEU BRA AUS ZAF VNM TUR ESP SWE KAZ',
    sectors: POWER,
  },
  {
    key: 'brindlemoor-metals',
    organization: 'brindlemoor',
    name: 'Brindlemoor Metals (made up) \u2013 first assessment running',
    state: 'computing',
    rootKind: 'group',
    rootName: 'Brindlemoor Metals (made up)',
    createdAt: '2025-11-17T15:00:00Z',
    about: 'made up: data are there, no assessment has ended yet',
    sites: 600,
    assets: true,
    largest: 8,
    whole: 0.5,
    countries: 'AUS CHL PER CAN ZMB IND NOR',
    sectors: { ...times(MATERIALS, 4), HYDRO_DAM: 1, GAS_COMBINED: 1, SOLAR_PARK: 1, DIESEL_ENGINE: 1 },
  },
  {
    key: 'thrumble-coop',
    organization: 'tallowick',
    name: 'Thrumblewick Cooperative (made up)',
    state: 'notComputed',
    rootKind: 'portfolio',
    rootName: 'Thrumblewick Cooperative (made up)',
    createdAt: '2026-01-12T09:10:00Z',
    about: 'made up: never assessed',
    sites: 50,
    assets: false,
    largest: 4,
    whole: 0.7,
    countries: 'NZL NOR GHA',
    sectors: { HYDRO_DAM: 2, WIND_ONSHORE: 1, WOOD_STEAM: 1, DAIRY: 0.8, GRID_BATTERY: 0.4 },
  },
]
