import { workOut } from './arithmetic.js'
import { type Cell, type Sheet, sheet } from './sheets.js'

/**
 * How far a figure can be trusted: `cited` = from the named publication, quoted from memory and not looked up
 * again; `partly assumed` = published figures times an assumption of ours, named in `how`; `made up` =
 * invented; `definition` = follows from the definition of the unit.
 */
export type Evidence = 'cited' | 'partly assumed' | 'made up' | 'definition'

/** The pressure of one unit of activity on nature; `how` is its arithmetic, see {@link workOut}. */
export type Factor = readonly [
  indicator: string,
  scope: 1 | 2 | 3,
  how: string,
  source: string,
  check: Evidence,
]

type Indicator = [unit: string, driver: string, how: string | null, source: string, note?: string]

/** 100-year warming potentials, kg CO2e per kg: fossil methane and nitrous oxide, ReCiPe 2016 hierarchist. */
export const WARMING = { ch4: 36, n2o: 298 }

const PER_TONNE = 'species.yr/kg x 1000 kg/t'
const CLIMATE = `2.80e-9 ${PER_TONNE} + 7.65e-14 ${PER_TONNE}`

/**
 * Unit, driver and conversion to species.yr of each pressure indicator; without a
 * conversion, not characterised.
 */
const INDICATORS: Record<string, Indicator> = {
  co2: ['t', 'climate change', CLIMATE, 'RECIPE'],
  ch4: ['t', 'climate change', `2.80e-9 ${PER_TONNE} x ${WARMING.ch4} kg CO2e/kg`, 'RECIPE'],
  n2o: ['t', 'climate change', `2.80e-9 ${PER_TONNE} x ${WARMING.n2o} kg CO2e/kg`, 'RECIPE'],
  co2e: ['t', 'climate change', CLIMATE, 'RECIPE'],
  so2: ['t', 'pollution', `2.12e-7 ${PER_TONNE}`, 'RECIPE'],
  nox: ['t', 'pollution', `0.36 kg SO2e/kg x 2.12e-7 ${PER_TONNE} + 1.29e-7 for ozone x 1000 kg/t`, 'RECIPE'],
  phosphorus_to_water: ['kg', 'pollution', '6.71e-7 species.yr/kg P', 'RECIPE'],
  pm25: ['t', 'pollution', null, 'NONE', 'harms people; no factor for ecosystems'],
  hg: ['kg', 'pollution', null, 'NONE', 'left out: its factor depends on where it ends up'],
  land_occupation: [
    'ha',
    'land/sea-use change',
    '8.88e-9 species.yr/(m2.yr) of annual crops x 10000 m2/ha',
    'RECIPE',
    'all land counts as annual crops',
  ],
  water_consumption: [
    'm3',
    'natural resource use',
    '1.35e-8 species.yr/m3 + 6.04e-13 species.yr/m3',
    'RECIPE',
  ],
  resource_extraction: ['t', 'natural resource use', null, 'NONE', 'no factor for ecosystems'],
  invasive_species_rating: [
    'rating points',
    'invasive alien species',
    null,
    'NONE',
    'a rating, not a quantity',
  ],
}

/** Unit and driver of a pressure indicator. */
export function indicator(name: string): { unit: string; driver: string } {
  const found = INDICATORS[name]
  if (!found) throw new RangeError(`no pressure indicator "${name}"`)
  return { unit: found[0], driver: found[1] }
}

/** The table of characterisation factors. */
export function indicatorSheets(): Sheet[] {
  const rows = Object.entries(INDICATORS).map(([name, [unit, driver, how, source, note]]): Cell[] => {
    const told = [how, note].filter(part => part !== null && part !== undefined).join('; ')
    return [
      name,
      unit,
      driver,
      how === null ? null : workOut(how),
      source,
      how === null ? null : 'cited',
      told,
    ]
  })
  return [
    sheet(
      'characterisation',
      'pressure_indicator unit ipbes_pressure species_yr_per_unit source_id check how',
      rows,
    ),
  ]
}
