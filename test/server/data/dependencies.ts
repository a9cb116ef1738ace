import type { PlacedActivity } from './activities.js'
import { groupBy, indexBy } from './group.js'
import { type Ownership, wholeBelow } from './ownership.js'
import { amount, type PackageProject, text } from './package.js'

/** An expected row of `dependency_rows`, without its share. */
export interface Dependency {
  entity_id: string
  entity_key: string
  site_key: string
  sector_code: string
  service_code: string
  service: string | null
  category: string | null
  scope: number
  rating: string | null
  rating_value: number | null
  output: number | null
}

/** An expected row of `fold_dependencies`. */
export interface DependencyTotal
  extends Pick<Dependency, 'entity_id' | 'entity_key' | 'service_code' | 'service' | 'category' | 'scope'> {
  max_rating: number | null
  score: number | null
  data_points: number
}

/** The dependency that a screen shows per entity and service. */
export type ShownDependency = Pick<DependencyTotal, 'entity_key' | 'service_code' | 'max_rating'>

/** One dependency per activity and per service that `table` rates for its sector. */
export function dependenciesOf(
  project: PackageProject,
  ownership: Ownership,
  activities: readonly PlacedActivity[],
  table: 'dependencies' | 'sector_estimates' = 'dependencies',
): Dependency[] {
  const ratings = groupBy(project.rows(table), row => text(row, 'sector_code'))
  const services = indexBy(project.rows('ecosystem_services'), row => text(row, 'service_code'))
  return activities.flatMap(({ entity, site, sector, output }) =>
    (ratings.get(sector) ?? []).map(row => {
      const service_code = text(row, 'service_code')
      const service = services.get(service_code)
      return {
        entity_id: ownership.ids.get(entity) ?? '',
        entity_key: entity,
        site_key: site,
        sector_code: sector,
        service_code,
        service: service?.get('service') ?? null,
        category: service?.get('category') ?? null,
        scope: 1,
        rating: row.get('rating') ?? null,
        rating_value: amount(row, 'rating_value'),
        output,
      }
    }),
  )
}

/** Totals by entity and service, of the entity's own activities only. */
export function dependencyTotals(all: readonly Dependency[]): DependencyTotal[] {
  const groups = groupBy(all, ({ entity_key, service_code }) => `${entity_key}|${service_code}`)
  return [...groups.values()].map(group => {
    const { entity_id, entity_key, service_code, service, category, scope } = group[0] as Dependency
    const max_rating = highest(group)
    const atHighest = group.filter(({ rating_value }) => rating_value === max_rating).length
    const score = max_rating === null ? null : max_rating + (0.99 * atHighest) / group.length
    return {
      entity_id,
      entity_key,
      service_code,
      service,
      category,
      scope,
      max_rating,
      score,
      data_points: group.length,
    }
  })
}

/**
 * The highest ratings that a screen shows per entity and service: of the entity's own activities; without any, of those
 * below it; without these too, of the estimates for the sectors of the entity and those below. A rating that is not the
 * entity's own is shown only if it is known.
 */
export function shownDependencies(
  project: PackageProject,
  ownership: Ownership,
  activities: readonly PlacedActivity[],
): ShownDependency[] {
  const own = groupBy(dependenciesOf(project, ownership, activities), ({ entity_key }) => entity_key)
  const estimates = dependenciesOf(project, ownership, activities, 'sector_estimates')
  const estimated = groupBy(estimates, ({ entity_key }) => entity_key)
  return [...ownership.ids.keys()].flatMap(entity_key => {
    const ratings = own.get(entity_key)
    if (ratings) return highestByService(entity_key, ratings)
    const below = [...wholeBelow(ownership, entity_key).keys()]
    const rated = below.flatMap(entity => own.get(entity) ?? [])
    const standIns = rated.length > 0 ? rated : below.flatMap(entity => estimated.get(entity) ?? [])
    return highestByService(entity_key, standIns).filter(({ max_rating }) => max_rating !== null)
  })
}

function highestByService(entity_key: string, ratings: readonly Dependency[]): ShownDependency[] {
  const services = groupBy(ratings, ({ service_code }) => service_code)
  return [...services].map(([service_code, group]) => ({ entity_key, service_code, max_rating: highest(group) }))
}

function highest(group: readonly Dependency[]): number | null {
  const known = group.flatMap(({ rating_value }) => rating_value ?? [])
  return known.length > 0 ? Math.max(...known) : null
}
