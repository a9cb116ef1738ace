import type { Grid } from './countries.js'
import { directCo2e } from './factors.js'
import type { Activity } from './sites.js'

/** A country with fewer power stations than this gets the mean of all countries. */
const FEWEST_STATIONS = 20

/** Computes grid factors as means over made-up power stations: not published figures, and labelled accordingly. */
export function gridsOf(fleet: readonly Activity[]): (iso3: string) => Grid {
  const sums = new Map<string, { stations: number; tonnes: number; gigawattHours: number }>()
  const add = (key: string, tonnes: number, gigawattHours: number) => {
    const sum = sums.get(key) ?? { stations: 0, tonnes: 0, gigawattHours: 0 }
    sum.stations++
    sum.tonnes += tonnes
    sum.gigawattHours += gigawattHours
    sums.set(key, sum)
  }
  for (const { site, sector, output } of fleet) {
    if (sector.unit !== 'GWh' || output === null) continue
    const tonnes = output * directCo2e(sector.code)
    add(site.iso3, tonnes, output)
    add('', tonnes, output)
  }
  return iso3 => {
    const own = sums.get(iso3)
    const known = own !== undefined && own.stations >= FEWEST_STATIONS
    const { tonnes, gigawattHours } = (known ? own : sums.get('')) ?? { tonnes: 0, gigawattHours: 1 }
    const factor = Number((tonnes / gigawattHours / 1000).toPrecision(4))
    return { factor, basis: known ? 'made-up power stations of the country' : 'all made-up power stations' }
  }
}
