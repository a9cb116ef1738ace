import { type Factor, WARMING } from './indicators.js'

/** A fuel burnt for power: default figures per TJ of net heating value. */
interface Fuel {
  name: string
  /** TJ per 1000 t. */
  heat: number
  /** kg/TJ; null when plants took up the carbon shortly before. */
  co2: number | null
  /** kg/TJ */
  ch4: number
  n2o: number
  so2: number
  nox: number
  pm25: number
  /** g/TJ */
  hg: number
  /** Scope 3 greenhouse gases: arithmetic in t per TJ, and its source. */
  upstream: [how: string, source: string, check: Factor[4]]
}

/** IPCC 2006 vol. 2 tables 1.2 and 2.2 (heat, CO2, CH4, N2O); EMEP/EEA 2019 chapter 1.A.1 (the rest). */
const COAL: Fuel = {
  name: 'coal',
  heat: 25.8,
  co2: 94600,
  ch4: 1,
  n2o: 1.5,
  so2: 820,
  nox: 209,
  pm25: 3.4,
  hg: 1.4,
  upstream: [
    '1000 t/kt / 25.8 TJ/kt x 18 m3 CH4/t of deep-mined coal x 0.67 kg/m3 / 1000 kg/t' +
      ` x ${WARMING.ch4} kg CO2e/kg x 0.5 assumed share of deep mines`,
    'IPCC2006+RECIPE',
    'partly assumed',
  ],
}
const GAS: Fuel = {
  name: 'gas',
  heat: 48,
  co2: 56100,
  ch4: 1,
  n2o: 0.1,
  so2: 0.281,
  nox: 89,
  pm25: 0.89,
  hg: 0.1,
  upstream: [
    `1000 t/kt / 48 TJ/kt x 0.015 assumed leak x ${WARMING.ch4} kg CO2e/kg`,
    'IPCC2006+RECIPE',
    'partly assumed',
  ],
}
const GAS_OIL: Fuel = {
  name: 'gas oil',
  heat: 43,
  co2: 74100,
  ch4: 3,
  n2o: 0.6,
  so2: 46.5,
  nox: 65,
  pm25: 0.8,
  hg: 1.36,
  upstream: ['15.4 t/TJ', 'JEC', 'partly assumed'],
}
const WOOD: Fuel = {
  name: 'wood',
  heat: 15.6,
  co2: null,
  ch4: 30,
  n2o: 4,
  so2: 10.8,
  nox: 81,
  pm25: 133,
  hg: 1.51,
  upstream: ['1.5 made up t/TJ for harvest and chipping', 'MADEUP', 'made up'],
}

/** The fuel of each power sector, and its assumed net efficiency. */
const BURNT: Record<string, [fuel: Fuel, efficiency: number]> = {
  COAL_STEAM: [COAL, 0.37],
  GAS_COMBINED: [GAS, 0.53],
  GAS_OPEN: [{ ...GAS, nox: 48, pm25: 0.2 }, 0.36],
  DIESEL_ENGINE: [GAS_OIL, 0.4],
  WOOD_STEAM: [WOOD, 0.28],
}

/**
 * Factors of a sector's fuel per GWh: air emissions, upstream emissions and fuel
 * extracted; none without a fuel.
 */
export function fuelFactors(sector: string): Factor[] {
  const burnt = BURNT[sector]
  if (!burnt) return []
  const [fuel, efficiency] = burnt
  const need = `3.6 TJ/GWh / ${efficiency} assumed efficiency`
  const air = (name: string, perTJ: number, source: string): Factor => [
    name,
    1,
    `${need} x ${perTJ} kg/TJ of ${fuel.name} / 1000 kg/t`,
    source,
    'partly assumed',
  ]
  const [upstream, upstreamSource, upstreamCheck] = fuel.upstream
  return [
    ...(fuel.co2 === null ? [] : [air('co2', fuel.co2, 'IPCC2006')]),
    air('ch4', fuel.ch4, 'IPCC2006'),
    air('n2o', fuel.n2o, 'IPCC2006'),
    air('so2', fuel.so2, 'EMEP'),
    air('nox', fuel.nox, 'EMEP'),
    air('pm25', fuel.pm25, 'EMEP'),
    ['hg', 1, `${need} x ${fuel.hg} g/TJ of ${fuel.name} / 1000 g/kg`, 'EMEP', 'partly assumed'],
    ['co2e', 3, `${need} x ${upstream}`, upstreamSource, upstreamCheck],
    ['resource_extraction', 3, fuelMass(sector), 'IPCC2006', 'partly assumed'],
  ]
}

/** Tonnes of fuel per GWh, as written arithmetic. */
export function fuelMass(sector: string): string {
  const burnt = BURNT[sector]
  if (!burnt) throw new RangeError(`${sector} burns no fuel`)
  const [fuel, efficiency] = burnt
  return `3.6 TJ/GWh / ${efficiency} assumed efficiency / ${fuel.heat} TJ/kt of ${fuel.name} x 1000 t/kt`
}
