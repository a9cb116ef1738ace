import type { Profile } from './countries.js'
import type { Plan } from './plans.js'
import { SECTORS, type Sector } from './sectors.js'

/** Weights of power sectors by profile of the country; sectors not listed have the same weight everywhere. */
const MIX: Record<Profile, Record<string, number>> = {
  coal: {
    COAL_STEAM: 4,
    GAS_COMBINED: 1,
    GAS_OPEN: 0.6,
    DIESEL_ENGINE: 0.6,
    NUCLEAR: 0.05,
    HYDRO_DAM: 2,
    WIND_ONSHORE: 3,
  },
  gas: {
    COAL_STEAM: 0.4,
    GAS_COMBINED: 4,
    GAS_OPEN: 1.5,
    DIESEL_ENGINE: 1,
    NUCLEAR: 0.1,
    HYDRO_DAM: 1,
    WIND_ONSHORE: 2,
  },
  hydro: {
    COAL_STEAM: 0.15,
    GAS_COMBINED: 0.6,
    GAS_OPEN: 0.5,
    DIESEL_ENGINE: 0.8,
    NUCLEAR: 0.02,
    HYDRO_DAM: 6,
    WIND_ONSHORE: 2,
  },
  atom: {
    COAL_STEAM: 0.4,
    GAS_COMBINED: 0.8,
    GAS_OPEN: 0.5,
    DIESEL_ENGINE: 0.2,
    NUCLEAR: 1,
    HYDRO_DAM: 2,
    WIND_ONSHORE: 3,
  },
  mixed: {
    COAL_STEAM: 1.5,
    GAS_COMBINED: 1.5,
    GAS_OPEN: 0.8,
    DIESEL_ENGINE: 0.4,
    NUCLEAR: 0.15,
    HYDRO_DAM: 2,
    WIND_ONSHORE: 4,
  },
}
const EVERYWHERE: Record<string, number> = { SOLAR_PARK: 3, WOOD_STEAM: 0.8, GRID_BATTERY: 0.5 }

/** Returns the weights of sectors among the sites of a project, by profile of their country. */
export function sectorWeights(plan: Plan): (profile: Profile) => ReadonlyMap<Sector, number> {
  const known = new Map<Profile, ReadonlyMap<Sector, number>>()
  return profile => {
    const weights = known.get(profile) ?? weigh(plan, profile)
    known.set(profile, weights)
    return weights
  }
}

function weigh(plan: Plan, profile: Profile): ReadonlyMap<Sector, number> {
  return new Map(
    Object.entries(plan.sectors).map(([code, weight]) => {
      const sector = SECTORS.get(code)
      if (!sector) throw new RangeError(`${plan.key}: no sector ${code}`)
      return [sector, weight * (MIX[profile][code] ?? EVERYWHERE[code] ?? 1)]
    }),
  )
}
