import type { PlacedActivity } from './activities.js'
import { groupBy, indexBy } from './group.js'
import { amount, type Cells, type PackageProject, text } from './package.js'

/** The columns by which pressures are totalled. */
interface PressureKind {
  pressure_indicator: string
  unit: string
  ipbes_pressure: string
  biome: string | null
  scope: number
}

/** The pressure of one activity by one factor, at 100 %. */
export interface Pressure {
  kind: PressureKind
  value: number
  entity: string
  site: string
}

/** An expected row of `fold_pressures`. */
export interface PressureTotal extends PressureKind {
  net: number
  gross: number
  sites: number
}

/** An expected row of `dash_ipbes`. */
export interface DriverTotal {
  ipbes_pressure: string
  value: number | null
  unit: 'species.yr'
}

/** The drivers of nature loss; `dash_ipbes` has one row for each. */
const DRIVERS = ['climate change', 'pollution', 'land/sea-use change', 'natural resource use', 'invasive alien species']

/** One pressure per activity and factor, except those that cannot be computed. */
export function pressuresOf(project: PackageProject, activities: readonly PlacedActivity[]): Pressure[] {
  const factors = groupBy(project.rows('factors'), row => text(row, 'sector_code'))
  return activities.flatMap(activity =>
    (factors.get(activity.sector) ?? []).flatMap(factor => {
      const value = amountOf(activity, factor)
      if (value === null) return []
      const scope = Number(text(factor, 'scope'))
      const kind = {
        pressure_indicator: text(factor, 'pressure_indicator'),
        unit: text(factor, 'unit'),
        ipbes_pressure: text(factor, 'ipbes_pressure'),
        biome: scope === 1 ? activity.biome : null,
        scope,
      }
      return { kind, value, entity: activity.entity, site: activity.site }
    }),
  )
}

function amountOf({ output, reportedCo2, grid }: PlacedActivity, factor: Cells): number | null {
  const perUnit = Number(text(factor, 'factor_per_activity_unit'))
  const isDirectCo2 = factor.get('pressure_indicator') === 'co2' && factor.get('scope') === '1'
  if (isDirectCo2 && reportedCo2 !== null) return reportedCo2
  if (factor.get('multiplier') === 'per_site') return perUnit
  if (output === null) return null
  if (factor.get('multiplier') === 'grid') return grid === null ? null : output * perUnit * grid
  return output * perUnit
}

/** Totals over the entities of a point of view. */
export function pressureTotals(all: readonly Pressure[], shares: ReadonlyMap<string, number>): PressureTotal[] {
  const seen = all.filter(({ entity }) => shares.has(entity))
  const groups = groupBy(seen, ({ kind }) => Object.values(kind).join('|'))
  return [...groups.values()].map(group => ({
    ...(group[0] as Pressure).kind,
    net: group.reduce((sum, { value, entity }) => sum + value * (shares.get(entity) ?? 0), 0),
    gross: group.reduce((sum, { value }) => sum + value, 0),
    sites: new Set(group.map(({ site }) => site)).size,
  }))
}

/** Loss of species by driver; null if no pressure in view can be converted. */
export function driverTotals(project: PackageProject, totals: readonly PressureTotal[]): DriverTotal[] {
  const conversions = indexBy(
    project.rows('characterisation'),
    row => `${text(row, 'pressure_indicator')}|${text(row, 'unit')}`,
  )
  return DRIVERS.map(driver => {
    const losses = totals.flatMap(({ pressure_indicator, unit, ipbes_pressure, net }) => {
      const conversion = conversions.get(`${pressure_indicator}|${unit}`)
      const perUnit = conversion ? amount(conversion, 'species_yr_per_unit') : null
      return ipbes_pressure === driver && perUnit !== null ? net * perUnit : []
    })
    const value = losses.length > 0 ? losses.reduce((sum, loss) => sum + loss, 0) : null
    return { ipbes_pressure: driver, value, unit: 'species.yr' }
  })
}
