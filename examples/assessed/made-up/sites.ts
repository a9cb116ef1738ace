import type { Seat } from './companies.js'
import { COUNTRIES, type Country } from './countries.js'
import { directCo2 } from './factors.js'
import { sectorWeights } from './mix.js'
import { ecoregionsOf } from './nature.js'
import type { Plan } from './plans.js'
import { type Draw, drawFrom } from './random.js'
import { SECTORS, type Sector, THOUSAND_HOURS_PER_YEAR } from './sectors.js'

/** A site and its location; biome and ecoregion are null when unknown. */
export interface Site {
  key: string
  entity: string
  name: string
  iso3: string
  latitude: number
  longitude: number
  biome: number | null
  ecoregion: number | null
}

/**
 * An activity of a site. Output is per year, in units of the sector; `earlier` (a
 * year before) is null if the same.
 */
export interface Activity {
  site: Site
  sector: Sector
  capacity: number
  output: number | null
  earlier: number | null
  reportedCo2: number | null
  started: number | null
}

/** The power sector that sites of a sector often run in addition. */
const BESIDE: Record<string, string> = {
  SUGAR_MILL: 'WOOD_STEAM',
  CEMENT_KILN: 'SOLAR_PARK',
  COPPER_PIT: 'DIESEL_ENGINE',
  ALUMINIUM: 'HYDRO_DAM',
}
const WITH_SOURCE_BESIDE = 0.3

/**
 * Shares of sites without a known biome, and of activities that stood still,
 * report CO2, or changed their output.
 */
const PLACELESS = 0.01
const STANDING = 0.02
const REPORTS_CO2 = 0.35
const SHIFTED = 0.3

/** Sectors whose output depends on the weather and so differs every year. */
const WEATHERED = new Set(['HYDRO_DAM', 'WIND_ONSHORE', 'SOLAR_PARK'])

/** Places the sites of a project, one per seat, and draws their activities. */
export function placeSites(plan: Plan, seats: readonly Seat[]): { sites: Site[]; activities: Activity[] } {
  const draw = drawFrom(`sites/${plan.key}`)
  const sites: Site[] = []
  const activities: Activity[] = []
  const weights = sectorWeights(plan)
  for (const { entity, iso3, place } of seats) {
    const country = COUNTRIES.get(iso3)
    if (!country) throw new RangeError(`${plan.key}: no country ${iso3}`)
    const sector = draw.weigh(weights(country.profile))
    const key = `${plan.key}-s${sites.length + 1}`
    const site = { key, entity, name: `${place} ${sector.noun}`, iso3, ...locate(draw, country) }
    sites.push(site)
    activities.push(run(draw, site, sector))
    const beside = SECTORS.get(BESIDE[sector.code] ?? '')
    if (beside && draw.chance(WITH_SOURCE_BESIDE)) activities.push(run(draw, site, beside))
  }
  return { sites, activities }
}

function locate(draw: Draw, { region, biomes, latitudes, longitudes }: Country) {
  const degrees = (box: readonly [number, number]) => Math.round(draw.between(...box) * 10_000) / 10_000
  const place = { latitude: degrees(latitudes), longitude: degrees(longitudes) }
  if (draw.chance(PLACELESS)) return { ...place, biome: null, ecoregion: null }
  const biome = draw.pick(biomes)
  return { ...place, biome, ecoregion: draw.pick(ecoregionsOf(region, biome)).id }
}

function run(draw: Draw, site: Site, sector: Sector): Activity {
  const capacity = round(draw.skewed(...sector.capacity))
  const started = draw.chance(0.05) ? null : draw.whole(...sector.started)
  const idle = { site, sector, capacity, output: null, earlier: null, reportedCo2: null, started }
  if (!sector.load || draw.chance(STANDING)) return idle
  const full = capacity * (sector.unit === 'GWh' ? THOUSAND_HOURS_PER_YEAR : 1000)
  const output = round(full * draw.between(...sector.load))
  const shifts = WEATHERED.has(sector.code) || draw.chance(SHIFTED)
  const earlier = shifts ? round(output * draw.between(0.82, 1.12)) : null
  const co2 = output * directCo2(sector.code)
  const reports = co2 > 0 && draw.chance(REPORTS_CO2)
  return { ...idle, output, earlier, reportedCo2: reports ? Math.round(co2 * draw.between(0.9, 1.12)) : null }
}

/** Rounds to four significant digits: a yearly figure is not known more precisely. */
const round = (value: number) => Number(value.toPrecision(4))
