import { NNH_NAMES } from './nature.js'
import { PRESSURES, SERVICES } from './ratings.js'
import { type Cell, type Sheet, sheet } from './sheets.js'

/**
 * Services and pressures whose risk grows with dryness; the other risks grow as
 * nature around the site shrinks.
 */
const THIRSTY = new Set(['WATER_SUPPLY', 'STEADY_RIVER', 'RAIN_IN_TIME', 'WATER_TAKEN', 'RIVERS_TURNED'])

/** Ratings below this carry no risk; exceptions are in `OTHER_SEVERITY`. */
const LEAST_SEVERITY = 3
const OTHER_SEVERITY: Record<string, number> = { FLOOD_SPONGE: 2, STORM_BREAK: 2, NOISE_AND_LIGHT: 4 }

/** Exposure (1 to 5) by how much nature is left, class 1 to 4. All scales here are invented. */
const NATURE_EXPOSURE = [1, 2, 3, 5]
/** Exposure (1 to 5) by the number of the biome, from wet to dry. */
const DRYNESS_EXPOSURE = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 4, 5]
/** Exposure of a site whose place is unknown. */
const NEUTRAL_EXPOSURE = 3

/** A risk that a user excluded, for the whole project or for one entity. */
export interface Exclusion {
  risk: string
  entityKey: string | null
  note: string
}

/** The code of the risk of a service or a pressure. */
export function riskCode(source: string): string {
  return `RISK_${source}`
}

/** The tables of risk rules, exposure and exclusions; `exclusions` by project. */
export function riskSheets(exclusions: ReadonlyMap<string, readonly Exclusion[]>): Sheet[] {
  const excluded = [...exclusions].flatMap(([project, list]) =>
    list.map(({ risk, entityKey, note }): Cell[] => [project, risk, entityKey, note]),
  )
  const rules = [
    ...SERVICES.map(([code, service]) =>
      rule(code, 'physical', `Fading: ${service.toLowerCase()}`, 'dependency'),
    ),
    ...PRESSURES.map(([code, press]) =>
      rule(code, 'transition', `Costlier: ${press.toLowerCase()}`, 'pressure'),
    ),
  ]
  return [
    sheet(
      'risk_rules',
      'risk_code risk_type risk source_kind source_code exposure_basis min_severity',
      rules,
    ),
    sheet('exposure_scales', 'exposure_basis key exposure note', exposures()),
    sheet('risk_exclusions', 'project_key risk_code entity_key note', excluded),
  ]
}

function rule(source: string, type: string, risk: string, kind: string): Cell[] {
  const basis = THIRSTY.has(source) ? 'dryness' : 'nature_condition'
  return [riskCode(source), type, risk, kind, source, basis, OTHER_SEVERITY[source] ?? LEAST_SEVERITY]
}

function exposures(): Cell[][] {
  const scale = (basis: string, steps: number[], note: (at: number) => string) => [
    ...steps.map((exposure, at): Cell[] => [basis, at + 1, exposure, `made up; ${note(at)}`]),
    [basis, null, NEUTRAL_EXPOSURE, 'made up; place unknown: the middle'],
  ]
  return [
    ...scale('nature_condition', NATURE_EXPOSURE, at => NNH_NAMES[at] ?? ''),
    ...scale('dryness', DRYNESS_EXPOSURE, at => `by biome ${at + 1}, wet to dry`),
  ]
}
