import { workOut } from './arithmetic.js'
import { fuelFactors, fuelMass } from './fuels.js'
import { indicator, WARMING } from './indicators.js'
import { PROCESSES } from './processes.js'
import { SECTORS } from './sectors.js'
import { type Cell, type Sheet, sheet } from './sheets.js'

/** Points per site for invasive species (1 to 5), made up. */
const SPECIES_POINTS: Record<string, number> = {
  HYDRO_DAM: 3,
  SOLAR_PARK: 1,
  WOOD_STEAM: 3,
  IRON_PIT: 2,
  COPPER_PIT: 2,
  DAIRY: 2,
  SUGAR_MILL: 3,
  FLOUR_MILL: 2,
  WAREHOUSE: 4,
}

/** Goods bought or extracted per unit of activity. */
const COMMODITIES: [sector: string, commodity: string, how: string, source: string][] = [
  ['COAL_STEAM', 'hard_coal', fuelMass('COAL_STEAM'), 'IPCC2006'],
  ['GAS_COMBINED', 'natural_gas', fuelMass('GAS_COMBINED'), 'IPCC2006'],
  ['GAS_OPEN', 'natural_gas', fuelMass('GAS_OPEN'), 'IPCC2006'],
  ['DIESEL_ENGINE', 'gas_oil', fuelMass('DIESEL_ENGINE'), 'IPCC2006'],
  ['WOOD_STEAM', 'wood', fuelMass('WOOD_STEAM'), 'IPCC2006'],
  ['CEMENT_KILN', 'limestone', '0.75 assumed t clinker/t x 1.6 assumed t raw meal/t clinker', 'MADEUP'],
  ['IRON_PIT', 'iron_ore', '1 t/t', 'MADEUP'],
  ['COPPER_PIT', 'copper_ore', '1 t / 0.006 assumed grade / 0.85 assumed recovery', 'MADEUP'],
  ['ALUMINIUM', 'bauxite', '1.92 assumed t alumina/t x 2.4 assumed t bauxite/t', 'MADEUP'],
  ['DAIRY', 'raw_milk', '1 t/t', 'MADEUP'],
  ['SUGAR_MILL', 'sugar_cane', '8.5 assumed t of cane/t', 'MADEUP'],
  ['FLOUR_MILL', 'wheat', '1.28 assumed t of wheat/t', 'MADEUP'],
]

/** Direct CO2 emissions of a sector, in tonnes per unit of activity; 0 without such a factor. */
export function directCo2(sector: string): number {
  return direct(sector, 'co2')
}

/** As `directCo2`, plus methane and nitrous oxide weighted by their warming potentials. */
export function directCo2e(sector: string): number {
  return direct(sector, 'co2') + WARMING.ch4 * direct(sector, 'ch4') + WARMING.n2o * direct(sector, 'n2o')
}

function direct(sector: string, name: string): number {
  const factor = factorsOf(sector).find(([indicator, scope]) => indicator === name && scope === 1)
  return factor ? workOut(factor[2]) : 0
}

const factorsOf = (sector: string) => [...fuelFactors(sector), ...(PROCESSES[sector] ?? [])]

/** The tables of factors and commodities. */
export function factorSheets(): Sheet[] {
  const rows = [...SECTORS.keys()].flatMap(sector => [...worked(sector), ...perSite(sector)])
  const commodities = COMMODITIES.map(([sector, commodity, how, source]) => [
    sector,
    commodity,
    't',
    workOut(how),
    source,
    how,
  ])
  return [
    sheet(
      'factors',
      'sector_code pressure_indicator unit ipbes_pressure scope factor_per_activity_unit multiplier source_id check how',
      rows,
    ),
    sheet('commodities', 'sector_code commodity unit t_per_activity_unit source_id how', commodities),
  ]
}

function worked(sector: string): Cell[][] {
  return factorsOf(sector).map(([name, scope, how, source, check]) => {
    const { unit, driver } = indicator(name)
    return [
      sector,
      name,
      unit,
      driver,
      scope,
      workOut(how),
      scope === 2 ? 'grid' : 'none',
      source,
      check,
      how,
    ]
  })
}

function perSite(sector: string): Cell[][] {
  const row = (name: string, value: number, how: string) => {
    const { unit, driver } = indicator(name)
    return [sector, name, unit, driver, 1, value, 'per_site', 'MADEUP', 'made up', how]
  }
  const points = SPECIES_POINTS[sector]
  const rows =
    points === undefined ? [] : [row('invasive_species_rating', points, 'points once a site, invented')]
  // A battery has no output to multiply but occupies land.
  if (sector === 'GRID_BATTERY') rows.push(row('land_occupation', 1.5, '1.5 ha once a site, invented'))
  return rows
}
