import type { Factor } from './indicators.js'

const GALLONS = 'gal/MWh x 1000 MWh/GWh x 0.003785412 m3/gal'
const SQUARE_METRES = 'm2/MWh x 1000 MWh/GWh / 10000 m2/ha'

/**
 * The pressures of each sector on nature per unit of activity, other than those of its fuel. Purchased
 * electricity has scope 2 and is in MWh per unit: the grid factor of the country multiplies it.
 */
export const PROCESSES: Record<string, Factor[]> = {
  COAL_STEAM: [
    ['water_consumption', 1, `687 ${GALLONS}`, 'MACKNICK', 'cited'],
    [
      'land_occupation',
      3,
      `5 ${SQUARE_METRES} x 0.5 assumed share of surface mines`,
      'FRITSCHE',
      'partly assumed',
    ],
  ],
  GAS_COMBINED: [['water_consumption', 1, `198 ${GALLONS}`, 'MACKNICK', 'cited']],
  NUCLEAR: [
    ['water_consumption', 1, `672 ${GALLONS}`, 'MACKNICK', 'cited'],
    ['land_occupation', 3, `0.1 ${SQUARE_METRES}`, 'FRITSCHE', 'cited'],
    ['co2e', 3, '12 kg/MWh (median) x 1000 MWh/GWh / 1000 kg/t', 'AR5', 'cited'],
  ],
  HYDRO_DAM: [
    ['water_consumption', 1, `4491 ${GALLONS}`, 'MACKNICK', 'cited'],
    ['land_occupation', 1, `10 ${SQUARE_METRES}`, 'FRITSCHE', 'cited'],
    ['co2e', 3, '24 kg/MWh (median) x 1000 MWh/GWh / 1000 kg/t', 'AR5', 'cited'],
  ],
  WIND_ONSHORE: [
    ['land_occupation', 1, `1 ${SQUARE_METRES}`, 'FRITSCHE', 'cited'],
    ['co2e', 3, '11 kg/MWh (median) x 1000 MWh/GWh / 1000 kg/t', 'AR5', 'cited'],
  ],
  SOLAR_PARK: [
    ['water_consumption', 1, `26 ${GALLONS}`, 'MACKNICK', 'cited'],
    ['land_occupation', 1, `10 ${SQUARE_METRES}`, 'FRITSCHE', 'cited'],
    ['co2e', 3, '48 kg/MWh (median) x 1000 MWh/GWh / 1000 kg/t', 'AR5', 'cited'],
  ],
  WOOD_STEAM: [
    ['water_consumption', 1, `553 ${GALLONS}`, 'MACKNICK', 'cited'],
    [
      'land_occupation',
      3,
      `500 ${SQUARE_METRES} x 0.1 assumed share of energy crops`,
      'FRITSCHE',
      'partly assumed',
    ],
  ],
  CEMENT_KILN: [
    [
      'co2',
      1,
      '0.75 assumed t clinker/t x 0.52 t/t clinker + 0.75 t clinker/t x 0.0035 TJ/t clinker x 94.6 t/TJ of coal',
      'IPCC2006+GNR',
      'partly assumed',
    ],
    ['so2', 1, '0.75 assumed t clinker/t x 374 g/t clinker / 1000000 g/t', 'EMEP', 'partly assumed'],
    ['nox', 1, '0.75 assumed t clinker/t x 1241 g/t clinker / 1000000 g/t', 'EMEP', 'partly assumed'],
    ['pm25', 1, '0.75 assumed t clinker/t x 130 g/t clinker / 1000000 g/t', 'EMEP', 'partly assumed'],
    ['hg', 1, '0.75 assumed t clinker/t x 0.049 g/t clinker / 1000 g/kg', 'EMEP', 'partly assumed'],
    ['water_consumption', 1, '0.25 m3/t', 'MADEUP', 'made up'],
    ['co2e', 2, '0.1 MWh/t', 'GNR', 'cited'],
    [
      'resource_extraction',
      3,
      '0.75 assumed t clinker/t x 1.6 assumed t raw meal/t clinker',
      'MADEUP',
      'made up',
    ],
  ],
  IRON_PIT: [
    ['resource_extraction', 1, '1 t of ore/t of ore', 'MADEUP', 'definition'],
    ['land_occupation', 1, '1 ha / 50000 t of ore per year', 'MADEUP', 'made up'],
    ['water_consumption', 1, '0.4 m3/t', 'MADEUP', 'made up'],
    ['pm25', 1, '5 g/t / 1000000 g/t', 'MADEUP', 'made up'],
    ['co2', 1, '0.06 made up GJ of gas oil/t / 1000 GJ/TJ x 74.1 t/TJ', 'IPCC2006', 'partly assumed'],
    ['co2e', 2, '0.02 MWh/t', 'MADEUP', 'made up'],
  ],
  COPPER_PIT: [
    ['resource_extraction', 1, '1 t / 0.006 assumed grade / 0.85 assumed recovery', 'MADEUP', 'made up'],
    ['land_occupation', 1, '196 t of ore/t x 1 ha / 50000 t of ore per year', 'MADEUP', 'made up'],
    ['water_consumption', 1, '70.4 m3/t', 'NORTHEY', 'cited'],
    ['so2', 1, '0.004 t/t', 'MADEUP', 'made up'],
    [
      'co2',
      1,
      '22.2 GJ/t x 0.45 assumed share of gas oil / 1000 GJ/TJ x 74.1 t/TJ',
      'NORTHEY',
      'partly assumed',
    ],
    ['co2e', 2, '22.2 GJ/t x 0.55 assumed share of electricity / 3.6 GJ/MWh', 'NORTHEY', 'partly assumed'],
  ],
  ALUMINIUM: [
    ['co2', 1, '1.6 t/t', 'IPCC2006', 'cited'],
    [
      'co2e',
      1,
      '0.0004 t CF4/t x 6630 t CO2e/t + 0.00004 t C2F6/t x 11100 t CO2e/t',
      'IPCC2006+AR5',
      'cited',
    ],
    ['so2', 1, '0.006 t/t', 'MADEUP', 'made up'],
    ['co2e', 2, '14.1 MWh/t', 'IAI', 'cited'],
    ['resource_extraction', 3, '1.92 assumed t alumina/t x 2.4 assumed t bauxite/t', 'MADEUP', 'made up'],
  ],
  DAIRY: [
    ['water_consumption', 1, '0.3 m3/t', 'MADEUP', 'made up'],
    [
      'phosphorus_to_water',
      1,
      '1.65 m3 of waste water/t (middle of the range) x 0.0011 kg P/m3 (middle of the range)',
      'FDM',
      'partly assumed',
    ],
    ['co2e', 2, '0.1 MWh/t', 'FDM', 'partly assumed'],
    ['co2e', 3, '2.4 t/t of milk', 'FAO2010', 'cited'],
    ['land_occupation', 3, '8.95 m2.yr/l / 1.03 kg/l x 1000 kg/t / 10000 m2/ha', 'POORE', 'cited'],
    ['water_consumption', 3, '86 m3/t of milk', 'WFN', 'cited'],
  ],
  SUGAR_MILL: [
    ['water_consumption', 1, '1.5 m3/t', 'MADEUP', 'made up'],
    ['phosphorus_to_water', 1, '0.02 kg/t', 'MADEUP', 'made up'],
    ['co2e', 3, '1.7 t/t of sugar', 'POORE', 'cited'],
    ['land_occupation', 3, '8.5 assumed t of cane/t / 72 t of cane/ha', 'FAOSTAT', 'partly assumed'],
    ['water_consumption', 3, '8.5 assumed t of cane/t x 57 m3/t of cane', 'WFN', 'partly assumed'],
  ],
  FLOUR_MILL: [
    ['pm25', 1, '20 g/t / 1000000 g/t', 'MADEUP', 'made up'],
    ['co2e', 2, '0.08 MWh/t', 'MADEUP', 'made up'],
    ['co2e', 3, '1.28 assumed t of wheat/t x 0.9 t/t', 'POORE', 'partly assumed'],
    ['land_occupation', 3, '1.28 assumed t of wheat/t / 3.5 t of wheat/ha', 'FAOSTAT', 'partly assumed'],
    ['water_consumption', 3, '1.28 assumed t of wheat/t x 342 m3/t of wheat', 'WFN', 'partly assumed'],
  ],
  WAREHOUSE: [
    ['land_occupation', 1, '1 ha / 200000 t per year', 'MADEUP', 'made up'],
    ['co2e', 2, '0.03 MWh/t', 'MADEUP', 'made up'],
    ['co2e', 3, '300 made up km x 0.0001 t/(t.km)', 'MADEUP', 'made up'],
  ],
}
